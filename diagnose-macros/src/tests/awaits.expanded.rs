#[allow(clippy::async_yields_async)]
#[inline]
fn awaits<T: Source>(
    source: &T,
) -> impl ::core::future::Future<Output = Result<u32, Error>> {
    static __DIAGNOSE_BODY: ::diagnose::__private::Body<
        (
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
        ),
    > = ::diagnose::__private::Body {
        site: ::diagnose::__private::Site::new(
            ::diagnose::__private::SiteKind::Fn,
            "awaits",
            ::core::module_path!(),
        ),
        awaits: (
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "source.get(\"a\")?.next().await",
                    3u32,
                    46u32,
                )
                .used(b'u', b'm'),
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "source.get(\"a\")?.next().await?.rest().await",
                    3u32,
                    60u32,
                )
                .used(b'u', b'm'),
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "source.fold(0, async |sum, next| sum + next.await).await",
                    5u32,
                    74u32,
                )
                .used(b'u', b'm'),
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "(&mut block).await",
                    6u32,
                    43u32,
                )
                .used(b'u', b'm'),
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "item.await",
                    7u32,
                    29u32,
                )
                .used(b'u', b'm'),
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "{ folded }.await",
                    7u32,
                    48u32,
                )
                .used(b'u', b'm'),
            ::diagnose::__private::Site::at(
                &__DIAGNOSE_BODY.site,
                "async { source.none().await }.await",
                10u32,
                40u32,
            ),
            ::diagnose::__private::Site::at(
                &__DIAGNOSE_BODY.site,
                "::std::future::ready(()).await",
                11u32,
                35u32,
            ),
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "source.name().await",
                    12u32,
                    47u32,
                )
                .used(b'u', b'm'),
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "unknown!(source.name().await)",
                    13u32,
                    34u32,
                )
                .used(b'm', b'm'),
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "source.with(|item| {…}).await",
                    18u32,
                    15u32,
                )
                .used(b'u', b'r'),
        ),
    };
    #[allow(clippy::implicit_return)]
    ::diagnose::__private::Timed::new(
        ::diagnose::__private::Span::new(
            &__DIAGNOSE_BODY.site,
            ::diagnose::__private::Label::NONE,
        ),
        async move {
            {
                _ = &source;
            }
            if false {
                return ::diagnose::__private::expected::<Result<u32, Error>>();
            }
            let first = ::diagnose::__private::ended(
                ::diagnose::__private::at(
                        &__DIAGNOSE_BODY.awaits.1,
                        ::diagnose::__private::ended(
                                ::diagnose::__private::at(
                                        &__DIAGNOSE_BODY.awaits.0,
                                        source.get("a")?.next(),
                                    )
                                    .await,
                                &__DIAGNOSE_BODY.site,
                            )?
                            .rest(),
                    )
                    .await,
                &__DIAGNOSE_BODY.site,
            );
            let block = {
                static __DIAGNOSE_BODY: ::diagnose::__private::Body<
                    (::diagnose::__private::Site,),
                > = ::diagnose::__private::Body {
                    site: ::diagnose::__private::Site::new(
                        ::diagnose::__private::SiteKind::Block,
                        "{block}",
                        ::core::module_path!(),
                    ),
                    awaits: (
                        ::diagnose::__private::Site::at(
                                &__DIAGNOSE_BODY.site,
                                "first.await",
                                4u32,
                                41u32,
                            )
                            .used(b'u', b'm'),
                    ),
                };
                ::diagnose::__private::Timed::new(
                    ::diagnose::__private::Span::new(
                        &__DIAGNOSE_BODY.site,
                        ::diagnose::__private::Label::NONE,
                    ),
                    async move {
                        #[allow(unreachable_code)]
                        ::diagnose::__private::ended(
                            ::diagnose::__private::at(&__DIAGNOSE_BODY.awaits.0, first)
                                .await,
                            &__DIAGNOSE_BODY.site,
                        )
                    },
                )
            };
            let folded = ::diagnose::__private::ended(
                ::diagnose::__private::at(
                        &__DIAGNOSE_BODY.awaits.2,
                        source
                            .fold(
                                0,
                                async |sum, next| {
                                    static __DIAGNOSE_BODY: ::diagnose::__private::Body<
                                        (::diagnose::__private::Site,),
                                    > = ::diagnose::__private::Body {
                                        site: ::diagnose::__private::Site::new(
                                            ::diagnose::__private::SiteKind::Block,
                                            "{block}",
                                            ::core::module_path!(),
                                        ),
                                        awaits: (
                                            ::diagnose::__private::Site::at(
                                                    &__DIAGNOSE_BODY.site,
                                                    "next.await",
                                                    5u32,
                                                    67u32,
                                                )
                                                .used(b'u', b'm'),
                                        ),
                                    };
                                    ::diagnose::__private::Timed::new(
                                            ::diagnose::__private::Span::new(
                                                &__DIAGNOSE_BODY.site,
                                                ::diagnose::__private::Label::NONE,
                                            ),
                                            async {
                                                if false {
                                                    let _owned = next;
                                                    let _owned = sum;
                                                    loop {}
                                                }
                                                sum
                                                    + ::diagnose::__private::ended(
                                                        ::diagnose::__private::at(&__DIAGNOSE_BODY.awaits.0, next)
                                                            .await,
                                                        &__DIAGNOSE_BODY.site,
                                                    )
                                            },
                                        )
                                        .await
                                },
                            ),
                    )
                    .await,
                &__DIAGNOSE_BODY.site,
            );
            if let Some(item) = ::diagnose::__private::ended(
                ::diagnose::__private::at(&__DIAGNOSE_BODY.awaits.3, &mut block).await,
                &__DIAGNOSE_BODY.site,
            ) {
                return Ok(
                    ::diagnose::__private::ended(
                        ::diagnose::__private::at(&__DIAGNOSE_BODY.awaits.4, item).await,
                        &__DIAGNOSE_BODY.site,
                    )
                        + ::diagnose::__private::ended(
                            ::diagnose::__private::at(
                                    &__DIAGNOSE_BODY.awaits.5,
                                    {
                                        const _: () = ();
                                        folded
                                    },
                                )
                                .await,
                            &__DIAGNOSE_BODY.site,
                        ),
                );
            }
            ::diagnose::__private::ended(
                ::diagnose::__private::at(
                        &__DIAGNOSE_BODY.awaits.6,
                        async { source.none().await },
                    )
                    .await,
                &__DIAGNOSE_BODY.site,
            );
            ::diagnose::__private::ended(
                ::diagnose::__private::at(
                        &__DIAGNOSE_BODY.awaits.7,
                        ::std::future::ready(()),
                    )
                    .await,
                &__DIAGNOSE_BODY.site,
            );
            println!(
                "{} {value}", ::diagnose::__private::ended(::diagnose::__private::at(&
                __DIAGNOSE_BODY.awaits.8, source.name()). await, & __DIAGNOSE_BODY.site),
                value = 1
            );
            let __diagnose_macro = ::diagnose::__private::InMacro::begin(
                &__DIAGNOSE_BODY.awaits.9,
                || (),
            );
            unknown!(source.name(). await);
            #[allow(unreachable_code)] __diagnose_macro.end();
            #[allow(unreachable_code)]
            ::diagnose::__private::ended(
                ::diagnose::__private::at(
                        &__DIAGNOSE_BODY.awaits.10,
                        source.with(|item| { item + 1 }),
                    )
                    .await,
                &__DIAGNOSE_BODY.site,
            )
        },
    )
}
