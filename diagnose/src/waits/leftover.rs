//! Wakers that a primitive still stores once a future is ready. They wake the task as the
//! original's do: a program may rely on them.
//!
//! ```text
//! the future is   the waker
//! ready           may still be the one that wakes the task, as that of a set of tasks that is
//!                 polled once per poll. It counts as one of unrecorded code
//! at rest         is not used: a finished `JoinHandle`, an elapsed timer. It does not count
//! dropped         most likely wakes the task in vain. Snapshots decide (`snapshot/leftovers.rs`)
//! ```

use std::panic::Location;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::task::Waker;

use super::lazy_wait::LazyWait;
use super::wait_cell::{INDIRECT, OVER, READY, RESTS, WaitCell, WaitEnd};
use crate::live::Promoted as _;

impl LazyWait {
    /// Ends the wait of a future that is ready. `promoted` is the wait of its first poll, if it has
    /// one. If other futures of the task may rely on the waker, it always counts as one of
    /// unrecorded code.
    #[inline(never)]
    pub(super) fn end_ready(
        &mut self,
        promoted: Option<&'static WaitCell>,
        outer: &Waker,
        shares_waker: bool,
    ) {
        let Some(wait) = self.0.take().or(promoted) else { return };
        wait.forward().give_back();
        if shares_waker || wait.forward().clones() == 0 {
            wait.end(WaitEnd::Ready);
        } else {
            wait.leave_waker(outer);
            self.0 = Some(wait);
        }
    }

    /// Records that the primitive does not use the waker of a future that is ready, unless
    /// [`abandon`](Self::abandon) is called before.
    #[cfg(feature = "tokio")]
    pub(crate) fn rest(&self) {
        if let Some(wait) = self.0.filter(|wait| wait.is_ready()) {
            wait.show_left(OVER | RESTS);
        }
    }

    /// Ends the wait of a primitive that goes on: its waker may wake the task at any time.
    #[cfg(feature = "tokio")]
    pub(crate) fn abandon(&mut self) {
        if let Some(wait) = self.0.take() {
            wait.set(OVER | RESTS, false);
            wait.end(if wait.is_ready() { WaitEnd::Ready } else { WaitEnd::GivenUp });
        }
    }
}

impl WaitCell {
    /// Ends the wait, and leaves its waker where it is stored. The cell gets another id, so that no
    /// reader takes it for the wait that is over.
    fn leave_waker(&'static self, outer: &Waker) {
        self.unlist(WaitEnd::Ready);
        self.renew();
        self.woken.store(0, Relaxed);
        // A reader skips a cell without a place. A wait that never began has none, and no report
        // shows this one.
        if self.at.get().is_none() {
            self.at.set(Location::caller());
        }
        let is_indirect = self.note_poll(Some(outer));
        self.flags.store(READY | if is_indirect { INDIRECT } else { 0 }, Relaxed);
    }

    /// Lets readers count the wakers that the wait has left.
    pub(super) fn show_left(&self, flags: u32) {
        // Release pairs with the Acquire of `copy`: a reader that finds these flags sees the task.
        self.flags.store(self.flags.load(Relaxed) | flags, Release);
    }

    fn is_ready(&self) -> bool {
        self.flags.load(Relaxed) & READY != 0
    }

    /// Begins a poll of a future whose wait is in `slot` and not listed. Returns the tick of the
    /// wake that it answers, or 0. A future that was ready gets another wait: a late wake by the
    /// waker of the first one is none of the second.
    #[cold]
    pub(super) fn enter_unlisted(&'static self, slot: &mut Option<&'static Self>) -> u64 {
        if !self.is_ready() {
            return self.forget_wake();
        }
        *slot = None;
        self.set(OVER | RESTS, false);
        self.end(WaitEnd::Ready);
        0
    }
}
