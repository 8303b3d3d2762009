//! `TaskTracker`.

use std::future::Future;
use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;

use ::tokio::runtime::Handle;
use ::tokio::task::LocalSet;
use ::tokio_util::task::task_tracker as real;

use super::tracked::TrackedTask;
use super::{TaskTrackerToken, TaskTrackerWaitFuture, TrackedFuture};
use crate::spawned::{self, Numbered, launch};
use crate::tokio::runtime::number;
use crate::tokio::task::JoinHandle;
use crate::waits::{Holding, Record, ResourceKind, ResourceType, Shared, UNBOUNDED};
use crate::wrap::{convert, debug, default, delegate, deref};

static TYPE: ResourceType = ResourceType::new(ResourceKind::TaskTracker, "tokio-util");

/// tokio-util's `TaskTracker`. The tasks that it spawns are listed, and so is a wait for them.
///
/// Methods take tokio's own `Handle` or `LocalSet`; a reference to a wrapper coerces to it.
pub struct TaskTracker {
    inner: real::TaskTracker,
    shared: Shared,
}

impl TaskTracker {
    /// Creates a tracker without tasks, which is not closed.
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        let shared = Shared::new(&TYPE, UNBOUNDED, Location::caller(), None);
        Self { inner: real::TaskTracker::new(), shared }
    }

    /// Returns its record, or `None` if it was made while recording is off.
    pub(super) fn record(&self) -> Option<&'static Record> {
        self.shared.record()
    }

    /// Waits until the tracker is both closed and empty.
    #[track_caller]
    pub fn wait(&self) -> TaskTrackerWaitFuture<'_> {
        TaskTrackerWaitFuture::new(self.inner.wait(), self.record(), Location::caller())
    }

    /// Closes the tracker, so that [`wait`](Self::wait) ends once it is empty. Returns whether it
    /// was open before.
    pub fn close(&self) -> bool {
        let was_open = self.inner.close();
        self.note_state();
        was_open
    }

    /// Reopens the tracker, so that [`wait`](Self::wait) does not end. Returns whether it was
    /// closed before.
    pub fn reopen(&self) -> bool {
        let was_closed = self.inner.reopen();
        self.note_state();
        was_closed
    }

    fn note_state(&self) {
        if let Some(record) = self.record() {
            record.is_closed.store(self.inner.is_closed(), Relaxed);
        }
    }

    delegate! { inner:
        /// Returns whether the tracker is closed.
        #[must_use]
        pub fn is_closed(&self) -> bool;
        /// Returns the number of tracked tasks and tokens.
        #[must_use]
        pub fn len(&self) -> usize;
        /// Returns whether no task and no token is tracked.
        #[must_use]
        pub fn is_empty(&self) -> bool;
    }

    /// Spawns a task on the current runtime, and tracks it.
    #[track_caller]
    pub fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        launch!(number::here(), None, task: F, |task, number| {
            JoinHandle::new(self.inner.spawn(self.tracked(task, number)), number)
        })
    }

    /// Spawns a task on the runtime of `handle`, and tracks it.
    #[track_caller]
    pub fn spawn_on<F>(&self, task: F, handle: &Handle) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        launch!(number::on(handle), None, task: F, |task, number| {
            JoinHandle::new(self.inner.spawn_on(self.tracked(task, number), handle), number)
        })
    }

    /// Spawns a task on the current `LocalSet`, and tracks it.
    #[track_caller]
    pub fn spawn_local<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        launch!(number::local(), None, task: F, |task, number| {
            JoinHandle::new(self.inner.spawn_local(self.tracked(task, number)), number)
        })
    }

    /// Spawns a task on `local_set`, and tracks it.
    #[track_caller]
    pub fn spawn_local_on<F>(&self, task: F, local_set: &LocalSet) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        launch!(number::local(), None, task: F, |task, number| {
            JoinHandle::new(self.inner.spawn_local_on(self.tracked(task, number), local_set), number)
        })
    }

    /// Runs a closure on a thread for blocking code, and tracks it.
    #[track_caller]
    pub fn spawn_blocking<F, T>(&self, task: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let (work, number) = spawned::blocking(number::here(), Location::caller(), task);
        JoinHandle::new(self.inner.spawn_blocking(self.tracked_work(work, number)), number)
    }

    /// Runs a closure on a thread for blocking code of `handle`, and tracks it.
    #[track_caller]
    pub fn spawn_blocking_on<F, T>(&self, task: F, handle: &Handle) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let (work, number) = spawned::blocking(number::on(handle), Location::caller(), task);
        JoinHandle::new(self.inner.spawn_blocking_on(self.tracked_work(work, number), handle), number)
    }

    /// A task that has a unit of the tracker until its drop.
    #[track_caller]
    fn tracked<F>(&self, task: F, number: Numbered) -> TrackedTask<F> {
        TrackedTask::new(task, self.unit_of(number), self.shared.clone())
    }

    /// A closure that has a unit of the tracker until it has run.
    #[track_caller]
    fn tracked_work<F, T>(&self, work: F, number: Numbered) -> impl FnOnce() -> T + use<F, T>
    where
        F: FnOnce() -> T,
    {
        let (shared, holding) = (self.shared.clone(), self.unit_of(number));
        move || {
            // Both are dropped after the work, the holding first.
            let (_shared, _holding) = (shared, holding);
            work()
        }
    }

    /// The unit of a task that is spawned by the caller.
    #[track_caller]
    fn unit_of(&self, task: Numbered) -> Holding {
        Holding::in_root(self.record(), task.id().unwrap_or(0), Location::caller())
    }

    /// Tracks a future until its drop.
    #[track_caller]
    pub fn track_future<F: Future>(&self, future: F) -> TrackedFuture<F> {
        let at = Location::caller();
        TrackedFuture::new(self.inner.track_future(future), self.shared.clone(), at)
    }

    /// Creates a token that is tracked until its drop, as a task is.
    #[track_caller]
    pub fn token(&self) -> TaskTrackerToken {
        TaskTrackerToken::new(self.inner.token(), self.clone(), Location::caller())
    }

    /// Returns whether both are clones of one tracker.
    #[must_use]
    pub fn ptr_eq(left: &Self, right: &Self) -> bool {
        real::TaskTracker::ptr_eq(&left.inner, &right.inner)
    }
}

impl Clone for TaskTracker {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), shared: self.shared.clone() }
    }
}

default!([] TaskTracker);
debug!([] TaskTracker, inner: real::TaskTracker);
// A converted tracker is not on record, but the tasks that it spawns are.
convert!([] TaskTracker: real::TaskTracker, |inner| Self { inner, shared: Shared::NONE }, |it| it.inner);
deref!([] TaskTracker, inner: real::TaskTracker);
