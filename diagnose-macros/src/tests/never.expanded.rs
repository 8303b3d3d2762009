#[allow(unreachable_code)]
#[allow(clippy::async_yields_async)]
async fn serve() -> ! {
    static __DIAGNOSE_SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
        ::diagnose::__private::Kind::Fn,
        "serve",
        ::core::module_path!(),
        ::core::file!(),
        ::core::line!(),
        ::core::column!(),
    );
    ::diagnose::__private::Timed::new(
            &__DIAGNOSE_SITE,
            ::diagnose::__private::Label::NONE,
            {
                trait Returned {
                    type Type;
                }
                impl<T> Returned for fn() -> T {
                    type Type = T;
                }
                fn diverging<
                    F: ::core::future::Future<Output = <fn() -> ! as Returned>::Type>,
                >(future: F) -> F {
                    future
                }
                diverging(async move {
                    loop {
                        ::diagnose::__private::ended(
                            &__DIAGNOSE_SITE,
                            ::diagnose::__private::at(
                                    {
                                        static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                            &AWAIT,
                                            &__DIAGNOSE_SITE,
                                            "accept().await",
                                            ::core::module_path!(),
                                            ::core::file!(),
                                            ::core::line!(),
                                            ::core::column!(),
                                            4u32,
                                            23u32,
                                        );
                                        &AWAIT
                                    },
                                    accept(),
                                )
                                .await,
                        );
                    }
                })
            },
        )
        .await;
    loop {}
}
