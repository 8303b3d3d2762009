#[tokio::main]
async fn main() {
    static __DIAGNOSE_SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
        ::diagnose::__private::Kind::Fn,
        "main",
        ::core::module_path!(),
        ::core::file!(),
        ::core::line!(),
        ::core::column!(),
    );
    ::diagnose::__private::Timed::new(
            &__DIAGNOSE_SITE,
            ::diagnose::__private::Label::NONE,
            async move {
                if false {
                    return;
                }
                ::diagnose::__private::ended(
                    &__DIAGNOSE_SITE,
                    ::diagnose::__private::at(
                            {
                                static AWAIT: ::diagnose::__private::Await = ::diagnose::__private::Await::new(
                                    &AWAIT,
                                    &__DIAGNOSE_SITE,
                                    "serve().await",
                                    ::core::module_path!(),
                                    ::core::file!(),
                                    ::core::line!(),
                                    ::core::column!(),
                                    4u32,
                                    18u32,
                                );
                                &AWAIT
                            },
                            serve(),
                        )
                        .await,
                );
            },
        )
        .await
}
