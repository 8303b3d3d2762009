//! `TaskTrackerToken`.

use std::fmt;
use std::panic::Location;

use ::tokio_util::task::task_tracker as real;

use super::TaskTracker;
use crate::waits::Holding;
use crate::wrap::convert;

/// tokio-util's `TaskTrackerToken`. While it exists, [`wait`](TaskTracker::wait) does not end.
#[must_use]
// The holding is the first field: it ends before the tracker stops counting the token.
pub struct TaskTrackerToken {
    holding: Holding,
    inner: real::TaskTrackerToken,
    task_tracker: TaskTracker,
}

impl TaskTrackerToken {
    /// Wraps a token of `task_tracker` that was taken at `at`.
    pub(super) fn new(
        inner: real::TaskTrackerToken,
        task_tracker: TaskTracker,
        at: &'static Location<'static>,
    ) -> Self {
        Self { holding: Holding::reserve(task_tracker.record(), 1, at, true), inner, task_tracker }
    }

    /// Returns the tracker of this token.
    #[must_use]
    pub fn task_tracker(&self) -> &TaskTracker {
        self.holding.accessed();
        &self.task_tracker
    }
}

impl Clone for TaskTrackerToken {
    /// Returns another token of the same tracker.
    #[track_caller]
    fn clone(&self) -> Self {
        self.task_tracker().token()
    }
}

impl fmt::Debug for TaskTrackerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

// A converted token is not on record, and neither is its tracker.
convert!(
    [] TaskTrackerToken: real::TaskTrackerToken,
    |inner| {
        let task_tracker = inner.task_tracker().clone().into();
        Self { holding: Holding::NONE, inner, task_tracker }
    },
    |it| {
        it.holding.lose();
        // The original can close the tracker.
        drop(it.task_tracker.into_inner());
        it.inner
    }
);
