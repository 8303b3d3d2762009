//! `TaskTracker`.

use std::future::Future;
use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;

use ::tokio::runtime::Handle;
use ::tokio::task::LocalSet;
use ::tokio_util::task::task_tracker as real;

use super::tracked::TrackedTask;
use super::{TaskTrackerToken, TaskTrackerWaitFuture, TrackedFuture};
use crate::spawned::{self, RecordedTask, launch};
use crate::tokio::runtime::number;
use crate::tokio::task::JoinHandle;
use crate::waits::{
    ChannelEnd, Holding, Record, ResourceKind, ResourceType, Role, WaitFuture, WaitInfo, WaitMode,
};
use crate::wrap::{around, default, delegate};

static TYPE: ResourceType = ResourceType::new(ResourceKind::TaskTracker, "tokio-util");

/// tokio-util's `TaskTracker`. The tasks that it spawns are listed, and so is a wait for them.
///
/// A tracker and its clones are one resource, shown with the place of its creation.
///
/// Methods take tokio's own `Handle` or `LocalSet`; a reference to a wrapper coerces to it.
pub struct TaskTracker {
    inner: real::TaskTracker,
    end: ChannelEnd,
}

impl TaskTracker {
    /// Creates a tracker without tasks, which is not closed.
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        Self { inner: real::TaskTracker::new(), end: ChannelEnd::using(&TYPE, Location::caller()) }
    }

    /// Returns its record, or `None` if it was made while recording is off.
    pub(super) fn record(&self) -> Option<&'static Record> {
        self.end.record()
    }

    /// Waits until the tracker is both closed and empty.
    #[track_caller]
    pub fn wait(&self) -> TaskTrackerWaitFuture<'_> {
        let at = Location::caller();
        self.end.used(at);
        let info = WaitInfo::on(self.record(), WaitMode::Closed, 1, at);
        TaskTrackerWaitFuture::new(WaitFuture::new(self.inner.wait(), info).pinned())
    }

    /// Closes the tracker, so that [`wait`](Self::wait) ends once it is empty. Returns whether it
    /// was open before.
    #[track_caller]
    pub fn close(&self) -> bool {
        let was_open = self.inner.close();
        self.note_state(Location::caller());
        was_open
    }

    /// Reopens the tracker, so that [`wait`](Self::wait) does not end. Returns whether it was
    /// closed before.
    #[track_caller]
    pub fn reopen(&self) -> bool {
        let was_closed = self.inner.reopen();
        self.note_state(Location::caller());
        was_closed
    }

    fn note_state(&self, at: &'static Location<'static>) {
        self.end.used(at);
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
    fn tracked<F>(&self, task: F, number: RecordedTask) -> TrackedTask<F> {
        TrackedTask::new(task, self.unit_of(number), self.end.shared())
    }

    /// A closure that has a unit of the tracker until it has run.
    #[track_caller]
    fn tracked_work<F, T>(&self, work: F, number: RecordedTask) -> impl FnOnce() -> T + use<F, T>
    where
        F: FnOnce() -> T,
    {
        let (shared, holding) = (self.end.shared(), self.unit_of(number));
        move || {
            // Both are dropped after the work, the holding first.
            let (_shared, _holding) = (shared, holding);
            work()
        }
    }

    /// The unit of a task that is spawned by the caller.
    #[track_caller]
    fn unit_of(&self, task: RecordedTask) -> Holding {
        let at = Location::caller();
        self.end.used(at);
        Holding::in_root(self.record(), task.id().unwrap_or(0), at)
    }

    /// Tracks a future until its drop.
    #[track_caller]
    pub fn track_future<F: Future>(&self, future: F) -> TrackedFuture<F> {
        let at = Location::caller();
        self.end.used(at);
        TrackedFuture::new(self.inner.track_future(future), self.end.shared(), at)
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
    #[track_caller]
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), end: self.end.another(Role::Uses, Location::caller()) }
    }
}

default!([] TaskTracker);
// A converted tracker is not on record, but the tasks that it spawns are.
around!([] TaskTracker: real::TaskTracker, |inner| Self { inner, end: ChannelEnd::none() });
