//! Durations of a node's calls: counts by 16 buckets per power of two.
//!
//! ```text
//! Node ─ link ─▶ Durations ─┬ recent: the last calls, as they are
//!                           ├ folded: number of calls in the buckets
//!                           └ octaves: 61 links, one per power of two ─▶ 16 counts
//! ```
//! A bucket is at most a sixteenth as wide as its first tick, so its middle is off by 3.2 % at
//! most. Durations below 32 ticks have a bucket each.
//!
//! # Writing
//!
//! The end of a call stores its duration in `recent`, a cache line. Every eighth call folds them
//! into the buckets. To increment a bucket at each end costs several times as much: its address
//! depends on the clock reading just made, and the next reading waits for that.
//!
//! # Reading
//!
//! The number of calls, a counter of the node, tells which of the recent ones are not folded yet. A
//! fold begins after the counter has reached a multiple of eight, and ends with `folded`. So a
//! reader that sees fewer than eight calls in `recent`, before and after its copy, has each call
//! once. Otherwise it reads again.
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
use crate::sync::{AtomicU64, Ordering, add, fence};

/// Calls that are kept before they are folded: a cache line.
#[cfg(not(diagnose_loom))]
const RECENT: usize = 8;
#[cfg(diagnose_loom)]
const RECENT: usize = 2;
/// Buckets per power of two.
const BUCKETS: usize = 1 << SHIFT;
const SHIFT: u32 = 4;
/// Powers of two, from 16 ticks on; the first entry is for shorter durations.
#[cfg(not(diagnose_loom))]
const OCTAVES: usize = 61;
#[cfg(diagnose_loom)]
const OCTAVES: usize = 1;

/// Durations of calls that ended in one way; allocated with the first of them.
#[derive(Debug)]
pub(crate) struct LazyDurations(Link<Durations>);

/// Written by the tree's thread only, except where noted.
#[derive(Debug)]
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
    octaves: [Link<Octave>; OCTAVES],
}

#[derive(Debug)]
#[repr(align(128))]
struct Octave([AtomicU64; BUCKETS]);

/// A copy of [`Durations`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DurationsCopy {
    /// Number of calls, also of those without a duration.
    pub(crate) calls: u64,
    /// The longest duration in ticks; zero without any.
    pub(crate) longest: u64,
    /// The non-empty buckets, ascending.
    pub(crate) counts: Vec<DurationCount>,
}

/// A bucket and its count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DurationCount {
    /// Number of the bucket, ascending with its durations.
    pub(crate) bucket: u16,
    pub(crate) count: u64,
}

impl LazyDurations {
    pub(super) fn new() -> Self {
        Self(Link::new(None))
    }

    /// Counts a call of `ticks`, in `calls` too. Returns `false`, and counts nothing, if nothing is
    /// allocated yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn count(&self, calls: &AtomicU64, ticks: u64) -> bool {
        let Some(durations) = self.0.get() else { return false };
        let number = calls.load(Ordering::Relaxed);
        durations.recent[index(number)].store(ticks, Ordering::Relaxed);
        // Release pairs with the Acquire of `copy`: a reader that sees the number sees the
        // duration.
        calls.store(number + 1, Ordering::Release);
        if index(number) == RECENT - 1 {
            durations.fold(number + 1);
        }
        true
    }

    /// Allocates the histogram, before the first of the calls.
    pub(super) fn allocate(&self) {
        self.0.set(Box::leak(Box::new(Durations::new())));
    }

    /// A copy in which each of `calls` is counted once. A writer that is stopped in the middle of a
    /// fold is waited for, up to a bound; then the copy may lack some durations.
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
        DurationsCopy { calls, longest: durations.longest(), counts: durations.counts().collect() }
    }

    /// Like `read`. `None` if the writer folds meanwhile.
    pub(super) fn try_read(&self, calls: &AtomicU64) -> Option<DurationsCopy> {
        // Before the link, which is older than the first call. Acquire pairs with the Release of
        // `count`.
        let number = calls.load(Ordering::Acquire);
        match self.0.get() {
            Some(durations) => durations.copy(calls),
            None => Some(DurationsCopy { calls: number, ..DurationsCopy::default() }),
        }
    }

    /// Leaves the `calls` so far out of the longest duration.
    pub(super) fn forget_longest(&self, calls: &AtomicU64) {
        if let Some(durations) = self.0.get() {
            // A call that ends at this moment may be kept or lost, and either is right.
            durations.forgotten.store(calls.load(Ordering::Relaxed), Ordering::Relaxed);
            durations.longest.store(0, Ordering::Relaxed);
        }
    }
}

