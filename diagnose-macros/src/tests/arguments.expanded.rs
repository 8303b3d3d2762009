fn get(user: u64) -> impl ::core::future::Future<Output = ()> {
    let __diagnose_site = {
        static SITE: my::diagnose::__private::Site = my::diagnose::__private::Site::new(
            my::diagnose::__private::Kind::Task,
            "GET /user",
            ::core::module_path!(),
            ::core::file!(),
            ::core::line!(),
            ::core::column!(),
        );
        &SITE
    };
    my::diagnose::__private::Timed::new(
        __diagnose_site,
        my::diagnose::__private::Label::of(
            __diagnose_site,
            || {
                #[allow(clippy::used_underscore_binding)]
                let __diagnose_text = ::std::format!("user={user}");
                __diagnose_text
            },
        ),
        async move {
            {
                _ = &user;
            }
            if false {
                return;
            }
            work().await;
        },
    )
}
