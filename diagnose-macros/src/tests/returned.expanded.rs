fn returned(&self) -> BoxFuture<'_, u32> {
    static __DIAGNOSE_BODY: ::diagnose::__private::Body<()> = ::diagnose::__private::Body {
        site: ::diagnose::__private::Site::new(
            ::diagnose::__private::SiteKind::Fn,
            "returned",
            ::core::module_path!(),
        ),
        awaits: (),
    };
    let __diagnose_label = ::diagnose::__private::Label::NONE;
    let __diagnose_future: BoxFuture<'_, u32> = ::diagnose::__private::call_once(move || -> BoxFuture<
        '_,
        u32,
    > {
        if self.is_done {
            return Box::pin(async { 1 });
        }
        Box::pin(async move {
            let inner = {
                static __DIAGNOSE_BODY: ::diagnose::__private::Body<()> = ::diagnose::__private::Body {
                    site: ::diagnose::__private::Site::new(
                        ::diagnose::__private::SiteKind::Block,
                        "{block}",
                        ::core::module_path!(),
                    ),
                    awaits: (),
                };
                ::diagnose::__private::Timed::new(
                    ::diagnose::__private::Span::new(
                        &__DIAGNOSE_BODY.site,
                        ::diagnose::__private::Label::NONE,
                    ),
                    async { two().await },
                )
            };
            inner.await
        })
    });
    #[allow(unreachable_code, clippy::implicit_return)]
    ::diagnose::__private::Box::pin(
        ::diagnose::__private::Timed::new(
            ::diagnose::__private::Span::new(&__DIAGNOSE_BODY.site, __diagnose_label),
            __diagnose_future,
        ),
    )
}
