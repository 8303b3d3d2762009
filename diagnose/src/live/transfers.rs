//! Counts of a task's spawns and sends, which may move its guards to other tasks.
//!
//! A task that has spawned or sent since it took a guard is not assumed to still own it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::sync::add_relaxed;

/// Number of spawns, above the number of sends: one word, because every holding stores it. After
/// 2³² sends, the sends carry into the spawns. This is harmless, because words are only compared.
/// The top bit belongs to neither count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TransferCounts(pub(crate) u64);

const SPAWNS: u64 = (1 << 31) - 1;

impl TransferCounts {
    pub(crate) fn spawned(self) -> u64 {
        self.0 >> 32 & SPAWNS
    }

    pub(crate) fn sent(self) -> u32 {
        u32::try_from(self.0 & u64::from(u32::MAX)).unwrap_or(0)
    }
}

/// Allocated at the first spawn or send of a task. Written by the thread that polls it.
#[derive(Debug, Default)]
pub(super) struct Transfers {
    counts: AtomicU64,
    /// The resource of the last send, the message's number there, and the tick at which the sending
    /// poll began.
    sent_to: [AtomicU64; 3],
    /// Id and counts of an earlier, finished task: the last one that spawned or sent.
    done: [AtomicU64; 2],
}

impl Transfers {
    /// Clears the counts for another task.
    pub(super) fn clear(&self) {
        self.counts.store(0, Relaxed);
        self.set_sent_to([0; 3]);
    }

    /// Keeps the counts of the finished task `id`.
    pub(super) fn end(&self, id: u64) {
        let TransferCounts(counts) = self.counts();
        if counts != 0 {
            self.done[0].store(id, Relaxed);
            self.done[1].store(counts, Relaxed);
        }
    }

    /// Id and counts of the finished task; zero if there is none.
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
