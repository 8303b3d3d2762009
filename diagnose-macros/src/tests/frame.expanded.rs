#[track_caller]
fn parse(n: u32) -> u32 {
    #![allow(unused)]
    const ONE: u32 = 1;
    static __DIAGNOSE_BODY: ::diagnose::__private::Body<()> = ::diagnose::__private::Body {
        site: ::diagnose::__private::Site::new(
            ::diagnose::__private::SiteKind::Sync,
            "parse",
            ::core::module_path!(),
        ),
        awaits: (),
    };
    let _diagnose_frame = ::diagnose::__private::Frame::enter(
        &__DIAGNOSE_BODY.site,
        ::diagnose::__private::Label::of(
            &__DIAGNOSE_BODY.site,
            || {
                #[allow(clippy::used_underscore_binding)]
                let __diagnose_text = ::diagnose::__private::format!("{n}");
                __diagnose_text
            },
        ),
    );
    n + ONE
}
