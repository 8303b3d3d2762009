//! `TaskTrackerWaitFuture`.

use ::tokio_util::task::task_tracker as real;

use crate::wrap::future;

future! {
    /// The future of [`wait`](super::TaskTracker::wait).
    #[must_use = "futures do nothing unless polled"]
    pub struct TaskTrackerWaitFuture<'a> {
        #[pin]
        waited: WaitFuture<real::TaskTrackerWaitFuture<'a>>,
    }
    -> ();
}
