fn blocks() -> impl ::core::future::Future<Output = ()> {
    let __diagnose_site = {
        static SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
            ::diagnose::__private::Kind::Fn,
            "blocks",
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
            if false {
                return;
            }
            {
                let __diagnose_site = {
                    static SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
                        ::diagnose::__private::Kind::Block,
                        "first",
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
                    async { one().await },
                )
            }
                .await?;
            join!(
                { let __diagnose_site = { static SITE : ::diagnose::__private::Site =
                ::diagnose::__private::Site::new(::diagnose::__private::Kind::Block,
                "{block}", ::core::module_path!(), ::core::file!(), ::core::line!(),
                ::core::column!(),); & SITE };
                ::diagnose::__private::Timed::new(__diagnose_site,
                ::diagnose::__private::Label::NONE, async move { two(). await }) },
                three()
            );
        },
    )
}
