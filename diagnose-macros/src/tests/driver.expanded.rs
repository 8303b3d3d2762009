fn main(port: u16) {
    static __DIAGNOSE_BODY: ::diagnose::__private::Body<()> = ::diagnose::__private::Body {
        site: ::diagnose::__private::Site::new(
            ::diagnose::__private::SiteKind::Fn,
            "main",
            ::core::module_path!(),
        ),
        awaits: (),
    };
    let __diagnose_label = ::diagnose::__private::Label::of(
        &__DIAGNOSE_BODY.site,
        || {
            #[allow(clippy::used_underscore_binding)]
            let __diagnose_text = ::diagnose::__private::format!("{port}");
            __diagnose_text
        },
    );
    let body = serve(port);
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
