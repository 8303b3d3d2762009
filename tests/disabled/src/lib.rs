//! The tests are in `tests/`. The README's code blocks, too, compile and run without features.

#[cfg(all(doctest, feature = "alone"))]
#[doc = include_str!("../../../README.md")]
mod readme {}
