//! Tools for the tests of whole programs. The programs themselves are in `src/bin/`.

pub mod child;
pub mod cpu;
