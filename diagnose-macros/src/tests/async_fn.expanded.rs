#[allow(clippy::async_yields_async)]
fn get(key: u64) -> impl ::core::future::Future<Output = Option<u64>> {
    static __DIAGNOSE_SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
        ::diagnose::__private::Kind::Fn,
        "get",
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
                _ = &key;
            }
            if false {
                if let ::core::option::Option::<
                    Option<u64>,
                >::Some(__diagnose_expected) = ::core::option::Option::None {
                    return __diagnose_expected;
                }
            }
            ::diagnose::__private::ended(
                    &__DIAGNOSE_SITE,
                    ::diagnose::__private::at(
                            {
                                static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                    &AWAIT,
                                    &__DIAGNOSE_SITE,
                                    "map().await",
                                    ::core::module_path!(),
                                    ::core::file!(),
                                    ::core::line!(),
                                    ::core::column!(),
                                    3u32,
                                    16u32,
                                );
                                &AWAIT
                            },
                            map(),
                        )
                        .await,
                )
                .get(&key)
        },
    )
}
