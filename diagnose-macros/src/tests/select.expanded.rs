#[inline]
fn selects() -> impl ::core::future::Future<Output = ()> {
    static __DIAGNOSE_BODY: ::diagnose::__private::Body<
        (
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
            ::diagnose::__private::Site,
        ),
    > = ::diagnose::__private::Body {
        site: ::diagnose::__private::Site::new(
            ::diagnose::__private::SiteKind::Fn,
            "selects",
            ::core::module_path!(),
        ),
        awaits: (
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "open().await",
                    6u32,
                    52u32,
                )
                .used(b'u', b'm'),
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "item.close().await",
                    6u32,
                    74u32,
                )
                .used(b'u', b'm'),
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "late().await",
                    7u32,
                    43u32,
                )
                .used(b'u', b'm'),
            ::diagnose::__private::Site::at(
                    &__DIAGNOSE_BODY.site,
                    "select! { recv(a) -> b => b.await }",
                    19u32,
                    40u32,
                )
                .used(b'm', b'm'),
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
            let (a, b) = tokio::join!(
                ::diagnose::__private::arm({ static ARM : ::diagnose::__private::Arm =
                ::diagnose::__private::Arm::new(& ARM, & __DIAGNOSE_BODY.site, "one()",
                3u32, 36u32).joined().used(b'u', b'm'); & ARM }, one()), { static
                __DIAGNOSE_BODY : ::diagnose::__private::Body <
                (::diagnose::__private::Site,) > = ::diagnose::__private::Body { site :
                ::diagnose::__private::Site::new(::diagnose::__private::SiteKind::Block,
                "{block}", ::core::module_path!()), awaits :
                (::diagnose::__private::Site::at(& __DIAGNOSE_BODY.site, "two().await",
                3u32, 57u32).used(b'u', b'm'),) };
                ::diagnose::__private::Timed::new(::diagnose::__private::Span::new(&
                __DIAGNOSE_BODY.site, ::diagnose::__private::Label::NONE), async {
                #[allow(unreachable_code)]
                ::diagnose::__private::ended(::diagnose::__private::at(& __DIAGNOSE_BODY
                .awaits.0, two()). await, & __DIAGNOSE_BODY.site) }) }
            );
            tokio::select! {
                biased; Some(item) = ::diagnose::__private::arm({ static ARM :
                ::diagnose::__private::Arm = ::diagnose::__private::Arm::new(& ARM, &
                __DIAGNOSE_BODY.site, "stream.next()", 6u32, 35u32).used(b'u', b'm'); &
                ARM }, stream.next()), if
                ::diagnose::__private::ended(::diagnose::__private::at(& __DIAGNOSE_BODY
                .awaits.0, open()). await, & __DIAGNOSE_BODY.site) =>
                ::diagnose::__private::ended(::diagnose::__private::at(& __DIAGNOSE_BODY
                .awaits.1, item.close()). await, & __DIAGNOSE_BODY.site), _ =
                ::diagnose::__private::arm({ static ARM : ::diagnose::__private::Arm =
                ::diagnose::__private::Arm::new(& ARM, & __DIAGNOSE_BODY.site,
                "&mut timeout", 7u32, 25u32); & ARM }, & mut timeout) => {
                #[allow(unreachable_code)]
                ::diagnose::__private::ended(::diagnose::__private::at(& __DIAGNOSE_BODY
                .awaits.2, late()). await, & __DIAGNOSE_BODY.site) } else => {}
            }
            futures::select! {
                item = ::diagnose::__private::arm({ static ARM :
                ::diagnose::__private::Arm = ::diagnose::__private::Arm::new(& ARM, &
                __DIAGNOSE_BODY.site, "stream.next()", 11u32, 29u32).used(b'u', b'm'); &
                ARM }, stream.next()) => item, _ = ::diagnose::__private::arm({ static
                ARM : ::diagnose::__private::Arm = ::diagnose::__private::Arm::new(& ARM,
                & __DIAGNOSE_BODY.site, "timeout", 12u32, 20u32); & ARM }, & mut timeout)
                => {} complete => return,
            }
            select! {
                _ = timeout => {} item = ::diagnose::__private::arm({ static ARM :
                ::diagnose::__private::Arm = ::diagnose::__private::Arm::new(& ARM, &
                __DIAGNOSE_BODY.site, "stream.next()", 17u32, 29u32).used(b'u', b'm'); &
                ARM }, stream.next()) => item,
            }
            let __diagnose_macro = ::diagnose::__private::InMacro::begin(
                &__DIAGNOSE_BODY.awaits.3,
                || (),
            );
            select! {
                recv(a) -> b => b. await
            }
            #[allow(unreachable_code)] __diagnose_macro.end();
            let all = async || {
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
                        async {
                            tokio::join!(
                                ::diagnose::__private::arm({ static ARM :
                                ::diagnose::__private::Arm =
                                ::diagnose::__private::Arm::new(& ARM, & __DIAGNOSE_BODY
                                .site, "one()", 20u32, 42u32).joined().used(b'u', b'm'); &
                                ARM }, one()), ::diagnose::__private::arm({ static ARM :
                                ::diagnose::__private::Arm =
                                ::diagnose::__private::Arm::new(& ARM, & __DIAGNOSE_BODY
                                .site, "two()", 20u32, 49u32).joined().used(b'u', b'm'); &
                                ARM }, two())
                            )
                        },
                    )
                    .await
            };
            let text = async |key| {
                static __DIAGNOSE_BODY: ::diagnose::__private::Body<
                    (::diagnose::__private::Site,),
                > = ::diagnose::__private::Body {
                    site: ::diagnose::__private::Site::new(
                        ::diagnose::__private::SiteKind::Block,
                        "{block}",
                        ::core::module_path!(),
                    ),
                    awaits: (
                        ::diagnose::__private::Site::at(
                                &__DIAGNOSE_BODY.site,
                                "get(key).await",
                                21u32,
                                56u32,
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
                            if false {
                                let _owned = key;
                                loop {}
                            }
                            format!(
                                "{}",
                                ::diagnose::__private::ended(::diagnose::__private::at(&
                                __DIAGNOSE_BODY.awaits.0, get(key)). await, &
                                __DIAGNOSE_BODY.site)
                            )
                        },
                    )
                    .await
            };
            let list = Some(
                futures::select_biased! {
                    item = ::diagnose::__private::arm({ static ARM :
                    ::diagnose::__private::Arm = ::diagnose::__private::Arm::new(& ARM, &
                    __DIAGNOSE_BODY.site, "stream.next()", 22u32, 67u32).used(b'u',
                    b'm'); & ARM }, stream.next()) => item
                },
            );
        },
    )
}
