//! The tests of the drop-ins for other crates.
//!
//! They are one program, because linking takes longer than running most of them. A test that reads
//! the whole recording, or changes a switch, begins with `isolated!` and runs in its own process.

mod async_channel_parity;
mod auto_traits;
mod flume_parity;
mod futures_parity;
mod on_record;
mod ready_wakers;
mod tokio_util_parity;
mod tokio_util_task_parity;
mod tracked_on_record;
