//! How long tasks waited for a resource and held it.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed},
};

use std::panic::Location;

use super::record::{QUEUED, Record, WAITING};
use super::resource_type::{ResourceKind, UNBOUNDED};
use super::usage_places::{MANY_ROWS, UsagePlace, UsagePlaces, add_places, subtract_places};
use crate::recorder;
use crate::sync::add_relaxed;
use crate::tree::{DurationCount, DurationsCopy, Node, Octaves};

/// Durations, and their sum in ticks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Durations {
    pub(crate) each: DurationsCopy,
    pub(crate) total: u64,
}

/// Waits and holds of a resource that were measured. A sampled hold counts for all holds that it
/// represents.
#[derive(Debug, Clone, Default)]
pub(crate) struct Usage {
    /// Number of waits that have ended, including those that were given up.
    pub(crate) ended_waits: u64,
    pub(crate) waits: Durations,
    pub(crate) holds: Durations,
    /// The calls that waited, most time first; empty for channels and the like. For a broadcast
    /// channel, the calls that missed messages, with their number in place of ticks.
    pub(crate) waiters: Vec<UsagePlace>,
    /// The calls that held it, most time first; empty for channels and the like.
    pub(crate) holders: Vec<UsagePlace>,
}

#[derive(Debug, Default)]
pub(super) struct UsageCounters {
    waits: UsageCounts,
    holds: UsageCounts,
    waiters: UsagePlaces,
    holders: UsagePlaces,
}

#[derive(Debug, Default)]
struct UsageCounts {
    octaves: Octaves,
    longest: AtomicU64,
    total: AtomicU64,
}

impl Durations {
    fn add(&mut self, ticks: u64) {
        self.each.calls += 1;
        self.each.count(DurationCount::one(ticks));
        self.each.longest = self.each.longest.max(ticks);
        self.total = self.total.saturating_add(ticks);
    }

    fn add_all(&mut self, other: &Self) {
        self.each.add(&other.each);
        self.total = self.total.saturating_add(other.total);
    }

    fn subtract(&mut self, before: &Self) {
        self.each.subtract(&before.each);
        self.total = self.total.saturating_sub(before.total);
    }
}

impl Usage {
    pub(crate) fn is_empty(&self) -> bool {
        let is_zero = |durations: &Durations| durations.each.calls == 0;
        self.ended_waits == 0 && is_zero(&self.waits) && is_zero(&self.holds) && self.waiters.is_empty()
    }

    /// The ticks of the waits by call.
    pub(super) fn waited_by_calls(&self) -> u64 {
        self.waiters.iter().map(|row| row.ticks).fold(0, u64::saturating_add)
    }

    /// Adds the usage of another lock. Locks created at one place may be acquired at many.
    pub(super) fn add(&mut self, other: &Self) {
        self.ended_waits = self.ended_waits.saturating_add(other.ended_waits);
        self.waits.add_all(&other.waits);
        self.holds.add_all(&other.holds);
        add_places(&mut self.waiters, &other.waiters, MANY_ROWS);
        add_places(&mut self.holders, &other.holders, MANY_ROWS);
    }

    /// Subtracts an earlier usage, after which the longest durations were restarted.
    pub(crate) fn subtract(&mut self, before: &Self) {
        self.ended_waits = self.ended_waits.saturating_sub(before.ended_waits);
        self.waits.subtract(&before.waits);
        self.holds.subtract(&before.holds);
        subtract_places(&mut self.waiters, &before.waiters);
        subtract_places(&mut self.holders, &before.holders);
    }
}

impl UsageCounters {
    pub(super) fn add_wait(&self, ticks: u64) {
        self.waits.add(ticks, 1);
    }

    pub(super) fn add_waiter(&self, at: &'static Location<'static>, node: Option<&'static Node>, ticks: u64) {
        self.waiters.add(at, node, ticks, 1);
    }

    /// Adds `holds` holds, of `ticks` each, of the units that the call `at` acquired in `node`. A
    /// sample that is longer than all earlier holds counts once, because its thread may have been
    /// preempted.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add_holds(
        &self,
        at: Option<&'static Location<'static>>,
        node: Option<&'static Node>,
        ticks: u64,
        holds: u64,
    ) {
        let holds = if ticks > self.holds.longest.load(Relaxed) { 1 } else { holds };
        self.holds.add(ticks, holds);
        if let Some(at) = at {
            self.holders.add(at, node, ticks, holds);
        }
    }

    pub(super) fn clear(&self) {
        self.waits.clear();
        self.holds.clear();
        self.waiters.clear();
        self.holders.clear();
    }

    pub(super) fn forget_longest(&self) {
        self.waits.longest.store(0, Relaxed);
        self.holds.longest.store(0, Relaxed);
        self.waiters.forget_longest();
        self.holders.forget_longest();
    }

    pub(super) fn read(&self, ended_waits: u64) -> Usage {
        Usage {
            ended_waits,
            waits: self.waits.read(),
            holds: self.holds.read(),
            waiters: self.waiters.read(),
            holders: self.holders.read(),
        }
    }
}

