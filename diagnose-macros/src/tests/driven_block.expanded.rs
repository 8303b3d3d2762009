fn main() {
    static __DIAGNOSE_BODY: ::diagnose::__private::Body<
        (::diagnose::__private::Site,),
    > = ::diagnose::__private::Body {
        site: ::diagnose::__private::Site::new(
            ::diagnose::__private::SiteKind::Fn,
            "main",
            ::core::module_path!(),
        ),
        awaits: (
            ::diagnose::__private::Site::at(
                &__DIAGNOSE_BODY.site,
                "serve().await",
                4u32,
                22u32,
            ),
        ),
    };
    let __diagnose_label = ::diagnose::__private::Label::NONE;
    let body = async {
        #[allow(unreachable_code)]
        ::diagnose::__private::ended(
            ::diagnose::__private::at(&__DIAGNOSE_BODY.awaits.0, serve()).await,
            &__DIAGNOSE_BODY.site,
        );
    };
    let body = {
        if false {
            let _: &dyn ::core::future::Future<Output = ()> = &body;
        }
        body
    };
    {
        return build()
            .expect("a runtime")
            .block_on(
                match body {
                    __diagnose_future => {
                        ::diagnose::__private::Driven::of(&__diagnose_future)
                            .timed(
                                ::diagnose::__private::Span::new(
                                    &__DIAGNOSE_BODY.site,
                                    __diagnose_label,
                                ),
                                __diagnose_future,
                            )
                    }
                },
            );
    }
}
