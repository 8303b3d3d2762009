#[tokio::main]
async fn main() {
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
                18u32,
            ),
        ),
    };
    #[allow(clippy::implicit_return)]
    ::diagnose::__private::Timed::new(
            ::diagnose::__private::Span::new(
                &__DIAGNOSE_BODY.site,
                ::diagnose::__private::Label::NONE,
            ),
            async move {
                if false {
                    return;
                }
                #[allow(unreachable_code)]
                ::diagnose::__private::ended(
                    ::diagnose::__private::at(&__DIAGNOSE_BODY.awaits.0, serve()).await,
                    &__DIAGNOSE_BODY.site,
                );
            },
        )
        .await
}
