#[allow(clippy::async_yields_async)]
fn awaits<T: Source>(
    source: &T,
) -> impl ::core::future::Future<Output = Result<u32, Error>> {
    static __DIAGNOSE_SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
        ::diagnose::__private::Kind::Fn,
        "awaits",
        ::core::module_path!(),
        ::core::file!(),
        ::core::line!(),
        ::core::column!(),
    );
    ::diagnose::__private::Timed::new(
        &__DIAGNOSE_SITE,
        ::diagnose::__private::Label::NONE,
        async move {
            {
                _ = &source;
            }
            if false {
                if let ::core::option::Option::<
                    Result<u32, Error>,
                >::Some(__diagnose_expected) = ::core::option::Option::None {
                    return __diagnose_expected;
                }
            }
            let first = ::diagnose::__private::ended(
                &__DIAGNOSE_SITE,
                ::diagnose::__private::at(
                        {
                            static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                &AWAIT,
                                &__DIAGNOSE_SITE,
                                "source.get(\"a\")?.next().await?.rest().await",
                                ::core::module_path!(),
                                ::core::file!(),
                                ::core::line!(),
                                ::core::column!(),
                                3u32,
                                60u32,
                            );
                            &AWAIT
                        },
                        ::diagnose::__private::ended(
                                &__DIAGNOSE_SITE,
                                ::diagnose::__private::at(
                                        {
                                            static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                                &AWAIT,
                                                &__DIAGNOSE_SITE,
                                                "source.get(\"a\")?.next().await",
                                                ::core::module_path!(),
                                                ::core::file!(),
                                                ::core::line!(),
                                                ::core::column!(),
                                                3u32,
                                                46u32,
                                            );
                                            &AWAIT
                                        },
                                        source.get("a")?.next(),
                                    )
                                    .await,
                            )?
                            .rest(),
                    )
                    .await,
            );
            let block = {
                static __DIAGNOSE_SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
                    ::diagnose::__private::Kind::Block,
                    "{block}",
                    ::core::module_path!(),
                    ::core::file!(),
                    ::core::line!(),
                    ::core::column!(),
                );
                ::diagnose::__private::Timed::new(
                    &__DIAGNOSE_SITE,
                    ::diagnose::__private::Label::NONE,
                    async move {
                        ::diagnose::__private::ended(
                            &__DIAGNOSE_SITE,
                            ::diagnose::__private::at(
                                    {
                                        static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                            &AWAIT,
                                            &__DIAGNOSE_SITE,
                                            "first.await",
                                            ::core::module_path!(),
                                            ::core::file!(),
                                            ::core::line!(),
                                            ::core::column!(),
                                            4u32,
                                            41u32,
                                        );
                                        &AWAIT
                                    },
                                    first,
                                )
                                .await,
                        )
                    },
                )
            };
            let folded = ::diagnose::__private::ended(
                &__DIAGNOSE_SITE,
                ::diagnose::__private::at(
                        {
                            static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                &AWAIT,
                                &__DIAGNOSE_SITE,
                                "source.fold(0, async |sum, next| sum + next.await).await",
                                ::core::module_path!(),
                                ::core::file!(),
                                ::core::line!(),
                                ::core::column!(),
                                5u32,
                                74u32,
                            );
                            &AWAIT
                        },
                        source
                            .fold(
                                0,
                                async |sum, next| {
                                    static __DIAGNOSE_SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
                                        ::diagnose::__private::Kind::Block,
                                        "{block}",
                                        ::core::module_path!(),
                                        ::core::file!(),
                                        ::core::line!(),
                                        ::core::column!(),
                                    );
                                    ::diagnose::__private::Timed::new(
                                            &__DIAGNOSE_SITE,
                                            ::diagnose::__private::Label::NONE,
                                            async {
                                                sum
                                                    + ::diagnose::__private::ended(
                                                        &__DIAGNOSE_SITE,
                                                        ::diagnose::__private::at(
                                                                {
                                                                    static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                                                        &AWAIT,
                                                                        &__DIAGNOSE_SITE,
                                                                        "next.await",
                                                                        ::core::module_path!(),
                                                                        ::core::file!(),
                                                                        ::core::line!(),
                                                                        ::core::column!(),
                                                                        5u32,
                                                                        67u32,
                                                                    );
                                                                    &AWAIT
                                                                },
                                                                next,
                                                            )
                                                            .await,
                                                    )
                                            },
                                        )
                                        .await
                                },
                            ),
                    )
                    .await,
            );
            if let Some(item) = ::diagnose::__private::ended(
                &__DIAGNOSE_SITE,
                ::diagnose::__private::at(
                        {
                            static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                &AWAIT,
                                &__DIAGNOSE_SITE,
                                "(&mut block).await",
                                ::core::module_path!(),
                                ::core::file!(),
                                ::core::line!(),
                                ::core::column!(),
                                6u32,
                                43u32,
                            );
                            &AWAIT
                        },
                        &mut block,
                    )
                    .await,
            ) {
                return Ok(
                    ::diagnose::__private::ended(
                        &__DIAGNOSE_SITE,
                        ::diagnose::__private::at(
                                {
                                    static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                        &AWAIT,
                                        &__DIAGNOSE_SITE,
                                        "item.await",
                                        ::core::module_path!(),
                                        ::core::file!(),
                                        ::core::line!(),
                                        ::core::column!(),
                                        7u32,
                                        29u32,
                                    );
                                    &AWAIT
                                },
                                item,
                            )
                            .await,
                    )
                        + ::diagnose::__private::ended(
                            &__DIAGNOSE_SITE,
                            ::diagnose::__private::at(
                                    {
                                        static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                            &AWAIT,
                                            &__DIAGNOSE_SITE,
                                            "{ folded }.await",
                                            ::core::module_path!(),
                                            ::core::file!(),
                                            ::core::line!(),
                                            ::core::column!(),
                                            7u32,
                                            48u32,
                                        );
                                        &AWAIT
                                    },
                                    {
                                        const _: () = ();
                                        folded
                                    },
                                )
                                .await,
                        ),
                );
            }
            ::diagnose::__private::ended(
                &__DIAGNOSE_SITE,
                ::diagnose::__private::at(
                        {
                            static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                &AWAIT,
                                &__DIAGNOSE_SITE,
                                "async { source.none().await }.await",
                                ::core::module_path!(),
                                ::core::file!(),
                                ::core::line!(),
                                ::core::column!(),
                                10u32,
                                40u32,
                            );
                            &AWAIT
                        },
                        async { source.none().await },
                    )
                    .await,
            );
            println!(
                "{} {value}", ::diagnose::__private::ended(& __DIAGNOSE_SITE,
                ::diagnose::__private::at({ static AWAIT : ::diagnose::__private::Await =
                ::diagnose::__private::Await::new(& AWAIT, & __DIAGNOSE_SITE,
                "source.name().await", ::core::module_path!(), ::core::file!(),
                ::core::line!(), ::core::column!(), 11u32, 47u32,); & AWAIT }, source
                .name()). await), value = 1
            );
            unknown!(source.name(). await);
            ::diagnose::__private::ended(
                &__DIAGNOSE_SITE,
                ::diagnose::__private::at(
                        {
                            static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                &AWAIT,
                                &__DIAGNOSE_SITE,
                                "source.with(|item| {…}).await",
                                ::core::module_path!(),
                                ::core::file!(),
                                ::core::line!(),
                                ::core::column!(),
                                17u32,
                                15u32,
                            );
                            &AWAIT
                        },
                        source.with(|item| { item + 1 }),
                    )
                    .await,
            )
        },
    )
}
