//! The attribute of the crate `diagnose`. Use it through that crate, whose documentation explains it.
//!
//! ```text
//! args ─┐
//! item ─┼─▶ check ─▶ blocks ─▶ expand ─▶ tokens       with the feature `record`
//!       └─▶ off ───────────────────────▶ the item     without
//! ```
//! Tokens go in and tokens come out: nothing here knows the recorder, only the names in `diagnose::__private`. Only
//! `expand` quotes.
#![forbid(unsafe_code)]

#[cfg(feature = "record")]
mod args;
#[cfg(feature = "record")]
mod arms;
#[cfg(feature = "record")]
mod attributes;
#[cfg(feature = "record")]
mod blocks;
#[cfg(feature = "record")]
mod boxed;
#[cfg(feature = "record")]
mod captures;
#[cfg(feature = "record")]
mod check;
#[cfg(feature = "record")]
mod driver;
#[cfg(feature = "record")]
mod elided;
#[cfg(feature = "record")]
mod expand;
#[cfg(feature = "record")]
mod function;
#[cfg(feature = "record")]
mod instrument;
#[cfg(feature = "record")]
mod item;
#[cfg(feature = "record")]
mod macros;
#[cfg(feature = "record")]
mod members;
#[cfg(not(feature = "record"))]
mod off;
#[cfg(feature = "record")]
mod points;
#[cfg(feature = "record")]
mod select;
#[cfg(all(test, feature = "record"))]
mod tests;
#[cfg(feature = "record")]
mod text;
#[cfg(feature = "record")]
mod through;

use proc_macro::TokenStream;

/// Times a function. See the documentation of the crate `diagnose`.
#[cfg(feature = "record")]
#[proc_macro_attribute]
pub fn diagnose(args: TokenStream, item: TokenStream) -> TokenStream {
    item::diagnose(args.into(), item.into()).into()
}

/// Without the feature `record`: the item as it is.
#[cfg(not(feature = "record"))]
#[proc_macro_attribute]
pub fn diagnose(_args: TokenStream, item: TokenStream) -> TokenStream {
    off::strip(item)
}
