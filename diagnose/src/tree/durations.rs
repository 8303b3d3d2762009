//! Durations of a node's calls.
//!
//! ```text
//! Node ─ link ─▶ Durations ─┬ recent: the last calls, as they are
//!                           ├ folded: number of calls in the buckets
//!                           └ octaves: 61 links, one per power of two ─▶ 16 counts
//! ```
//!
//! # Writing
//!
//! The end of a call stores its duration in `recent`, a cache line. Every eighth call folds them
//! into the buckets. Incrementing a bucket at each end would cost several times as much: the
//! bucket's address depends on the clock reading just made, and the next reading waits for that
//! address.
//!
//! # Reading
//!
//! The number of calls, a counter of the node, shows which of the recent ones are not folded yet. A
//! fold begins after the counter has reached a multiple of eight, and ends with `folded`. So a
//! reader that sees fewer than eight calls in `recent`, before and after its copy, has counted each
//! call once. Otherwise it reads again.
//!
//! # Memory
//!
//! A node without finished calls has two empty links. The first call allocates 576 bytes, and the
//! first of each power of two 128 bytes: 1 kB for calls that differ by a factor of eight. The bound
//! is 8.4 kB for completed calls and as much for cancelled ones. A tree has a bounded number of
//! nodes, see [`thread`](super::thread), so the memory of all histograms is bounded too. Like
//! nodes, they are never freed.

use super::link::Link;
use super::node_times::{ATTEMPTS, wait_for_writer};
use super::octaves::{DurationCount, Octaves};
use crate::sync::{AtomicU64, Ordering, fence};

/// Number of calls that are kept before they are folded: one cache line.
#[cfg(not(diagnose_loom))]
const RECENT: usize = 8;
#[cfg(diagnose_loom)]
const RECENT: usize = 2;

/// Durations of calls that ended in one way; allocated with the first of them.
#[derive(Debug, Default)]
pub(crate) struct LazyDurations(Link<Durations>);

/// Written by the tree's thread only, unless a field says otherwise.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Durations {
    /// The last calls, in ticks: call `n` is at `n` modulo [`RECENT`].
    recent: [AtomicU64; RECENT],
    /// Number of calls in the buckets.
    folded: AtomicU64,
    /// The longest folded duration, in ticks. A reset stores zero.
    longest: AtomicU64,
    /// Number of calls that `longest` leaves out. Written by resets.
    forgotten: AtomicU64,
    octaves: Octaves,
}

/// Where the next call is counted.
#[derive(Debug)]
pub(crate) struct NextDuration<'a> {
    calls: &'a AtomicU64,
    durations: &'static Durations,
    /// The number of the call.
    number: u64,
}

/// A copy of [`Durations`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DurationsCopy {
    /// Number of calls, including those without a duration.
    pub(crate) calls: u64,
    /// The longest duration in ticks; zero without any.
    pub(crate) longest: u64,
    /// The non-empty buckets, ascending.
    pub(crate) counts: Vec<DurationCount>,
}

