//! Counts of a task's spawns and sends, which may move its guards to other tasks.
//!
//! A task that has spawned or sent since it took a guard is not assumed to still own it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::task::Task;
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

    #[inline]
    fn set_sent_to(&self, values: [u64; 3]) {
        for (part, value) in self.sent_to.iter().zip(values) {
            part.store(value, Relaxed);
        }
    }

    #[inline]
    fn counts(&self) -> TransferCounts {
        TransferCounts(self.counts.load(Relaxed))
    }
}

impl Task {
    pub(crate) fn count_spawn(&self) {
        add_relaxed(&self.transfers_or_new().counts, 1 << 32);
    }

    /// Counts a send of a message that may contain the task's guards. `now` is when its poll began.
    #[inline]
    pub(crate) fn count_send(&self, resource: u64, message: u64, now: u64) {
        let transfers = self.transfers_or_new();
        add_relaxed(&transfers.counts, 1);
        transfers.set_sent_to([resource, message, now]);
    }

    #[inline]
    fn transfers_or_new(&self) -> &'static Transfers {
        self.transfers.get().unwrap_or_else(|| self.begin_transfers())
    }

    #[cold]
    fn begin_transfers(&self) -> &'static Transfers {
        let transfers: &'static Transfers = Box::leak(Box::default());
        self.transfers.set(transfers);
        transfers
    }

    /// Counts of the task's spawns, and of its sends that may have moved a guard.
    #[inline]
    pub(crate) fn transfer_counts(&self) -> TransferCounts {
        self.transfers.get().map_or(TransferCounts::default(), Transfers::counts)
    }

    /// Id and counts of an earlier, finished task of this record: the last one that spawned or
    /// sent.
    pub(crate) fn transfers_of_earlier(&self) -> Option<(u64, TransferCounts)> {
        let [id, counts] = self.transfers.get()?.done.each_ref().map(|part| part.load(Relaxed));
        (id != 0).then_some((id, TransferCounts(counts)))
    }

    /// The resource of the last send, the message's number there, and the tick at which the sending
    /// poll began.
    pub(crate) fn sent_to(&self) -> [u64; 3] {
        let transfers = self.transfers.get();
        transfers.map_or([0; 3], |transfers| transfers.sent_to.each_ref().map(|part| part.load(Relaxed)))
    }
}
