//! The tests of what replaces other crates.
//!
//! They are one program, because linking takes longer than running most of them. A test that looks at
//! all that is recorded, or changes a switch, begins with `isolated!` and has a process of its own.

mod async_channel_parity;
mod auto_traits;
mod flume_parity;
mod futures_parity;
mod on_record;
mod tokio_util_parity;
