#[allow(clippy::async_yields_async)]
#[inline]
fn instrumented(n: u32) -> impl ::core::future::Future<Output = Result<u32, Error>> {
    static __DIAGNOSE_BODY: ::diagnose::__private::Body<
        (::diagnose::__private::Site, ::diagnose::__private::Site),
    > = ::diagnose::__private::Body {
        site: ::diagnose::__private::Site::new(
            ::diagnose::__private::SiteKind::Fn,
            "instrumented",
            ::core::module_path!(),
        ),
        awaits: (
            ::diagnose::__private::Site::at(
                &__DIAGNOSE_BODY.site,
                "sleep(n).await",
                6u32,
                27u32,
            ),
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "own.await",
                    8u32,
                    25u32,
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
                _ = &n;
            }
            if false {
                return ::diagnose::__private::expected::<Result<u32, Error>>();
            }
            let __tracing_attr_span = span();
            let __tracing_instrument_future = ::diagnose::__private::Inline::new(async move {
                match async move {
                    ::diagnose::__private::ended(
                        ::diagnose::__private::at(&__DIAGNOSE_BODY.awaits.0, sleep(n))
                            .await,
                        &__DIAGNOSE_BODY.site,
                    );
                    let own = {
                        static __DIAGNOSE_BODY: ::diagnose::__private::Body<()> = ::diagnose::__private::Body {
                            site: ::diagnose::__private::Site::new(
                                ::diagnose::__private::SiteKind::Block,
                                "{block}",
                                ::core::module_path!(),
                            ),
                            awaits: (),
                        };
                        ::diagnose::__private::Timed::new(
                            ::diagnose::__private::Span::new(
                                &__DIAGNOSE_BODY.site,
                                ::diagnose::__private::Label::NONE,
                            ),
                            async { n },
                        )
                    };
                    Ok(
                        ::diagnose::__private::ended(
                            ::diagnose::__private::at(&__DIAGNOSE_BODY.awaits.1, own)
                                .await,
                            &__DIAGNOSE_BODY.site,
                        ),
                    )
                }
                    .await
                {
                    Ok(x) => Ok(x),
                    Err(e) => {
                        event(&e);
                        Err(e)
                    }
                }
            });
            if !__tracing_attr_span.is_disabled() {
                Instrument::instrument(__tracing_instrument_future, __tracing_attr_span)
                    .await
            } else {
                __tracing_instrument_future.await
            }
        },
    )
}
