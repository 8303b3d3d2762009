#[allow(clippy::async_yields_async)]
#[inline]
fn get(key: u64) -> impl ::core::future::Future<Output = Option<u64>> {
    static __DIAGNOSE_BODY: ::diagnose::__private::Body<
        (::diagnose::__private::Site,),
    > = ::diagnose::__private::Body {
        site: ::diagnose::__private::Site::new(
            ::diagnose::__private::SiteKind::Fn,
            "get",
            ::core::module_path!(),
        ),
        awaits: (
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "map().await",
                    3u32,
                    16u32,
                )
                .used(b'u', b'm'),
        ),
    };
    #[allow(clippy::implicit_return)]
    ::diagnose::__private::Timed::new(
        ::diagnose::__private::Span::new(
            &__DIAGNOSE_BODY.site,
            ::diagnose::__private::Label::NONE,
        ),
        async move {
            {
                _ = &key;
            }
            if false {
                return ::diagnose::__private::expected::<Option<u64>>();
            }
            ::diagnose::__private::ended(
                    ::diagnose::__private::at(&__DIAGNOSE_BODY.awaits.0, map()).await,
                    &__DIAGNOSE_BODY.site,
                )
                .get(&key)
        },
    )
}
