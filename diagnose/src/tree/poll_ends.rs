//! The ends of a thread's last polls that left unpolled futures behind.

use crate::sync::{AtomicU64, Ordering};

/// Number of poll ends that are stored.
#[cfg(not(diagnose_loom))]
const MAX_ENDS: usize = 64;
/// One, so that the model checker sees it overwritten.
#[cfg(diagnose_loom)]
const MAX_ENDS: usize = 1;

/// Written by the tree's thread, read by the thread that first polls a future left behind.
#[derive(Debug)]
pub(crate) struct PollEnds {
    next: AtomicU64,
    /// The number of each poll, and the tick of its end.
    ends: [[AtomicU64; 2]; MAX_ENDS],
}

impl Default for PollEnds {
    fn default() -> Self {
        Self { next: AtomicU64::default(), ends: std::array::from_fn(|_| Default::default()) }
    }
}

impl PollEnds {
    /// Records the end of a poll.
    pub(crate) fn note(&self, poll: u64, now: u64) {
        let next = self.next.load(Ordering::Relaxed);
        let [number, end] = &self.ends[usize::try_from(next).unwrap_or(0) % MAX_ENDS];
        // Zero while the end changes, so that no number stands next to another poll's end.
        number.store(0, Ordering::Relaxed);
        // Release pairs with the Acquire of `of` that reads the end: a thread that sees this end
        // sees the zero above, or a later number.
        end.store(now, Ordering::Release);
        // Release pairs with the Acquire of `of` that reads the number: a thread that sees this
        // number sees the end above.
        number.store(poll, Ordering::Release);
        self.next.store(next + 1, Ordering::Relaxed);
    }

    /// The end of a poll. `None` if it is still running, or its entry was overwritten.
    pub(crate) fn of(&self, poll: u64) -> Option<u64> {
        // Acquire pairs with the last Release of `note`: the end of this number, or of a later one.
        let is_it = |[number, _]: &&[AtomicU64; 2]| number.load(Ordering::Acquire) == poll;
        let [number, end] = self.ends.iter().find(is_it)?;
        // Acquire pairs with the first Release of `note`: if the end is of a later poll, the number
        // has changed.
        let end = end.load(Ordering::Acquire);
        (number.load(Ordering::Relaxed) == poll).then_some(end)
    }
}
