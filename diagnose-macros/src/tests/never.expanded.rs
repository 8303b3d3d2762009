#[allow(unreachable_code)]
#[allow(clippy::async_yields_async)]
async fn serve() -> ! {
    let __diagnose_site = {
        static SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
            ::diagnose::__private::Kind::Fn,
            "serve",
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
                        accept().await;
                    }
                })
            },
        )
        .await;
    loop {}
}
