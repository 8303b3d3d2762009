//! `tokio::task::LocalSet`.

use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::task::{Context, Poll};

use ::tokio::runtime::{Id, Runtime};
use ::tokio::task::LocalEnterGuard;

use super::JoinHandle;
use crate::live::workers;
use crate::spawned::launch;
use crate::tokio::runtime::number;

/// tokio's `LocalSet`; what it spawns is listed.
pub struct LocalSet {
    set: ::tokio::task::LocalSet,
}

impl LocalSet {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        ::tokio::task::LocalSet::new().into()
    }

    /// Until the guard is dropped, `spawn_local` spawns on this set.
    #[must_use = "the set is left when the guard is dropped"]
    pub fn enter(&self) -> LocalEnterGuard {
        self.set.enter()
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

    /// Runs a future, as the task `main`, and the tasks of this set until it is done.
    #[track_caller]
    pub fn block_on<F>(&self, rt: &Runtime, future: F) -> F::Output
    where
        F: Future,
    {
        let _visit = workers::visit();
        launch!(number::local(), Some("main"), future: F, |task, _| self.set.block_on(rt, task))
    }

    /// Runs a future and the tasks of this set until it is done.
    pub async fn run_until<F>(&self, future: F) -> F::Output
    where
        F: Future,
    {
        self.set.run_until(future).await
    }

    /// The number of this set.
    #[must_use]
    pub fn id(&self) -> Id {
        self.set.id()
    }

    /// tokio's own set with the tasks of this one.
    #[must_use]
    pub fn into_inner(self) -> ::tokio::task::LocalSet {
        self.set
    }
}

impl Future for LocalSet {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.set).poll(context)
    }
}

impl Default for LocalSet {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for LocalSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.set.fmt(formatter)
    }
}

impl From<::tokio::task::LocalSet> for LocalSet {
    fn from(set: ::tokio::task::LocalSet) -> Self {
        Self { set }
    }
}

impl From<LocalSet> for ::tokio::task::LocalSet {
    fn from(set: LocalSet) -> Self {
        set.into_inner()
    }
}

impl Deref for LocalSet {
    type Target = ::tokio::task::LocalSet;

    fn deref(&self) -> &Self::Target {
        &self.set
    }
}

impl DerefMut for LocalSet {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.set
    }
}
