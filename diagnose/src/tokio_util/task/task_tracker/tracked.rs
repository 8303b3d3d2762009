//! `TrackedFuture`, and the future of a task that its tracker has spawned.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::tokio_util::task::task_tracker as real;
use pin_project_lite::pin_project;

use crate::waits::{Holding, Shared};
use crate::wrap::convert;

pin_project! {
    /// tokio-util's `TrackedFuture`. Until its drop, [`wait`](super::TaskTracker::wait) does not
    /// end.
    ///
    /// The task that polled it last has it.
    #[must_use = "futures do nothing unless polled"]
    // The holding is the first field: it ends before the tracker stops counting the future.
    pub struct TrackedFuture<F> {
        holding: Holding,
        #[pin]
        inner: real::TrackedFuture<F>,
        // Dropped after the holding in it.
        tracker: Shared,
    }
}

impl<F> TrackedFuture<F> {
    /// Wraps a future that `tracker` counts since the call at `at`.
    pub(super) fn new(
        inner: real::TrackedFuture<F>,
        tracker: Shared,
        at: &'static Location<'static>,
    ) -> Self {
        Self { holding: Holding::reserve(tracker.record(), 1, at, true), inner, tracker }
    }
}

impl<F: Future> Future for TrackedFuture<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        this.holding.accessed();
        this.inner.poll(cx)
    }
}

impl<F: fmt::Debug> fmt::Debug for TrackedFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

// A converted future is not on record.
convert!(
    [F] TrackedFuture<F>: real::TrackedFuture<F>,
    |inner| Self { holding: Holding::NONE, inner, tracker: Shared::NONE },
    |it| {
        it.holding.lose();
        it.inner
    }
);

pin_project! {
    /// A spawned task with its unit of a tracker. The tracker stops counting it after its drop.
    pub(super) struct TrackedTask<F> {
        #[pin]
        task: F,
        holding: Holding,
        tracker: Shared,
    }
}

impl<F> TrackedTask<F> {
    pub(super) fn new(task: F, holding: Holding, tracker: Shared) -> Self {
        Self { task, holding, tracker }
    }
}

impl<F: Future> Future for TrackedTask<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.project().task.poll(cx)
    }
}
