#[allow(unreachable_code)]
#[allow(clippy::async_yields_async)]
async fn serve() -> ! {
    static __DIAGNOSE_BODY: ::diagnose::__private::Body<
        (::diagnose::__private::Site,),
    > = ::diagnose::__private::Body {
        site: ::diagnose::__private::Site::new(
            ::diagnose::__private::SiteKind::Fn,
            "serve",
            ::core::module_path!(),
        ),
        awaits: (
            ::diagnose::__private::Site::at(
                &__DIAGNOSE_BODY.site,
                "accept().await",
                4u32,
                23u32,
            ),
        ),
    };
    ::diagnose::__private::Timed::new(
            ::diagnose::__private::Span::new(
                &__DIAGNOSE_BODY.site,
                ::diagnose::__private::Label::NONE,
            ),
            {
                trait __DiagnoseReturned {
                    type Type;
                }
                impl<T> __DiagnoseReturned for fn() -> T {
                    type Type = T;
                }
                fn __diagnose_diverging<F>(future: F) -> F
                where
                    F: ::core::future::Future<
                        Output = <fn() -> ! as __DiagnoseReturned>::Type,
                    >,
                {
                    future
                }
                __diagnose_diverging(async move {
                    loop {
                        #[allow(unreachable_code)]
                        ::diagnose::__private::ended(
                            ::diagnose::__private::at(
                                    &__DIAGNOSE_BODY.awaits.0,
                                    accept(),
                                )
                                .await,
                            &__DIAGNOSE_BODY.site,
                        );
                    }
                })
            },
        )
        .await;
    loop {}
}
