//! When the last polls of a thread have ended that left futures behind which were made and not polled.

use crate::sync::{AtomicU64, Ordering};

/// So many are kept.
#[cfg(not(diagnose_loom))]
const KEPT: usize = 64;
/// One, so that the model checker sees it written over.
#[cfg(diagnose_loom)]
const KEPT: usize = 1;

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
        // Zero while the end changes, so that no number stands beside another's end.
        number.store(0, Ordering::Relaxed);
        // Release pairs with the Acquire of `of` that reads the end: whoever sees this end sees the zero above, or what followed it.
        end.store(now, Ordering::Release);
        // Release pairs with the Acquire of `of` that reads the number: whoever sees this number sees the end above.
        number.store(poll, Ordering::Release);
        self.next.store(next + 1, Ordering::Relaxed);
    }

    /// When that poll has ended. `None` if it is still running, or was too long ago.
    pub(crate) fn of(&self, poll: u64) -> Option<u64> {
        // Acquire pairs with the last Release of `note`: the end of this number, or of a later one.
        let is_it = |[number, _]: &&[AtomicU64; 2]| number.load(Ordering::Acquire) == poll;
        let [number, end] = self.ends.iter().find(is_it)?;
        // Acquire pairs with the first Release of `note`: beside the end of a later poll the number has changed.
        let end = end.load(Ordering::Acquire);
        (number.load(Ordering::Relaxed) == poll).then_some(end)
    }
}
