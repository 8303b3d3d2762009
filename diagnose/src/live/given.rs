//! What a task has given away: how often it has spawned and sent, so that nobody takes it for the owner of what is with
//! another by now.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Made with the first that a task gives away. Written by the thread that polls the task.
#[derive(Debug)]
pub(super) struct Given {
    spawned: AtomicU32,
    sent: AtomicU32,
    /// The resource that it has sent to last, the number of the message there, and when the poll began.
    sent_to: [AtomicU64; 3],
    /// The number of the last task before this one that had given something away and is done, how often it had spawned, and sent.
    done: [AtomicU64; 3],
}

impl Given {
    pub(super) fn new() -> Self {
        let zero = || AtomicU64::new(0);
        let zeros = || [zero(), zero(), zero()];
        Self { spawned: AtomicU32::new(0), sent: AtomicU32::new(0), sent_to: zeros(), done: zeros() }
    }

    /// Begins anew, for another task.
    pub(super) fn clear(&self) {
        self.spawned.store(0, Relaxed);
        self.sent.store(0, Relaxed);
        self.set_sent_to([0; 3]);
    }

    /// The task of that number, which has given this away, is done.
    pub(super) fn end(&self, id: u64) {
        let (spawned, sent) = self.counts();
        if (spawned, sent) != (0, 0) {
            for (part, value) in self.done.iter().zip([id, spawned.into(), sent.into()]) {
                part.store(value, Relaxed);
            }
        }
    }

    /// The number of that task, and its counts; zero if there is none.
    pub(super) fn done(&self) -> (u64, (u32, u32)) {
        let [id, spawned, sent] = self.done.each_ref().map(|part| part.load(Relaxed));
        let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
        (id, (count(spawned), count(sent)))
    }

    pub(super) fn note_spawn(&self) {
        self.spawned.store(self.spawned.load(Relaxed).wrapping_add(1), Relaxed);
    }

    #[inline]
    pub(super) fn note_send(&self, resource: u64, message: u64, now: u64) {
        self.sent.store(self.sent.load(Relaxed).wrapping_add(1), Relaxed);
        self.set_sent_to([resource, message, now]);
    }

    #[inline]
    fn set_sent_to(&self, values: [u64; 3]) {
        for (part, value) in self.sent_to.iter().zip(values) {
            part.store(value, Relaxed);
        }
    }

    /// How often something was spawned, and sent.
    #[inline]
    pub(super) fn counts(&self) -> (u32, u32) {
        (self.spawned.load(Relaxed), self.sent.load(Relaxed))
    }

    pub(super) fn sent_to(&self) -> [u64; 3] {
        self.sent_to.each_ref().map(|part| part.load(Relaxed))
    }
}
