//! How long tasks waited for a resource and held it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::record::Record;
use crate::sync::add_relaxed;

/// Histogram of durations in ticks: one count per power of two.
#[derive(Debug, Clone)]
pub(crate) struct Durations {
    pub(crate) counts: [u64; 64],
    pub(crate) longest: u64,
}

/// Waits and holds of a resource, as far as the clock was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Usage {
    pub(crate) contended: u64,
    pub(crate) waits: Durations,
    pub(crate) holds: Durations,
}

#[derive(Debug)]
pub(super) struct UsageCounters {
    waits: UsageCounts,
    holds: UsageCounts,
}

#[derive(Debug)]
struct UsageCounts {
    counts: [AtomicU64; 64],
    longest: AtomicU64,
}

impl Default for Durations {
    fn default() -> Self {
        Self { counts: [0; 64], longest: 0 }
    }
}

impl Durations {
    pub(super) fn add(&mut self, ticks: u64) {
        self.counts[(ticks | 1).ilog2() as usize] += 1;
        self.longest = self.longest.max(ticks);
    }
}

impl UsageCounters {
    pub(super) fn new() -> Self {
        Self { waits: UsageCounts::new(), holds: UsageCounts::new() }
    }

    pub(super) fn add_wait(&self, ticks: u64) {
        self.waits.add(ticks);
    }

    pub(super) fn add_hold(&self, ticks: u64) {
        self.holds.add(ticks);
    }

    pub(super) fn clear(&self) {
        self.waits.clear();
        self.holds.clear();
    }

    pub(super) fn read(&self) -> (Durations, Durations) {
        (self.waits.read(), self.holds.read())
    }
}

impl UsageCounts {
    fn new() -> Self {
        Self { counts: [const { AtomicU64::new(0) }; 64], longest: AtomicU64::new(0) }
    }

    fn add(&self, ticks: u64) {
        self.counts[(ticks | 1).ilog2() as usize].fetch_add(1, Relaxed);
        if ticks > self.longest.load(Relaxed) {
            self.longest.fetch_max(ticks, Relaxed);
        }
    }

    fn clear(&self) {
        self.counts.iter().for_each(|count| count.store(0, Relaxed));
        self.longest.store(0, Relaxed);
    }

    fn read(&self) -> Durations {
        let counts = self.counts.each_ref().map(|count| count.load(Relaxed));
        Durations { counts, longest: self.longest.load(Relaxed) }
    }
}

impl Record {
    /// Counts an acquisition. Returns how many there have been.
    #[inline]
    pub(super) fn count_acquisition(&self) -> u64 {
        // A resource with one unit has one writer at a time, ordered by its own lock. So no
        // read-modify-write is needed.
        if self.capacity.load(Relaxed) == 1 {
            add_relaxed(&self.entered, 1);
            return self.entered.load(Relaxed);
        }
        // Relaxed: no other data depends on this count.
        self.entered.fetch_add(1, Relaxed).wrapping_add(1)
    }
}
