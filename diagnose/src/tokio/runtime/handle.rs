//! `tokio::runtime::Handle`.

use std::future::Future;
use std::panic::Location;

use ::tokio::runtime::{EnterGuard, Id, RuntimeFlavor, RuntimeMetrics, TryCurrentError};

use super::number;
use crate::spawned::launch;
use crate::tokio::task::{JoinHandle, blocking};
use crate::wrap::{convert, debug, delegate, deref};

/// tokio's `Handle`; what it spawns is listed.
#[derive(Clone)]
pub struct Handle {
    handle: ::tokio::runtime::Handle,
}

impl Handle {
    /// The runtime that runs on this thread.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    #[must_use]
    pub fn current() -> Self {
        ::tokio::runtime::Handle::current().into()
    }

    /// The runtime that runs on this thread.
    ///
    /// # Errors
    /// If there is none.
    pub fn try_current() -> Result<Self, TryCurrentError> {
        ::tokio::runtime::Handle::try_current().map(Self::from)
    }

    /// Spawns a task.
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

    /// Runs a future on this thread, as the task `main`.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        launch!(number::local(), Some("main"), future: F, |task, _| self.handle.block_on(task))
    }

    /// tokio's own handle.
    #[must_use]
    pub fn into_inner(self) -> ::tokio::runtime::Handle {
        self.handle
    }

    delegate! { handle:
        /// Until the guard is dropped, this is the runtime of the thread.
        #[must_use = "the runtime is left when the guard is dropped"]
        pub fn enter(&self) -> EnterGuard<'_>;
        /// The kind of the runtime.
        #[must_use]
        pub fn runtime_flavor(&self) -> RuntimeFlavor;
        /// The number of the runtime.
        #[must_use]
        pub fn id(&self) -> Id;
        /// The name of the runtime.
        #[must_use]
        pub fn name(&self) -> Option<&str>;
        /// The counters of the runtime.
        #[must_use]
        pub fn metrics(&self) -> RuntimeMetrics;
    }
}

convert!([] Handle: ::tokio::runtime::Handle, |handle| Self { handle }, |it| it.into_inner());
deref!([] Handle, handle: ::tokio::runtime::Handle);
debug!([] Handle, handle: ::tokio::runtime::Handle);
