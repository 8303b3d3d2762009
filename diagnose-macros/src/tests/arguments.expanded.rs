fn get(user: u64) -> impl ::core::future::Future<Output = ()> {
    static __DIAGNOSE_SITE: my::diagnose::__private::Site = my::diagnose::__private::Site::new(
        my::diagnose::__private::Kind::Task,
        "GET /user",
        ::core::module_path!(),
        ::core::file!(),
        ::core::line!(),
        ::core::column!(),
    );
    my::diagnose::__private::Timed::new(
        &__DIAGNOSE_SITE,
        my::diagnose::__private::Label::of(
            &__DIAGNOSE_SITE,
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
            my::diagnose::__private::ended(
                &__DIAGNOSE_SITE,
                my::diagnose::__private::at(
                        {
                            static AWAIT: my::diagnose::__private::Await = my::diagnose::__private::Await::new(
                                &AWAIT,
                                &__DIAGNOSE_SITE,
                                "work().await",
                                ::core::module_path!(),
                                ::core::file!(),
                                ::core::line!(),
                                ::core::column!(),
                                3u32,
                                17u32,
                            );
                            &AWAIT
                        },
                        work(),
                    )
                    .await,
            );
        },
    )
}
