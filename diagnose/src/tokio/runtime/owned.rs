//! `tokio::runtime::Runtime`.

use std::future::Future;
use std::io;
use std::panic::Location;
use std::time::Duration;

use ::tokio::runtime::{EnterGuard, RuntimeMetrics};

use super::shutdown::{self, Goes, Gone};
use super::{Builder, Handle, number};
use crate::live::workers;
use crate::spawned::launch;
use crate::tokio::task::JoinHandle;
use crate::wrap::{debug, delegate, deref};

/// tokio's `Runtime`; what it spawns is listed, and the future of `block_on` is the task `main`.
///
/// Whoever drops it waits for its blocking code, on record, and where it was built: a drop does not tell its place.
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

    /// One that was built with the recorder's hooks, and so many threads for blocking code at most.
    #[track_caller]
    pub(super) fn built(runtime: ::tokio::runtime::Runtime, max_blocking: Option<u64>) -> Self {
        let held = number::hold(runtime.handle(), max_blocking);
        let (goes, gone) = shutdown::pair(held, Location::caller());
        Self { goes, gone, ..runtime.into() }
    }

    /// Its handle.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
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

    /// Runs a closure on a thread for blocking code.
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, func: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.handle.spawn_blocking(func)
    }

    /// Runs a future on this thread, as the task `main`.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let _visit = workers::visit();
        launch!(number::around(&self.handle), Some("main"), future: F, |task, _| self.inner.block_on(task))
    }

    /// Ends the runtime, and waits that long for blocking code.
    pub fn shutdown_timeout(self, duration: Duration) {
        let Self { goes, inner, gone, .. } = self;
        goes.never();
        inner.shutdown_timeout(duration);
        drop(gone);
    }

    /// Ends the runtime without waiting for blocking code.
    pub fn shutdown_background(self) {
        let Self { goes, inner, gone, .. } = self;
        goes.never();
        inner.shutdown_background();
        drop(gone);
    }

    /// tokio's own runtime.
    #[must_use]
    pub fn into_inner(self) -> ::tokio::runtime::Runtime {
        self.goes.never();
        self.inner
    }

    delegate! { inner:
        /// Until the guard is dropped, this is the runtime of the thread.
        #[must_use = "the runtime is left when the guard is dropped"]
        pub fn enter(&self) -> EnterGuard<'_>;
        /// The counters of the runtime.
        #[must_use]
        pub fn metrics(&self) -> RuntimeMetrics;
    }
}

impl From<::tokio::runtime::Runtime> for Runtime {
    #[track_caller]
    fn from(runtime: ::tokio::runtime::Runtime) -> Self {
        let handle = runtime.handle().clone().into();
        let (goes, gone) = shutdown::pair(None, Location::caller());
        Self { goes, inner: runtime, handle, gone }
    }
}

impl From<Runtime> for ::tokio::runtime::Runtime {
    fn from(runtime: Runtime) -> Self {
        runtime.into_inner()
    }
}

deref!([] Runtime, inner: ::tokio::runtime::Runtime);

debug!([] Runtime, inner: ::tokio::runtime::Runtime);
