//! What is left of a task after its end: clones of its waker.
//!
//! A wake through such a clone polls whatever runs on the task's thread or runtime by then.

use std::sync::atomic::Ordering::{Acquire, Relaxed};

use super::live_slot::WAITING;
use super::task::Task;
use super::task_origin::{PackedOrigin, SpawnTarget};
use crate::clock;
use crate::site::Site;

impl Task {
    /// Returns the task's target and site, if the task is over and no other task has its record
    /// yet.
    pub(crate) fn ended(&self) -> Option<(SpawnTarget, &'static Site)> {
        // Acquire pairs with the Release in `occupy`, as in `origin`.
        let is_over = self.id.load(Acquire) == 0;
        let site = self.site.get().filter(|_| is_over)?;
        Some((self.target(), site))
    }

    /// Returns whether its end may hand a current-thread runtime over to the `block_on` of another
    /// thread.
    pub(super) fn hands_over(&self) -> bool {
        let target = self.target();
        target.is_local && target.number != 0
    }

    fn target(&self) -> SpawnTarget {
        PackedOrigin(self.origin.load(Relaxed)).target()
    }

    /// Records that the last waker is dropped after the task's end. That waker may have woken
    /// whatever runs on the task's thread now, which is then polled without a waker of its own.
    pub(super) fn note_left_waker(&self) {
        if self.target().is_local {
            self.since.store(clock::now() << 2 | WAITING, Relaxed);
        }
    }

    /// For an ended task: the tick at which its last waker was dropped, if that was later.
    pub(crate) fn left_waker_until(&self) -> Option<u64> {
        let since = self.since.load(Relaxed);
        (since & 3 == WAITING).then_some(since >> 2)
    }
}
