fn blocks() -> impl ::core::future::Future<Output = ()> {
    static __DIAGNOSE_SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
        ::diagnose::__private::Kind::Fn,
        "blocks",
        ::core::module_path!(),
        ::core::file!(),
        ::core::line!(),
        ::core::column!(),
    );
    ::diagnose::__private::Timed::new(
        &__DIAGNOSE_SITE,
        ::diagnose::__private::Label::NONE,
        async move {
            if false {
                return;
            }
            ::diagnose::__private::ended(
                &__DIAGNOSE_SITE,
                ::diagnose::__private::at(
                        {
                            static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                &AWAIT,
                                &__DIAGNOSE_SITE,
                                "async { one().await }.await",
                                ::core::module_path!(),
                                ::core::file!(),
                                ::core::line!(),
                                ::core::column!(),
                                4u32,
                                32u32,
                            );
                            &AWAIT
                        },
                        {
                            static __DIAGNOSE_SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
                                ::diagnose::__private::Kind::Block,
                                "first",
                                ::core::module_path!(),
                                ::core::file!(),
                                ::core::line!(),
                                ::core::column!(),
                            );
                            ::diagnose::__private::Timed::new(
                                &__DIAGNOSE_SITE,
                                ::diagnose::__private::Label::NONE,
                                async {
                                    ::diagnose::__private::ended(
                                        &__DIAGNOSE_SITE,
                                        ::diagnose::__private::at(
                                                {
                                                    static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                                        &AWAIT,
                                                        &__DIAGNOSE_SITE,
                                                        "one().await",
                                                        ::core::module_path!(),
                                                        ::core::file!(),
                                                        ::core::line!(),
                                                        ::core::column!(),
                                                        4u32,
                                                        24u32,
                                                    );
                                                    &AWAIT
                                                },
                                                one(),
                                            )
                                            .await,
                                    )
                                },
                            )
                        },
                    )
                    .await,
            )?;
            join!(
                { static __DIAGNOSE_SITE : ::diagnose::__private::Site =
                ::diagnose::__private::Site::new(::diagnose::__private::Kind::Block,
                "{block}", ::core::module_path!(), ::core::file!(), ::core::line!(),
                ::core::column!(),); ::diagnose::__private::Timed::new(& __DIAGNOSE_SITE,
                ::diagnose::__private::Label::NONE, async move {
                ::diagnose::__private::ended(& __DIAGNOSE_SITE,
                ::diagnose::__private::at({ static AWAIT : ::diagnose::__private::Await =
                ::diagnose::__private::Await::new(& AWAIT, & __DIAGNOSE_SITE,
                "two().await", ::core::module_path!(), ::core::file!(), ::core::line!(),
                ::core::column!(), 5u32, 47u32,); & AWAIT }, two()). await) }) },
                ::diagnose::__private::arm({ static AWAIT : ::diagnose::__private::Await
                = ::diagnose::__private::Await::new(& AWAIT, & __DIAGNOSE_SITE,
                "three()", ::core::module_path!(), ::core::file!(), ::core::line!(),
                ::core::column!(), 5u32, 58u32,).joined(); & AWAIT }, three())
            );
        },
    )
}
