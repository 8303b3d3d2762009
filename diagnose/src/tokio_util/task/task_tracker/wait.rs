//! `TaskTrackerWaitFuture`.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::tokio_util::task::task_tracker as real;
use pin_project_lite::pin_project;

use crate::waits::{Record, WaitFuture, WaitInfo, WaitMode};

pin_project! {
    /// The future of [`wait`](super::TaskTracker::wait).
    #[must_use = "futures do nothing unless polled"]
    pub struct TaskTrackerWaitFuture<'a> {
        #[pin]
        waited: WaitFuture<real::TaskTrackerWaitFuture<'a>>,
    }
}

impl<'a> TaskTrackerWaitFuture<'a> {
    pub(super) fn new(
        future: real::TaskTrackerWaitFuture<'a>,
        record: Option<&'static Record>,
        at: &'static Location<'static>,
    ) -> Self {
        let info = WaitInfo::on(record, WaitMode::Closed, 1, at);
        Self { waited: WaitFuture::new(future, info).pinned() }
    }
}

impl Future for TaskTrackerWaitFuture<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.project().waited.poll(cx)
    }
}

impl fmt::Debug for TaskTrackerWaitFuture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.waited.future().fmt(f)
    }
}
