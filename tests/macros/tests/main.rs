//! The tests of the attribute.
//!
//! They are one program, because linking takes longer than running most of them.

mod behavior;
mod parity;
mod switched_off;
mod valid;
