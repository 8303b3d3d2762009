//! The tests of other crates' primitives.
//!
//! They are one program, because linking takes longer than running most of them. A test that reads
//! the whole recording, or changes a switch, begins with `isolated!` and runs in its own process.

mod async_lock_parity;
mod behavior;
mod parking_lot_parity;
mod snapshot;
mod std_parity;
mod switched_off;
mod traits;
