fn returned(&self) -> BoxFuture<'_, u32> {
    static __DIAGNOSE_SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
        ::diagnose::__private::Kind::Fn,
        "returned",
        ::core::module_path!(),
        ::core::file!(),
        ::core::line!(),
        ::core::column!(),
    );
    let __diagnose_label = ::diagnose::__private::Label::NONE;
    let __diagnose_future: BoxFuture<'_, u32> = (move || -> BoxFuture<'_, u32> {
        if self.is_done {
            return Box::pin(async { 1 });
        }
        Box::pin(async move {
            let inner = {
                static __DIAGNOSE_SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
                    ::diagnose::__private::Kind::Block,
                    "{block}",
                    ::core::module_path!(),
                    ::core::file!(),
                    ::core::line!(),
                    ::core::column!(),
                );
                ::diagnose::__private::Timed::new(
                    &__DIAGNOSE_SITE,
                    ::diagnose::__private::Label::NONE,
                    async { two().await },
                )
            };
            inner.await
        })
    })();
    ::std::boxed::Box::pin(
        ::diagnose::__private::Timed::new(
            &__DIAGNOSE_SITE,
            __diagnose_label,
            __diagnose_future,
        ),
    )
}
