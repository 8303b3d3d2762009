//! `tokio::task`, with all spawned tasks listed. The rest is tokio's own.

mod abort_handle;
mod handle;
mod id_number;
pub(crate) mod ids;
mod joining;
pub(crate) mod local_set;
mod members;
mod spawn;

pub use self::abort_handle::AbortHandle;
pub use self::handle::JoinHandle;
pub use self::joining::JoinSet;
pub use self::local_set::LocalSet;
pub(super) use self::spawn::blocking;
pub use self::spawn::{block_in_place, spawn, spawn_blocking, spawn_local, yield_now};
pub use ::tokio::task::*;
