#[inline]
fn get(user: u64) -> impl ::core::future::Future<Output = ()> {
    static __DIAGNOSE_BODY: my::diagnose::__private::Body<
        (my::diagnose::__private::Site,),
    > = my::diagnose::__private::Body {
        site: my::diagnose::__private::Site::new(
            my::diagnose::__private::SiteKind::Task,
            "GET /user",
            ::core::module_path!(),
        ),
        awaits: (
            my::diagnose::__private::Site::at(
                &__DIAGNOSE_BODY.site,
                "work().await",
                3u32,
                17u32,
            ),
        ),
    };
    #[allow(clippy::implicit_return)]
    my::diagnose::__private::Timed::new(
        my::diagnose::__private::Span::new(
            &__DIAGNOSE_BODY.site,
            my::diagnose::__private::Label::of(
                &__DIAGNOSE_BODY.site,
                || {
                    #[allow(clippy::used_underscore_binding)]
                    let __diagnose_text = my::diagnose::__private::format!(
                        "user={user}"
                    );
                    __diagnose_text
                },
            ),
        ),
        async move {
            {
                _ = &user;
            }
            if false {
                return;
            }
            #[allow(unreachable_code)]
            my::diagnose::__private::ended(
                my::diagnose::__private::at(&__DIAGNOSE_BODY.awaits.0, work()).await,
                &__DIAGNOSE_BODY.site,
            );
        },
    )
}
