//! `tokio::runtime::LocalRuntime`.

use std::future::Future;
use std::io;

use ::tokio::runtime::LocalOptions;

use super::shared::runtime;
use super::shutdown::{Goes, Gone};
use super::{Builder, Handle, number};
use crate::spawned::launch;
use crate::tokio::task::JoinHandle;

/// tokio's `LocalRuntime`; what it spawns is listed, and the future of `block_on` is the task `main`.
///
/// Dropping it waits for its blocking code. That wait is recorded at the place where it was built.
// See `Runtime`.
pub struct LocalRuntime {
    goes: Goes,
    inner: ::tokio::runtime::LocalRuntime,
    handle: Handle,
    gone: Gone,
}

impl LocalRuntime {
    /// A runtime on this thread, with all drivers.
    ///
    /// # Errors
    /// If the system does not give what its drivers need.
    #[track_caller]
    pub fn new() -> io::Result<Self> {
        Builder::new_current_thread().enable_all().build_local(LocalOptions::default())
    }

    /// Spawns a task on this thread.
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
