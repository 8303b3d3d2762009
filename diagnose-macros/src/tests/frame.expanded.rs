#[track_caller]
fn parse(n: u32) -> u32 {
    #![allow(unused)]
    const ONE: u32 = 1;
    static __DIAGNOSE_SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
        ::diagnose::__private::Kind::Sync,
        "parse",
        ::core::module_path!(),
        ::core::file!(),
        ::core::line!(),
        ::core::column!(),
    );
    let _diagnose_frame = ::diagnose::__private::Frame::enter(
        &__DIAGNOSE_SITE,
        ::diagnose::__private::Label::of(
            &__DIAGNOSE_SITE,
            || {
                #[allow(clippy::used_underscore_binding)]
                let __diagnose_text = ::std::format!("{n}");
                __diagnose_text
            },
        ),
    );
    n + ONE
}
