//! `tokio::task::JoinHandle`.

#![allow(clippy::must_use_candidate)] // Only the methods that tokio marks are `must_use`.

use std::future::Future;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::ptr;
use std::task::{Context, Poll};

use ::tokio::task::{Id, JoinError};

use super::spawn::numbered;
use super::{AbortHandle, ids};
use crate::context;
use crate::live::HANDLE;
use crate::spawned::RecordedTask;
use crate::tokio::sync::is_forced;
use crate::waits::{LazyWait, Polled, WaitInfo, WaitMode, WaitTarget, own_code};
use crate::wrap::{convert, debug, delegate};

/// tokio's `JoinHandle`. Awaiting it is recorded as a wait for its task.
///
/// If a library polls it, it is shown as waiting where the task was spawned.
pub struct JoinHandle<T> {
    inner: ::tokio::task::JoinHandle<T>,
    task: RecordedTask,
    made_at: &'static Location<'static>,
    wait: LazyWait,
    _counted: Counted,
}

/// While it exists, its owner may abort the task.
#[derive(Debug)]
struct Counted(RecordedTask);

impl Counted {
    fn new(task: RecordedTask) -> Self {
        task.add_handle(HANDLE);
        Self(task)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.remove_handle(HANDLE);
    }
}

impl<T> JoinHandle<T> {
    /// Wraps the handle of `task`.
    #[track_caller]
    pub(crate) fn new(inner: ::tokio::task::JoinHandle<T>, task: RecordedTask) -> Self {
        ids::count(task);
        Self {
            inner: numbered(task, inner),
            task,
            made_at: Location::caller(),
            wait: LazyWait::default(),
            _counted: Counted::new(task),
        }
    }

    /// Returns the record of the task.
    #[cfg(feature = "tokio-util")]
    pub(crate) fn task(&self) -> RecordedTask {
        self.task
    }

    /// Aborts the task, unless it is finished.
    pub fn abort(&self) {
        self.task.note_abort();
        self.inner.abort();
    }

    /// Returns a handle that can abort the task, but not await it.
    #[must_use = "abort handles do nothing unless `.abort` is called"]
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle::new(self.inner.abort_handle(), self.task)
    }

    /// Returns tokio's own handle.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    pub fn into_inner(self) -> ::tokio::task::JoinHandle<T> {
        self.task.add_original_handle();
        self.inner
    }

    delegate! { inner:
        /// Returns whether the task is finished.
        pub fn is_finished(&self) -> bool;
        /// Returns tokio's id of the task.
        pub fn id(&self) -> Id;
    }
}

// tokio's handle has these, too.
impl<T> UnwindSafe for JoinHandle<T> {}
impl<T> RefUnwindSafe for JoinHandle<T> {}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    // An `.await` in the program's own code is itself the caller.
    #[inline]
    #[track_caller]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let caller = Location::caller();
        let Self { inner, task, made_at, wait, .. } = self.get_mut();
        let is_owned = context::take_awaited_handle();
        if is_owned && !wait.is_pinned() {
            // An earlier poll was made through a reference.
            wait.end();
        }
        let is_listed = wait.is_listed();
        let info = || {
            let list = |task| if is_listed { Vec::new() } else { vec![task] };
            let target = task.id().map_or(WaitTarget::Resource(None), |task| WaitTarget::Tasks(list(task)));
            let at = own_code(caller, made_at);
            WaitInfo::new(target, WaitMode::Join, 1, at)
                .made_there(ptr::eq(at, *made_at))
                .forced_by(is_forced)
        };
        let polled = Polled { is_pinned: is_owned, ..Polled::default() };
        let output = wait.poll_where(cx, polled, info, |context| Pin::new(&mut *inner).poll(context));
        if output.is_ready() {
            wait.rest();
        }
        if matches!(output, Poll::Ready(Ok(_))) {
            task.note_output::<T>();
        }
        output
    }
}

debug!([T] JoinHandle<T>, inner: ::tokio::task::JoinHandle<T>);

// A converted handle: its task is not recorded.
convert!(
    [T] JoinHandle<T>: ::tokio::task::JoinHandle<T>,
    |inner| {
        let (task, wait, counted) = (RecordedTask::NONE, LazyWait::default(), Counted::new(RecordedTask::NONE));
        Self { inner, task, made_at: Location::caller(), wait, _counted: counted }
    },
    |it| it.into_inner()
);
