//! The forms that the macro accepts. That they compile is what most of these tests are about.
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks,
    reason = "forms that programs have, good or not"
)]

mod arguments;
mod async_fn;
mod async_unsafe_fn;
mod awaits;
mod blocks;
mod containers;
mod elided_in_functions;
mod elided_in_methods;
mod elided_in_traits;
mod generics;
mod methods;
mod plain_fn;
mod recursion;
