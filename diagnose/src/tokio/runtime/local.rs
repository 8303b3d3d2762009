//! `tokio::runtime::LocalRuntime`.

use std::future::Future;
use std::io;

use ::tokio::runtime::LocalOptions;

use super::shared::runtime;
use super::shutdown::{ShutdownEnd, ShutdownStart};
use super::{Builder, Handle, number};
use crate::spawned::launch;
use crate::tokio::task::JoinHandle;

/// tokio's `LocalRuntime`. Its tasks are listed; the future of `block_on` is the task `main`.
///
/// Dropping it waits for its blocking code. That wait is recorded at the place where the runtime
/// was built.
// The order of the fields matters, as in `Runtime`.
pub struct LocalRuntime {
    shutdown_start: ShutdownStart,
    inner: ::tokio::runtime::LocalRuntime,
    handle: Handle,
    shutdown_end: ShutdownEnd,
}

impl LocalRuntime {
    /// Creates a runtime on the current thread, with all drivers.
    ///
    /// # Errors
    /// If the system does not provide the resources for its drivers.
    #[track_caller]
    pub fn new() -> io::Result<Self> {
        Builder::new_current_thread().enable_all().build_local(LocalOptions::default())
    }

    /// Spawns a task, which need not be `Send`, on the runtime.
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        launch!(number::around(&self.handle), None, future: F, |task, number| {
            JoinHandle::new(self.inner.spawn_local(task), number)
        })
    }
}

runtime!(LocalRuntime);
