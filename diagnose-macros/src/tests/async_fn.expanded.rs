#[allow(clippy::async_yields_async)]
fn get(key: u64) -> impl ::core::future::Future<Output = Option<u64>> {
    let __diagnose_site = {
        static SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
            ::diagnose::__private::Kind::Fn,
            "get",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            ::core::column!(),
        );
        &SITE
    };
    ::diagnose::__private::Timed::new(
        __diagnose_site,
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
            map().await.get(&key)
        },
    )
}