impl Durations {
    fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            recent: std::array::from_fn(|_| zero()),
            folded: zero(),
            longest: zero(),
            forgotten: zero(),
            octaves: std::array::from_fn(|_| Link::new(None)),
        }
    }

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
            let (octave, bucket) = place(ticks);
            match self.octaves.get(octave).and_then(Link::get) {
                Some(counts) => add(&counts.0[bucket], 1),
                None => self.count_first_of(octave, bucket),
            }
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
    fn count_first_of(&self, octave: usize, bucket: usize) {
        let counts = Box::leak(Box::new(Octave(std::array::from_fn(|_| AtomicU64::new(0)))));
        counts.0[bucket].store(1, Ordering::Relaxed);
        self.octaves[octave].set(counts);
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

    /// A copy. `None` if the writer folds meanwhile.
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
            DurationsCopy { calls: number, longest: self.longest(), counts: self.counts().collect() };
        let forgotten = self.forgotten.load(Ordering::Relaxed);
        // Pairs with the Release fence of `fold`.
        fence(Ordering::Acquire);
        if !is_whole(calls.load(Ordering::Relaxed)) {
            return None;
        }
        for (number, ticks) in (folded..number).zip(recent) {
            copy.add(DurationCount { bucket: bucket_of(ticks), count: 1 });
            if number >= forgotten {
                copy.longest = copy.longest.max(ticks);
            }
        }
        Some(copy)
    }

    /// The non-empty buckets, ascending.
    fn counts(&self) -> impl Iterator<Item = DurationCount> {
        let octaves = self.octaves.iter().enumerate();
        let octaves = octaves.filter_map(|(octave, counts)| Some((octave, counts.get()?)));
        let buckets = octaves.flat_map(|(octave, counts)| {
            counts.0.iter().zip(octave * BUCKETS..).map(|(count, bucket)| DurationCount {
                bucket: u16::try_from(bucket).unwrap_or(u16::MAX),
                count: count.load(Ordering::Relaxed),
            })
        });
        buckets.filter(|bucket| bucket.count > 0)
    }

    fn longest(&self) -> u64 {
        self.longest.load(Ordering::Relaxed)
    }

    /// The first tick of a bucket, and the first tick of the next.
    pub(crate) fn bounds(bucket: u16) -> (u64, u64) {
        let from = |bucket: u32| {
            let shift = (bucket >> SHIFT).saturating_sub(1);
            let leading = bucket - (shift << SHIFT);
            u64::try_from(u128::from(leading) << shift).unwrap_or(u64::MAX)
        };
        (from(u32::from(bucket)), from(u32::from(bucket) + 1))
    }
}

impl DurationsCopy {
    /// Adds to a bucket.
    pub(crate) fn add(&mut self, added: DurationCount) {
        match self.counts.binary_search_by_key(&added.bucket, |bucket| bucket.bucket) {
            Ok(at) => self.counts[at].count += added.count,
            Err(at) => self.counts.insert(at, added),
        }
    }
}

/// The place of a call among the recent ones.
#[cfg_attr(not(debug_assertions), inline(always))]
fn index(number: u64) -> usize {
    usize::try_from(number % RECENT as u64).unwrap_or(0)
}

/// The octave of a duration, and its bucket there.
fn place(ticks: u64) -> (usize, usize) {
    // Two octaves have buckets of one tick: those below 16, and those from 16 on.
    let shift = (ticks | 1 << SHIFT).ilog2() - SHIFT;
    // Below 32.
    let leading = usize::try_from(ticks >> shift).unwrap_or(0);
    (shift as usize + leading / BUCKETS, leading % BUCKETS)
}

fn bucket_of(ticks: u64) -> u16 {
    let (octave, bucket) = place(ticks);
    u16::try_from(octave.min(OCTAVES - 1) * BUCKETS + bucket).unwrap_or(u16::MAX)
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use super::{BUCKETS, Durations, DurationsCopy, LazyDurations, OCTAVES, RECENT, bucket_of};
    use crate::sync::AtomicU64;

    /// What is read after these calls.
    fn read(calls: impl IntoIterator<Item = u64>) -> DurationsCopy {
        let (durations, number) = (LazyDurations::new(), AtomicU64::new(0));
        durations.allocate();
        assert!(calls.into_iter().all(|ticks| durations.count(&number, ticks)));
        durations.read(&number)
    }

    #[test]
    fn every_duration_falls_into_the_bucket_that_bounds_it() {
        let powers = (0..64).flat_map(|power| [(1_u64 << power) - 1, 1 << power, (1 << power) + 1]);
        for ticks in powers.chain([0, 33, 1_000, 123_456_789, u64::MAX - 1]) {
            let (from, to) = Durations::bounds(bucket_of(ticks));
            assert!(from <= ticks && ticks < to, "{ticks} in {from}..{to}");
        }
        assert_eq!(Durations::bounds(bucket_of(u64::MAX)).1, u64::MAX);
    }

    #[test]
    fn buckets_lie_side_by_side_and_are_narrow() {
        let last = u16::try_from(OCTAVES * BUCKETS - 1).unwrap();
        assert_eq!(last, bucket_of(u64::MAX));
        assert_eq!(Durations::bounds(0), (0, 1));
        for bucket in 1..=last {
            let (from, to) = Durations::bounds(bucket);
            assert_eq!(Durations::bounds(bucket - 1).1, from);
            assert!((to - from) <= (from / 16).max(1), "{from}..{to}");
        }
    }

    #[test]
    fn every_call_is_counted_once_at_every_number_of_calls() {
        for number in 0..=5 * RECENT as u64 {
            let copy = read((0..number).map(|call| call * 100));
            let mut expected = DurationsCopy { calls: number, ..DurationsCopy::default() };
            for call in 0..number {
                expected.add(super::DurationCount { bucket: bucket_of(call * 100), count: 1 });
                expected.longest = call * 100;
            }
            assert_eq!(copy, expected);
        }
    }

    #[test]
    fn the_longest_is_exact_and_can_be_forgotten() {
        let (durations, number) = (LazyDurations::new(), AtomicU64::new(0));
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
        assert_eq!(size_of::<super::Octave>(), 128);
    }
}