impl LazyDurations {
    /// Counts a call of `ticks`, and increments `calls`. Returns `false`, and counts nothing, if
    /// nothing is allocated yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn count(&self, calls: &AtomicU64, ticks: u64) -> bool {
        let Some(next) = self.next(calls) else { return false };
        next.count(ticks);
        next.fold_if_due();
        true
    }

    /// Where the next of the `calls` is counted; `None` if nothing is allocated yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn next<'a>(&self, calls: &'a AtomicU64) -> Option<NextDuration<'a>> {
        Some(NextDuration { calls, durations: self.0.get()?, number: calls.load(Ordering::Relaxed) })
    }

    /// Allocates the histogram, before the first of the calls.
    pub(super) fn allocate(&self) {
        self.0.set(Box::leak(Box::default()));
    }

    /// Returns a copy in which each of `calls` is counted once. Waits, up to a bound, for a writer
    /// that is stopped in the middle of a fold. Past that bound, the copy may lack some durations.
    pub(crate) fn read(&self, calls: &AtomicU64) -> DurationsCopy {
        for attempt in 0..ATTEMPTS {
            if let Some(copy) = self.try_read(calls) {
                return copy;
            }
            wait_for_writer(attempt);
        }
        let calls = calls.load(Ordering::Relaxed);
        let Some(durations) = self.0.get() else {
            return DurationsCopy { calls, ..DurationsCopy::default() };
        };
        DurationsCopy { calls, longest: durations.longest(), counts: durations.octaves.counts().collect() }
    }

    /// Copies the durations, or returns `None` if the writer folds meanwhile.
    pub(super) fn try_read(&self, calls: &AtomicU64) -> Option<DurationsCopy> {
        // Read before the link, because the link is set before the first call is counted. Acquire
        // pairs with the Release of `count`.
        let number = calls.load(Ordering::Acquire);
        match self.0.get() {
            Some(durations) => durations.copy(calls),
            None => Some(DurationsCopy { calls: number, ..DurationsCopy::default() }),
        }
    }

    /// Excludes the `calls` so far from the longest duration.
    pub(super) fn forget_longest(&self, calls: &AtomicU64) {
        if let Some(durations) = self.0.get() {
            // A call that ends at this moment may be kept or lost, and either is right.
            durations.forgotten.store(calls.load(Ordering::Relaxed), Ordering::Relaxed);
            durations.longest.store(0, Ordering::Relaxed);
        }
    }
}

impl NextDuration<'_> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn count(&self, ticks: u64) {
        self.durations.recent[index(self.number)].store(ticks, Ordering::Relaxed);
        // Release pairs with the Acquire of `copy`: a reader that sees the number sees the
        // duration.
        self.calls.store(self.number + 1, Ordering::Release);
    }

    /// Folds the recent calls if this is the last of them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn fold_if_due(&self) {
        if index(self.number) == RECENT - 1 {
            self.durations.fold(self.number + 1);
        }
    }
}

impl Durations {
    /// Adds the recent calls, the last of them with the number `calls - 1`, to the buckets.
    #[cold]
    #[inline(never)]
    fn fold(&self, calls: u64) {
        // Pairs with the Acquire fence of `copy`: a reader that sees a change below, or a later
        // call in `recent`, sees that all of `recent` were taken.
        fence(Ordering::Release);
        let mut longest = 0;
        for recent in &self.recent {
            let ticks = recent.load(Ordering::Relaxed);
            longest = longest.max(ticks);
            self.octaves.count(ticks);
        }
        if longest > self.longest() {
            self.note_longest(calls);
        }
        // Release pairs with the Acquire of `copy`: a reader that sees this number sees the
        // buckets.
        self.folded.store(calls, Ordering::Release);
    }

    #[cold]
    #[inline(never)]
    fn note_longest(&self, calls: u64) {
        let forgotten = self.forgotten.load(Ordering::Relaxed);
        let remembered = (calls.saturating_sub(RECENT as u64)..calls).filter(|number| *number >= forgotten);
        let ticks = remembered.map(|number| self.recent[index(number)].load(Ordering::Relaxed));
        let longest = ticks.max().unwrap_or(0).max(self.longest());
        self.longest.store(longest, Ordering::Relaxed);
    }

