//! A wake of a task: what is noted of it.

use std::sync::atomic::Ordering::{Relaxed, Release};
use std::task::RawWakerVTable;

use super::current;
use super::forward::Forward;
use super::task::{IN_POLL, RUNNING, Task};
use super::task_origin::TaskKind;
use super::waker::{self, Promoted};
use crate::clock;
use crate::context;
use crate::pool;

impl Task {
    /// It is about to be aborted. A function on a thread for blocking calls goes on all the same.
    pub(crate) fn note_abort(&self) {
        if self.origin().is_some_and(|(_, origin)| origin.work == TaskKind::Future) {
            self.note_wake();
        }
    }
}

static TABLE: RawWakerVTable = waker::promoted_table::<Task>();

impl Promoted for Task {
    fn forward(&self) -> &Forward {
        &self.forward
    }

    fn table() -> &'static RawWakerVTable {
        &TABLE
    }

    /// One reading of the clock, and none if it is woken already, if it is being polled, or if the wake has come through a wait of
    /// its, which has read it.
    #[inline]
    fn note_wake(&self) {
        if self.woken_at.load(Relaxed) != 0 {
            return;
        }
        let woken_at = if self.since.load(Relaxed) & 3 == RUNNING {
            IN_POLL
        } else {
            match context::wake_stamp() {
                0 => clock::now(),
                stamp => stamp,
            }
        };
        self.woken_by.store(context::task(), Relaxed);
        // Release pairs with the Acquire of `doing`: who finds the task woken finds by whom. Of two wakes at the same time either
        // may stay.
        self.woken_at.store(woken_at, Release);
    }

    #[inline]
    fn is_polled_here(&self) -> bool {
        current::registered().is_some_and(|task| std::ptr::eq(task, self))
    }

    fn free(&'static self) {
        self.clear();
        pool::put(self);
    }
}
