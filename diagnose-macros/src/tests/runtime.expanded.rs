#[tokio::main]
async fn main() {
    let __diagnose_site = {
        static SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
            ::diagnose::__private::Kind::Fn,
            "main",
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
                serve().await;
            },
        )
        .await
}
