//! `tokio::runtime::Runtime`.

use std::future::Future;
use std::io;

use super::shared::runtime;
use super::shutdown::{ShutdownEnd, ShutdownStart};
use super::{Builder, Handle};
use crate::tokio::task::JoinHandle;

/// tokio's `Runtime`. Its tasks are listed; the future of `block_on` is the task `main`.
///
/// Dropping it waits for its blocking code. That wait is recorded at the place where the runtime
/// was built, because a drop has no place of its own.
// Fields are dropped in order: `shutdown_start` begins the record of the wait, `shutdown_end` ends
// it.
pub struct Runtime {
    shutdown_start: ShutdownStart,
    inner: ::tokio::runtime::Runtime,
    handle: Handle,
    shutdown_end: ShutdownEnd,
}

impl Runtime {
    /// Creates a runtime with one worker thread per processor, and all drivers.
    ///
    /// # Errors
    /// If the system does not provide the resources for its drivers or threads.
    #[track_caller]
    pub fn new() -> io::Result<Self> {
        Builder::new_multi_thread().enable_all().build()
    }

    /// Spawns a task on the runtime.
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
