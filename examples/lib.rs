//! Programs to read and to run: see the files beside this one. The code blocks of the README are
//! run as its doc tests.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
