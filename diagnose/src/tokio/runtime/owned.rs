//! `tokio::runtime::Runtime`.

use std::future::Future;
use std::io;

use super::shared::runtime;
use super::shutdown::{Goes, Gone};
use super::{Builder, Handle};
use crate::tokio::task::JoinHandle;

/// tokio's `Runtime`; what it spawns is listed, and the future of `block_on` is the task `main`.
///
/// Dropping it waits for its blocking code. That wait is recorded at the place where the runtime
/// was built, because a drop has no place of its own.
// What says that it goes away stands before it, what says that it is gone behind it.
pub struct Runtime {
    goes: Goes,
    inner: ::tokio::runtime::Runtime,
    handle: Handle,
    gone: Gone,
}

impl Runtime {
    /// A runtime with a worker thread for each processor, and all drivers.
    ///
    /// # Errors
    /// If the system does not give what its drivers or threads need.
    #[track_caller]
    pub fn new() -> io::Result<Self> {
        Builder::new_multi_thread().enable_all().build()
    }

    /// Spawns a task.
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.handle.spawn(future)
    }
}

runtime!(Runtime);
