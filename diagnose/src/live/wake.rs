//! Recording of a task's wakes.

use std::sync::atomic::Ordering::{Relaxed, Release};
use std::task::RawWakerVTable;

use super::current;
use super::forward::Forward;
use super::live_slot::RUNNING;
use super::task::{IN_POLL, Task};
use super::task_origin::TaskKind;
use super::waker::{self, Promoted};
use crate::clock;
use crate::context;
use crate::pool;

impl Task {
    /// Records an abort as a wake. A function on a thread for blocking calls is not stopped by it.
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

    #[inline]
    fn table() -> &'static RawWakerVTable {
        &TABLE
    }

    /// Reads the clock, unless the task is already woken, is being polled, or is woken through one
    /// of its waits, which has read the clock.
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
        // Release pairs with the Acquire of `doing`: a reader that finds the task woken finds its
        // waking task. Either of two concurrent wakes may be the recorded one.
        self.woken_at.store(woken_at, Release);
    }

    #[inline]
    fn note_own_wake(&self) -> bool {
        let is_polled_here = current::registered().is_some_and(|task| std::ptr::eq(task, self));
        if is_polled_here && self.woken_at.load(Relaxed) == 0 {
            self.woken_by.store(self.id(), Relaxed);
            // Release pairs with the Acquire of `doing`, as in `note_wake`.
            self.woken_at.store(IN_POLL, Release);
        }
        is_polled_here
    }

    fn free(&'static self) {
        self.clear();
        self.note_left_waker();
        pool::put(self);
    }
}
