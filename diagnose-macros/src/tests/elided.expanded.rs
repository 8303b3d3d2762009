#[allow(clippy::async_yields_async)]
#[inline]
fn join<
    'a,
    #[allow(single_use_lifetimes)]
    '__diagnose_elided_0,
    #[allow(single_use_lifetimes)]
    '__diagnose_elided_1,
    T,
>(
    first: &'a str,
    texts: impl Iterator<
        Item = impl Into<Cow<'__diagnose_elided_0, T>>,
    > + '__diagnose_elided_1,
    other: &str,
    write: impl Fn(&str) -> &str,
) -> impl ::core::future::Future<Output = &'a str> {
    static __DIAGNOSE_BODY: ::diagnose::__private::Body<()> = ::diagnose::__private::Body {
        site: ::diagnose::__private::Site::new(
            ::diagnose::__private::SiteKind::Fn,
            "join",
            ::core::module_path!(),
        ),
        awaits: (),
    };
    #[allow(clippy::implicit_return)]
    ::diagnose::__private::Timed::new(
        ::diagnose::__private::Span::new(
            &__DIAGNOSE_BODY.site,
            ::diagnose::__private::Label::NONE,
        ),
        async move {
            if false {
                let write = &write;
            }
            if false {
                let other = &other;
            }
            if false {
                let texts = &texts;
            }
            {
                _ = &first;
            }
            if false {
                return ::diagnose::__private::expected::<&'a str>();
            }
            first
        },
    )
}
