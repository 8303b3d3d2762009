//! `tokio::runtime::Handle`.

use std::future::Future;
use std::panic::Location;

use ::tokio::runtime::{EnterGuard, Id, RuntimeFlavor, RuntimeMetrics, TryCurrentError};

use super::number;
use crate::spawned::launch;
use crate::tokio::task::{JoinHandle, blocking};
use crate::wrap::{convert, debug, delegate, deref};

/// tokio's `Handle`. The tasks that it spawns are listed.
#[derive(Clone)]
pub struct Handle {
    handle: ::tokio::runtime::Handle,
}

impl Handle {
    /// Returns a handle of the current runtime.
    ///
    /// # Panics
    /// If called outside of a runtime.
    #[track_caller]
    #[must_use]
    pub fn current() -> Self {
        ::tokio::runtime::Handle::current().into()
    }

    /// Returns a handle of the current runtime.
    ///
    /// # Errors
    /// If called outside of a runtime.
    pub fn try_current() -> Result<Self, TryCurrentError> {
        ::tokio::runtime::Handle::try_current().map(Self::from)
    }

    /// Spawns a task on the runtime.
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        launch!(number::on(&self.handle), None, future: F, |task, number| {
            JoinHandle::new(self.handle.spawn(task), number)
        })
    }

    /// Runs a closure on a thread for blocking code.
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, func: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let at = Location::caller();
        let (work, number) = blocking(number::on(&self.handle), at, func);
        JoinHandle::new(self.handle.spawn_blocking(work), number)
    }

    /// Runs a future on the current thread until it completes, as the task `main`.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        launch!(number::local(), Some("main"), future: F, |task, _| {
            self.handle.block_on(task)
        })
    }

    /// Returns tokio's own handle.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    #[must_use]
    pub fn into_inner(self) -> ::tokio::runtime::Handle {
        self.handle
    }

    delegate! { handle:
        /// Enters the runtime: it is the current one until the guard is dropped.
        #[must_use = "the runtime is left when the guard is dropped"]
        pub fn enter(&self) -> EnterGuard<'_>;
        /// Returns the flavor of the runtime.
        #[must_use]
        pub fn runtime_flavor(&self) -> RuntimeFlavor;
        /// Returns the id of the runtime.
        #[must_use]
        pub fn id(&self) -> Id;
        /// Returns the name of the runtime.
        #[must_use]
        pub fn name(&self) -> Option<&str>;
        /// Returns the metrics of the runtime.
        #[must_use]
        pub fn metrics(&self) -> RuntimeMetrics;
    }
}

convert!([] Handle: ::tokio::runtime::Handle, |handle| Self { handle }, |it| it.into_inner());
deref!([] Handle, handle: ::tokio::runtime::Handle);
debug!([] Handle, handle: ::tokio::runtime::Handle);
