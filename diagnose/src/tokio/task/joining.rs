//! `tokio::task::JoinSet`.

use std::future::{Future, poll_fn};
use std::ops::DerefMut;
use std::panic::{Location, resume_unwind};
use std::task::{Context, Poll};

use ::tokio::runtime::Handle;
use ::tokio::task::{Id, JoinError, LocalSet};

use super::members::Members;
use super::{AbortHandle, blocking};
use crate::spawned::launch;
use crate::tokio::runtime::number;
use crate::waits::LazyWait;
use crate::wrap::{convert, debug, default, delegate, deref};

/// tokio's `JoinSet`. The tasks that it spawns are listed.
///
/// Methods take tokio's own `Handle` or `LocalSet`; a reference to a wrapper coerces to it.
pub struct JoinSet<T> {
    set: ::tokio::task::JoinSet<T>,
    members: Members,
    /// The wait of `poll_join_next`.
    wait: LazyWait,
}

impl<T> JoinSet<T> {
    /// Creates an empty set.
    #[must_use]
    pub fn new() -> Self {
        ::tokio::task::JoinSet::new().into()
    }

    /// Returns tokio's own set, with the tasks of this one.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    #[must_use]
    pub fn into_inner(self) -> ::tokio::task::JoinSet<T> {
        self.set
    }

    delegate! { set:
        /// Returns the number of tasks in the set.
        #[must_use]
        pub fn len(&self) -> usize;
        /// Returns whether the set has no tasks.
        #[must_use]
        pub fn is_empty(&self) -> bool;
    }
}

