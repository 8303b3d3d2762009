#[inline]
fn blocks() -> impl ::core::future::Future<Output = ()> {
    static __DIAGNOSE_BODY: ::diagnose::__private::Body<
        (::diagnose::__private::Site,),
    > = ::diagnose::__private::Body {
        site: ::diagnose::__private::Site::new(
            ::diagnose::__private::SiteKind::Fn,
            "blocks",
            ::core::module_path!(),
        ),
        awaits: (
            ::diagnose::__private::Site::at(
                &__DIAGNOSE_BODY.site,
                "async { one().await }.await",
                4u32,
                32u32,
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
            ::diagnose::__private::ended(
                ::diagnose::__private::at(
                        &__DIAGNOSE_BODY.awaits.0,
                        {
                            const _: () = ();
                            static __DIAGNOSE_BODY: ::diagnose::__private::Body<
                                (::diagnose::__private::Site,),
                            > = ::diagnose::__private::Body {
                                site: ::diagnose::__private::Site::new(
                                    ::diagnose::__private::SiteKind::Block,
                                    "first",
                                    ::core::module_path!(),
                                ),
                                awaits: (
                                    ::diagnose::__private::Site::at(
                                            &__DIAGNOSE_BODY.site,
                                            "one().await",
                                            4u32,
                                            24u32,
                                        )
                                        .used(b'u', b'm'),
                                ),
                            };
                            ::diagnose::__private::Timed::new(
                                ::diagnose::__private::Span::new(
                                    &__DIAGNOSE_BODY.site,
                                    ::diagnose::__private::Label::NONE,
                                ),
                                async {
                                    #[allow(unreachable_code)]
                                    ::diagnose::__private::ended(
                                        ::diagnose::__private::at(&__DIAGNOSE_BODY.awaits.0, one())
                                            .await,
                                        &__DIAGNOSE_BODY.site,
                                    )
                                },
                            )
                        },
                    )
                    .await,
                &__DIAGNOSE_BODY.site,
            )?;
            join!(
                { static __DIAGNOSE_BODY : ::diagnose::__private::Body <
                (::diagnose::__private::Site,) > = ::diagnose::__private::Body { site :
                ::diagnose::__private::Site::new(::diagnose::__private::SiteKind::Block,
                "{block}", ::core::module_path!()), awaits :
                (::diagnose::__private::Site::at(& __DIAGNOSE_BODY.site, "two().await",
                5u32, 47u32).used(b'u', b'm'),) };
                ::diagnose::__private::Timed::new(::diagnose::__private::Span::new(&
                __DIAGNOSE_BODY.site, ::diagnose::__private::Label::NONE), async move {
                #[allow(unreachable_code)]
                ::diagnose::__private::ended(::diagnose::__private::at(& __DIAGNOSE_BODY
                .awaits.0, two()). await, & __DIAGNOSE_BODY.site) }) },
                ::diagnose::__private::arm({ static ARM : ::diagnose::__private::Arm =
                ::diagnose::__private::Arm::new(& ARM, & __DIAGNOSE_BODY.site, "three()",
                5u32, 58u32).joined().used(b'u', b'm'); & ARM }, three())
            );
        },
    )
}
