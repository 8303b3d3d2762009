//! Wakers that a primitive still stores once a future is ready. They wake the task as the
//! original's do: a program may rely on them.
//!
//! ```text
//! ready      the wait is over, and its waker may still be the one that wakes the task, as that of
//!            a `Sleep` that is reset, or of a set of tasks that is polled once per poll
//! dropped    the waker wakes a task that does not wait for this any more. It counts as known
//! ```
//! Until the future is dropped, the waker counts as one of unrecorded code, so nothing is proven
//! about its task.

use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::fence;
use std::task::Waker;

use super::lazy_wait::LazyWait;
#[cfg(feature = "tokio")]
use super::wait_cell::OVER;
use super::wait_cell::{INDIRECT, READY, WaitCell, WaitEnd};
use crate::context;
use crate::live::Promoted as _;

impl LazyWait {
    /// Ends the wait of a future that is ready. `promoted` is the wait of its first poll, if it has
    /// one.
    #[inline(never)]
    pub(super) fn end_ready(
        &mut self,
        promoted: Option<&'static WaitCell>,
        outer: &Waker,
        shares_waker: bool,
    ) {
        let Some(wait) = self.0.take().or(promoted) else { return };
        wait.forward().give_back();
        if shares_waker {
            wait.end(WaitEnd::ReadyShared);
        } else if wait.forward().clones() == 0 {
            wait.end(WaitEnd::Ready);
        } else {
            wait.leave_waker(outer);
            self.0 = Some(wait);
        }
    }

    /// Counts the waker of a future that is ready as known: only [`abandon`](Self::abandon) makes
    /// the primitive use it.
    #[cfg(feature = "tokio")]
    pub(crate) fn rest(&self) {
        if let Some(wait) = self.0.filter(|wait| wait.is_ready()) {
            wait.set(OVER, true);
        }
    }

    /// Ends the wait of a primitive that goes on: its waker may wake the task at any time.
    #[cfg(feature = "tokio")]
    pub(crate) fn abandon(&mut self) {
        if let Some(wait) = self.0.take() {
            wait.set(OVER, false);
            wait.end(if wait.is_ready() { WaitEnd::ReadyShared } else { WaitEnd::GivenUp });
        }
    }
}

impl WaitCell {
    /// Ends the wait, and leaves its waker where it is stored. A later wait of the same future gets
    /// another id.
    fn leave_waker(&'static self, outer: &Waker) {
        self.unlist(WaitEnd::Ready);
        // Pairs with the Acquire fence in `copy`, as in `take`.
        fence(Release);
        self.polls.store(0, Relaxed);
        self.woken.store(0, Relaxed);
        // Release pairs with the Acquire in `copy`, as in `take`.
        self.id.store(context::new_span(), Release);
        let is_indirect = self.note_poll(Some(outer));
        self.flags.store(READY | if is_indirect { INDIRECT } else { 0 }, Release);
    }

    #[cfg(feature = "tokio")]
    fn is_ready(&self) -> bool {
        self.flags.load(Relaxed) & READY != 0
    }
}
