//! `tokio::task::LocalSet`.

use std::future::Future;
use std::ops::DerefMut;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::tokio::runtime::{Id, Runtime};
use ::tokio::task::LocalEnterGuard;

use super::JoinHandle;
use crate::live::workers;
use crate::spawned::launch;
use crate::tokio::runtime::number;
use crate::wrap::{convert, debug, default, delegate, deref};

/// tokio's `LocalSet`. The tasks that it spawns are listed.
pub struct LocalSet {
    set: ::tokio::task::LocalSet,
}

impl LocalSet {
    /// Creates an empty set.
    #[must_use]
    pub fn new() -> Self {
        ::tokio::task::LocalSet::new().into()
    }

    /// Spawns a task on this set.
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        launch!(number::local(), None, future: F, |task, number| {
            JoinHandle::new(self.set.spawn_local(task), number)
        })
    }

    /// Runs a future, as the task `main`, and the tasks of this set until the future completes.
    #[track_caller]
    pub fn block_on<F>(&self, rt: &Runtime, future: F) -> F::Output
    where
        F: Future,
    {
        let _visit = workers::visit();
        launch!(number::local(), Some("main"), future: F, |task, _| {
            self.set.block_on(rt, task)
        })
    }

    /// Runs a future and the tasks of this set until the future completes.
    pub async fn run_until<F>(&self, future: F) -> F::Output
    where
        F: Future,
    {
        self.set.run_until(future).await
    }

    /// Returns tokio's own set, with the tasks of this one.
    #[must_use]
    pub fn into_inner(self) -> ::tokio::task::LocalSet {
        self.set
    }

    delegate! { set:
        /// Enters the set: `spawn_local` spawns on it until the guard is dropped.
        #[must_use = "the set is left when the guard is dropped"]
        pub fn enter(&self) -> LocalEnterGuard;
        /// Returns the id of this set.
        #[must_use]
        pub fn id(&self) -> Id;
    }
}

impl Future for LocalSet {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.set).poll(context)
    }
}

default!([] LocalSet);
debug!([] LocalSet, set: ::tokio::task::LocalSet);
convert!([] LocalSet: ::tokio::task::LocalSet, |set| Self { set }, |it| it.into_inner());
deref!([] LocalSet, set: ::tokio::task::LocalSet);

impl DerefMut for LocalSet {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.set
    }
}