    /// Returns a copy, or `None` if the writer folds in the meantime.
    fn copy(&self, calls: &AtomicU64) -> Option<DurationsCopy> {
        // Acquire pairs with the Release at the end of `fold`.
        let folded = self.folded.load(Ordering::Acquire);
        let is_whole = |number: u64| number.checked_sub(folded).is_some_and(|recent| recent < RECENT as u64);
        // Acquire pairs with the Release of `count`.
        let number = calls.load(Ordering::Acquire);
        if !is_whole(number) {
            return None;
        }
        let recent: Vec<u64> =
            (folded..number).map(|number| self.recent[index(number)].load(Ordering::Relaxed)).collect();
        let mut copy =
            DurationsCopy { calls: number, longest: self.longest(), counts: self.octaves.counts().collect() };
        let forgotten = self.forgotten.load(Ordering::Relaxed);
        // Pairs with the Release fence of `fold`.
        fence(Ordering::Acquire);
        if !is_whole(calls.load(Ordering::Relaxed)) {
            return None;
        }
        for (number, ticks) in (folded..number).zip(recent) {
            copy.count(DurationCount::one(ticks));
            if number >= forgotten {
                copy.longest = copy.longest.max(ticks);
            }
        }
        Some(copy)
    }

    fn longest(&self) -> u64 {
        self.longest.load(Ordering::Relaxed)
    }
}

impl DurationsCopy {
    /// Adds to a bucket.
    pub(crate) fn count(&mut self, added: DurationCount) {
        match self.counts.binary_search_by_key(&added.bucket, |bucket| bucket.bucket) {
            Ok(at) => self.counts[at].count += added.count,
            Err(at) => self.counts.insert(at, added),
        }
    }

    /// Adds the durations of another node.
    pub(crate) fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.longest = self.longest.max(other.longest);
        other.counts.iter().for_each(|counted| self.count(*counted));
    }

    /// Subtracts an earlier state, except its longest duration: a reset clears that.
    pub(crate) fn subtract(&mut self, before: &Self) {
        self.calls = self.calls.saturating_sub(before.calls);
        for counted in &before.counts {
            if let Ok(at) = self.counts.binary_search_by_key(&counted.bucket, |bucket| bucket.bucket) {
                let count = &mut self.counts[at].count;
                *count = count.saturating_sub(counted.count);
            }
        }
        self.counts.retain(|bucket| bucket.count > 0);
    }
}

/// The place of a call among the recent ones.
#[cfg_attr(not(debug_assertions), inline(always))]
fn index(number: u64) -> usize {
    usize::try_from(number % RECENT as u64).unwrap_or(0)
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use super::{DurationCount, Durations, DurationsCopy, LazyDurations, RECENT};
    use crate::sync::AtomicU64;

    /// The copy that is read after these calls.
    fn read(calls: impl IntoIterator<Item = u64>) -> DurationsCopy {
        let (durations, number) = (LazyDurations::default(), AtomicU64::new(0));
        durations.allocate();
        assert!(calls.into_iter().all(|ticks| durations.count(&number, ticks)));
        durations.read(&number)
    }

    #[test]
    fn every_call_is_counted_once_at_every_number_of_calls() {
        for number in 0..=5 * RECENT as u64 {
            let copy = read((0..number).map(|call| call * 100));
            let mut expected = DurationsCopy { calls: number, ..DurationsCopy::default() };
            for call in 0..number {
                expected.count(DurationCount::one(call * 100));
                expected.longest = call * 100;
            }
            assert_eq!(copy, expected);
        }
    }

    #[test]
    fn the_longest_is_exact_and_can_be_forgotten() {
        let (durations, number) = (LazyDurations::default(), AtomicU64::new(0));
        assert!(!durations.count(&number, 1));
        durations.allocate();
        let mut longest_after = |ticks: u64| {
            assert!(durations.count(&number, ticks));
            durations.read(&number).longest
        };
        assert_eq!([1_000_000, 1_000_100, 7].map(&mut longest_after), [1_000_000, 1_000_100, 1_000_100]);
        durations.forget_longest(&number);
        assert_eq!(durations.read(&number).longest, 0);
        // The calls before are folded later than that.
        assert!((0..2 * RECENT).all(|_| durations.count(&number, 9) && durations.read(&number).longest == 9));
    }

    #[test]
    fn memory_is_as_documented() {
        assert_eq!(size_of::<Durations>(), 576);
    }
}