impl<T: 'static> JoinSet<T> {
    /// Spawns a task on the current runtime, and adds it to the set.
    #[track_caller]
    pub fn spawn<F>(&mut self, task: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        launch!(number::here(), None, task: F, |task, number| {
            self.members.add(number, self.set.len());
            self.members.spawned(AbortHandle::new(self.set.spawn(task), number))
        })
    }

    /// Spawns a task on the runtime of `handle`, and adds it to the set.
    #[track_caller]
    pub fn spawn_on<F>(&mut self, task: F, handle: &Handle) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        launch!(number::on(handle), None, task: F, |task, number| {
            self.members.add(number, self.set.len());
            self.members.spawned(AbortHandle::new(self.set.spawn_on(task, handle), number))
        })
    }

    /// Spawns a task on the current `LocalSet`, and adds it to the set.
    #[track_caller]
    pub fn spawn_local<F>(&mut self, task: F) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        launch!(number::local(), None, task: F, |task, number| {
            self.members.add(number, self.set.len());
            self.members.spawned(AbortHandle::new(self.set.spawn_local(task), number))
        })
    }

    /// Spawns a task on `local_set`, and adds it to the set.
    #[track_caller]
    pub fn spawn_local_on<F>(&mut self, task: F, local_set: &LocalSet) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        launch!(number::local(), None, task: F, |task, number| {
            self.members.add(number, self.set.len());
            self.members.spawned(AbortHandle::new(self.set.spawn_local_on(task, local_set), number))
        })
    }

    /// Runs a closure on a thread for blocking code, and adds it to the set.
    #[track_caller]
    pub fn spawn_blocking<F>(&mut self, f: F) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        let (work, number) = blocking(number::here(), Location::caller(), f);
        self.members.add(number, self.set.len());
        self.members.spawned(AbortHandle::new(self.set.spawn_blocking(work), number))
    }

    /// Runs a closure on a thread for blocking code of `handle`, and adds it to the set.
    #[track_caller]
    pub fn spawn_blocking_on<F>(&mut self, f: F, handle: &Handle) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        let (work, number) = blocking(number::on(handle), Location::caller(), f);
        self.members.add(number, self.set.len());
        self.members.spawned(AbortHandle::new(self.set.spawn_blocking_on(work, handle), number))
    }

    /// Waits until a task finishes, removes it, and returns its output. Cancel safe.
    #[track_caller]
    pub fn join_next(&mut self) -> impl Future<Output = Option<Result<T, JoinError>>> + use<'_, T> {
        let at = Location::caller();
        async move {
            let Self { set, members, wait } = self;
            wait.end();
            let mut wait = LazyWait::default();
            let next =
                poll_fn(|cx| members.poll(&mut wait, at, cx, true, |cx| set.poll_join_next_with_id(cx)));
            members.without_id(next.await)
        }
    }

    /// Waits until a task finishes, removes it, and returns its id and output. Cancel safe.
    #[track_caller]
    pub fn join_next_with_id(
        &mut self,
    ) -> impl Future<Output = Option<Result<(Id, T), JoinError>>> + use<'_, T> {
        let at = Location::caller();
        async move {
            let Self { set, members, wait } = self;
            wait.end();
            let mut wait = LazyWait::default();
            let next =
                poll_fn(|cx| members.poll(&mut wait, at, cx, true, |cx| set.poll_join_next_with_id(cx)));
            members.with_id(next.await)
        }
    }

    /// Aborts all tasks and waits until they have ended.
    #[track_caller]
    pub fn shutdown(&mut self) -> impl Future<Output = ()> + use<'_, T> {
        let at = Location::caller();
        async move {
            // tokio shuts down in these steps, too.
            self.abort_all();
            let Self { set, members, wait } = self;
            wait.end();
            let mut wait = LazyWait::default();
            while poll_fn(|cx| members.poll(&mut wait, at, cx, true, |cx| set.poll_join_next(cx)))
                .await
                .is_some()
            {}
        }
    }

    /// Waits until all tasks have finished, and returns their outputs.
    ///
    /// # Panics
    /// If a task panicked or was aborted.
    #[track_caller]
    pub fn join_all(self) -> impl Future<Output = Vec<T>> + use<T> {
        let at = Location::caller();
        async move {
            // tokio joins in these steps, too.
            let Self { mut set, members, .. } = self;
            let mut output = Vec::with_capacity(set.len());
            let mut wait = LazyWait::default();
            while let Some(done) = members.without_id(
                poll_fn(|cx| members.poll(&mut wait, at, cx, true, |cx| set.poll_join_next_with_id(cx)))
                    .await,
            ) {
                match done {
                    Ok(value) => output.push(value),
                    Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
                    Err(error) => panic!("{error}"),
                }
            }
            output
        }
    }

    /// Aborts all tasks.
    pub fn abort_all(&mut self) {
        self.members.note_abort();
        self.set.abort_all();
    }

    /// Removes all tasks from the set without aborting them.
    pub fn detach_all(&mut self) {
        self.set.detach_all();
        self.members.detach();
    }

    /// Polls for a finished task, and removes it.
    #[track_caller]
    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        let at = Location::caller();
        let Self { set, members, wait } = self;
        members.begin_poll(wait);
        members
            .poll(wait, at, cx, false, |cx| set.poll_join_next_with_id(cx))
            .map(|done| members.without_id(done))
    }

    /// Polls for a finished task, removes it, and returns its id and output.
    #[track_caller]
    pub fn poll_join_next_with_id(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<(Id, T), JoinError>>> {
        let at = Location::caller();
        let Self { set, members, wait } = self;
        members.begin_poll(wait);
        members
            .poll(wait, at, cx, false, |cx| set.poll_join_next_with_id(cx))
            .map(|done| members.with_id(done))
    }

    /// Removes a finished task and returns its output, if there is one.
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        self.members.without_id(self.set.try_join_next_with_id())
    }

    /// Removes a finished task and returns its id and output, if there is one.
    pub fn try_join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        self.members.with_id(self.set.try_join_next_with_id())
    }
}

default!([T] JoinSet<T>);
debug!([T] JoinSet<T>, set: ::tokio::task::JoinSet<T>);
convert!(
    [T] JoinSet<T>: ::tokio::task::JoinSet<T>,
    |set| {
        let mut members = Members::default();
        if !set.is_empty() {
            members.lose();
        }
        Self { set, members, wait: LazyWait::default() }
    },
    |it| it.set
);
deref!([T] JoinSet<T>, set: ::tokio::task::JoinSet<T>);

impl<T> DerefMut for JoinSet<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        // The owner of this reference can spawn tasks that are not recorded.
        self.members.lose();
        &mut self.set
    }
}

impl<T, F> FromIterator<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = F>>(iter: I) -> Self {
        let mut set = Self::new();
        set.extend(iter);
        set
    }
}

impl<T, F> Extend<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = F>>(&mut self, iter: I) {
        for task in iter {
            self.spawn(task);
        }
    }
}
