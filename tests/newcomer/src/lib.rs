//! A fresh crate that follows the README: its code blocks are run as doc tests, with the
//! dependencies that it names and no others.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}
