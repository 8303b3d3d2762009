//! What a task has given away: how often it has spawned and sent, so that nobody takes it for the owner of what is with
//! another by now.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::sync::add_relaxed;

/// How often a task has spawned, above how often it has sent: one word, because every holding notes it. It is only compared:
/// 2³² messages change both, and that is no harm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TransferCounts(pub(crate) u64);

impl TransferCounts {
    pub(crate) fn spawned(self) -> u64 {
        self.0 >> 32
    }

    pub(crate) fn sent(self) -> u32 {
        u32::try_from(self.0 & u64::from(u32::MAX)).unwrap_or(0)
    }
}

/// Made with the first that a task gives away. Written by the thread that polls the task.
#[derive(Debug)]
pub(super) struct Transfers {
    counts: AtomicU64,
    /// The resource that it has sent to last, the number of the message there, and when the poll began.
    sent_to: [AtomicU64; 3],
    /// The number of the last task before this one that had given something away and is done, and its counts.
    done: [AtomicU64; 2],
}

impl Transfers {
    pub(super) fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self { counts: zero(), sent_to: [zero(), zero(), zero()], done: [zero(), zero()] }
    }

    /// Begins anew, for another task.
    pub(super) fn clear(&self) {
        self.counts.store(0, Relaxed);
        self.set_sent_to([0; 3]);
    }

    /// The task of that number, which has given this away, is done.
    pub(super) fn end(&self, id: u64) {
        let TransferCounts(counts) = self.counts();
        if counts != 0 {
            self.done[0].store(id, Relaxed);
            self.done[1].store(counts, Relaxed);
        }
    }

    /// The number of that task, and its counts; zero if there is none.
    pub(super) fn done(&self) -> (u64, TransferCounts) {
        (self.done[0].load(Relaxed), TransferCounts(self.done[1].load(Relaxed)))
    }

    pub(super) fn count_spawn(&self) {
        add_relaxed(&self.counts, 1 << 32);
    }

    #[inline]
    pub(super) fn count_send(&self, resource: u64, message: u64, now: u64) {
        add_relaxed(&self.counts, 1);
        self.set_sent_to([resource, message, now]);
    }

    #[inline]
    fn set_sent_to(&self, values: [u64; 3]) {
        for (part, value) in self.sent_to.iter().zip(values) {
            part.store(value, Relaxed);
        }
    }

    #[inline]
    pub(super) fn counts(&self) -> TransferCounts {
        TransferCounts(self.counts.load(Relaxed))
    }

    pub(super) fn sent_to(&self) -> [u64; 3] {
        self.sent_to.each_ref().map(|part| part.load(Relaxed))
    }
}
