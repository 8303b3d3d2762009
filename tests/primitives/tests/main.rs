//! The tests of primitives of other crates.
//!
//! They are one program, because linking takes longer than running most of them. A test that looks at
//! all that is recorded, or changes a switch, begins with `isolated!` and has a process of its own.

mod async_lock_parity;
mod behaviour;
mod parking_lot_parity;
mod snapshot;
mod std_parity;
mod switched_off;
mod traits;
