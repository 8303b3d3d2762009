//! The attribute of the crate `diagnose`. Use it through that crate, whose documentation explains
//! it.
//!
//! ```text
//! args ─┐
//! item ─┼─▶ check ─▶ blocks ─▶ expand ─▶ tokens       with the feature `on`
//!       └─▶ off ───────────────────────▶ the item     without
//! ```
//! This crate only transforms tokens. It knows nothing of the recorder except the names in
//! `diagnose::__private`. Only `expand` generates code.
#![forbid(unsafe_code)]

mod accepted;
#[cfg(feature = "on")]
mod acquired;
#[cfg(feature = "on")]
mod args;
#[cfg(feature = "on")]
mod arms;
#[cfg(feature = "on")]
mod attributes;
#[cfg(feature = "on")]
mod blocks;
#[cfg(feature = "on")]
mod borrowing;
#[cfg(feature = "on")]
mod boxed;
#[cfg(feature = "on")]
mod captures;
#[cfg(feature = "on")]
mod check;
#[cfg(feature = "on")]
mod driver;
#[cfg(feature = "on")]
mod elided;
#[cfg(feature = "on")]
mod escape;
#[cfg(feature = "on")]
mod expand;
#[cfg(feature = "on")]
mod function;
#[cfg(all(test, feature = "on"))]
mod guard_tests;
#[cfg(feature = "on")]
mod instrument;
#[cfg(feature = "on")]
mod item;
#[cfg(feature = "on")]
mod joined;
#[cfg(all(test, feature = "on"))]
mod joined_tests;
#[cfg(feature = "on")]
mod macros;
#[cfg(feature = "on")]
mod members;
#[cfg(feature = "on")]
mod moved;
#[cfg(not(feature = "on"))]
mod off;
#[cfg(feature = "on")]
mod place;
#[cfg(feature = "on")]
mod points;
#[cfg(feature = "on")]
mod select;
#[cfg(all(test, feature = "on"))]
mod tests;
#[cfg(feature = "on")]
mod text;
#[cfg(feature = "on")]
mod through;
#[cfg(feature = "on")]
mod used_again;

use proc_macro::TokenStream;

/// Times a function. See the documentation of the crate `diagnose`.
#[cfg(feature = "on")]
#[proc_macro_attribute]
pub fn diagnose(args: TokenStream, item: TokenStream) -> TokenStream {
    item::diagnose(args.into(), item.into()).into()
}

/// Only for `diagnose-reports`: implements its trait `ToJson`.
#[cfg(feature = "on")]
#[doc(hidden)]
#[proc_macro_derive(ToJson, attributes(serde))]
pub fn to_json(item: TokenStream) -> TokenStream {
    let output = syn::parse(item).and_then(|item| expand::to_json(&item));
    output.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Without the feature `on`: returns the unchanged item, and refuses mistakes.
#[cfg(not(feature = "on"))]
#[proc_macro_attribute]
pub fn diagnose(args: TokenStream, item: TokenStream) -> TokenStream {
    off::diagnose(args, item)
}
