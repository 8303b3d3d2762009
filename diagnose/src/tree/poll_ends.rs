//! When the last polls of a thread have ended that left futures behind which were made and not polled.

use crate::sync::{AtomicU64, Ordering};

/// So many are kept.
const KEPT: usize = 64;

/// Written by the tree's thread, read by whichever polls such a future.
#[derive(Debug)]
pub(crate) struct PollEnds {
    next: AtomicU64,
    /// The numbers of the polls, and the ticks of their ends.
    ends: [[AtomicU64; 2]; KEPT],
}

impl PollEnds {
    pub(super) fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self { next: zero(), ends: std::array::from_fn(|_| [zero(), zero()]) }
    }

    /// The poll of that number ends now.
    pub(crate) fn note(&self, poll: u64, now: u64) {
        let next = self.next.load(Ordering::Relaxed);
        let [number, end] = &self.ends[usize::try_from(next).unwrap_or(0) % KEPT];
        // Zero in between, so that no number stands beside another's end.
        number.store(0, Ordering::Release);
        end.store(now, Ordering::Release);
        number.store(poll, Ordering::Release);
        self.next.store(next + 1, Ordering::Relaxed);
    }

    /// When that poll has ended. `None` if it is still running, or was too long ago.
    pub(crate) fn of(&self, poll: u64) -> Option<u64> {
        let is_it = |[number, _]: &&[AtomicU64; 2]| number.load(Ordering::Acquire) == poll;
        // Acquire pairs with the Release of `note`, twice: the end is that of this number.
        let [number, end] = self.ends.iter().find(is_it)?;
        let end = end.load(Ordering::Acquire);
        (number.load(Ordering::Acquire) == poll).then_some(end)
    }
}