impl UsageCounts {
    fn add(&self, ticks: u64, times: u64) {
        self.octaves.count_shared(ticks, times);
        self.total.fetch_add(ticks.saturating_mul(times), Relaxed);
        if ticks > self.longest.load(Relaxed) {
            self.longest.fetch_max(ticks, Relaxed);
        }
    }

    fn clear(&self) {
        self.octaves.clear();
        self.longest.store(0, Relaxed);
        self.total.store(0, Relaxed);
    }

    fn read(&self) -> Durations {
        let counts: Vec<DurationCount> = self.octaves.counts().collect();
        let calls = counts.iter().map(|counted| counted.count).sum();
        let each = DurationsCopy { calls, longest: self.longest.load(Relaxed), counts };
        Durations { each, total: self.total.load(Relaxed) }
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

    /// Returns whether more than one wait entered its queue without having its units from the
    /// start.
    #[inline]
    pub(crate) fn was_contended(&self) -> bool {
        (self.queue.load(Relaxed) >> WAITING).saturating_sub(self.granted.load(Relaxed)) > 1
    }

    /// Counts messages of a broadcast channel that the receiver at `at` missed.
    #[cold]
    pub(crate) fn count_missed(&self, messages: u64, at: &'static Location<'static>) {
        self.usage().add_waiter(at, recorder::current_node(), messages);
    }

    /// Forgets all waits and holds so far.
    pub(crate) fn discard_usage(&self) {
        if let Some(usage) = self.usage.get() {
            usage.clear();
        }
        self.is_used.store(false, Relaxed);
    }

    pub(crate) fn usage_so_far(&self) -> Usage {
        // Read before the durations, so that no ended wait appears to have been given up.
        let ended_waits = self.ended_waits();
        let counters = if self.is_used.load(Relaxed) { self.usage.get() } else { None };
        let mut usage = match counters {
            Some(counters) => counters.read(ended_waits),
            None => Usage { ended_waits, ..Usage::default() },
        };
        match self.first_wait.load(Relaxed) {
            0 => {}
            ticks => usage.waits.add(ticks),
        }
        usage
    }

    /// Returns whether it is a channel whose senders wait while it is full.
    pub(super) fn is_bounded_queue(&self) -> bool {
        let kind = self.resource_type().map(|it| it.kind);
        matches!(kind, Some(ResourceKind::Mpsc | ResourceKind::Mpmc))
            && self.capacity.load(Relaxed) != UNBOUNDED
    }

    fn ended_waits(&self) -> u64 {
        // Acquire pairs with the Release of `dequeue`: the duration of a wait that has ended is
        // read afterwards.
        let queue = self.queue.load(Acquire);
        // The number of waits has 40 bits.
        (queue >> WAITING).wrapping_sub(queue & (QUEUED - 1)) & (u64::MAX >> WAITING)
    }

    /// Starts a new longest wait and hold. Returns the number of acquisitions and the usage so far.
    pub(crate) fn restart_usage(&self) -> (u64, Usage) {
        // Otherwise it would count as the longest wait. All later waits are in the counters.
        self.first_wait.store(0, Relaxed);
        let mut usage = self.usage_so_far();
        // This includes all waits that have ended by now, so that a later subtraction leaves none
        // of them.
        usage.ended_waits = self.ended_waits();
        if let Some(counters) = self.usage.get() {
            counters.forget_longest();
        }
        (self.entered.load(Relaxed), usage)
    }
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use super::UsageCounters;

    #[test]
    fn waits_are_counted_within_a_sixteenth_of_their_length() {
        let counters = UsageCounters::default();
        (0..10).for_each(|_| counters.add_wait(5_000_000));
        let usage = counters.read(10);
        let counts = &usage.waits.each.counts;
        let (from, to) = counts[0].bounds();
        assert!((from..to).contains(&5_000_000) && to - from <= from / 16, "{from}..{to}");
        assert_eq!((counts.len(), counts[0].count, usage.waits.each.calls), (1, 10, 10));
        assert_eq!((usage.waits.each.longest, usage.waits.total), (5_000_000, 50_000_000));
        counters.clear();
        assert!(counters.read(0).is_empty());
    }
}
