/// Documented.
#[allow(unused_braces)]
#[allow(clippy::async_yields_async)]
#[inline]
pub(crate) unsafe fn patterns<T: Copy, const N: usize>(
    &mut self,
    unused: T,
    _underscored: T,
    #[cfg(unix)]
    __diagnose_argument_3: (T, T),
    #[allow(unused_mut)]
    c: [T; N],
    __diagnose_argument_5: T,
) -> impl ::core::future::Future<Output = Result<impl Sized, Error>>
where
    T: Send,
{
    #![allow(clippy::all)]
    static __DIAGNOSE_BODY: ::diagnose::__private::Body<()> = ::diagnose::__private::Body {
        site: ::diagnose::__private::Site::new(
            ::diagnose::__private::SiteKind::Fn,
            "patterns",
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
            {
                _ = &__diagnose_argument_5;
            }
            {
                _ = &c;
            }
            #[cfg(unix)]
            {
                _ = &__diagnose_argument_3;
            }
            #[allow(
                clippy::no_effect_underscore_binding,
                clippy::used_underscore_binding
            )]
            {
                _ = &_underscored;
            }
            if false {
                let unused = &unused;
            }
            {
                _ = &self;
            }
            #[cfg(unix)]
            #[allow(unused_mut)]
            let mut __diagnose_argument_3 = __diagnose_argument_3;
            #[cfg(unix)]
            let (a, mut b) = __diagnose_argument_3;
            #[allow(unused_mut)]
            let mut c = c;
            {
                _ = &c;
            }
            let __diagnose_argument_5 = __diagnose_argument_5;
            if false {
                return ::diagnose::__private::expected::<Result<_, Error>>();
            }
            {
                use std::fmt;
                Ok((a, b, c))
            }
        },
    )
}
