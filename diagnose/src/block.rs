//! `block!`: an async block as a span, where no attribute is allowed.

/// Times an async block, or any expression that is a future.
///
/// # Examples
/// ```
/// # async fn parse() -> u32 { 7 }
/// # futures::executor::block_on(async {
/// let parsed = diagnose::block!("parse", async { parse().await }).await;
/// let unnamed = diagnose::block!(async { parse().await }).await;   // shown as `{block} (src/main.rs:7)`
/// assert_eq!((parsed, unnamed), (7, 7));
/// # });
/// ```
/// It expands to the future inside a [`Timed`](crate::Timed) with a static of its own:
/// ```text
/// { static SITE: Site = Site::new(SiteKind::Block, "parse", module_path!());
///   Timed::new(Span::new(&SITE, Label::NONE), async { parse().await }) }
/// ```
/// Without the feature `on` it expands to the future itself.
#[cfg(feature = "on")]
#[macro_export]
macro_rules! block {
    ($name:literal, $future:expr $(,)?) => {
        $crate::__private::Timed::new(
            $crate::__private::Span::new(
                {
                    static SITE: $crate::__private::Site = $crate::__private::Site::new(
                        $crate::__private::SiteKind::Block,
                        $name,
                        ::core::module_path!(),
                    );
                    &SITE
                },
                $crate::__private::Label::NONE,
            ),
            $future,
        )
    };
    ($future:expr $(,)?) => {
        $crate::block!("{block}", $future)
    };
    ($name:expr, $future:expr $(,)?) => {
        ::core::compile_error!("the name of a block must be a string literal")
    };
}

/// Without the feature `on`: expands to the future itself.
#[cfg(not(feature = "on"))]
#[macro_export]
macro_rules! block {
    ($name:literal, $future:expr $(,)?) => {
        $crate::__private::block($name, $future)
    };
    ($future:expr $(,)?) => {
        $crate::block!("{block}", $future)
    };
    ($name:expr, $future:expr $(,)?) => {
        ::core::compile_error!("the name of a block must be a string literal")
    };
}
