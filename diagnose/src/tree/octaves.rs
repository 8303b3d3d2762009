//! Numbers of durations by length: 16 buckets per power of two.
//!
//! A bucket is at most a sixteenth as wide as its first tick, so its middle is off by 3.2 % at
//! most. Durations below 32 ticks have a bucket each. The 16 buckets of a power of two are
//! allocated with the first duration in them, and never freed.

use super::link::Link;
use crate::sync::{AtomicU64, Mutex, Ordering, add};

/// Buckets per power of two.
const BUCKETS: usize = 1 << SHIFT;
const SHIFT: u32 = 4;
/// Powers of two, from 16 ticks on; the first entry is for shorter durations.
#[cfg(not(diagnose_loom))]
const OCTAVES: usize = 61;
#[cfg(diagnose_loom)]
const OCTAVES: usize = 1;

#[derive(Debug)]
pub(crate) struct Octaves([Link<Octave>; OCTAVES]);

#[derive(Debug, Default)]
#[repr(align(128))]
struct Octave([AtomicU64; BUCKETS]);

/// A bucket and its count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DurationCount {
    /// Number of the bucket, ascending with its durations.
    pub(crate) bucket: u16,
    pub(crate) count: u64,
}

impl Default for Octaves {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Link::default()))
    }
}

impl Octaves {
    /// Counts a duration. Only one thread may call this.
    pub(super) fn count(&self, ticks: u64) {
        let (octave, bucket) = place(ticks);
        match self.0[octave].get() {
            Some(counts) => add(&counts.0[bucket], 1),
            None => self.allocate(octave).0[bucket].store(1, Ordering::Relaxed),
        }
    }

    /// Counts several durations of one length. Any thread may call this.
    pub(crate) fn count_shared(&self, ticks: u64, times: u64) {
        let (octave, bucket) = place(ticks);
        let counts = self.0[octave].get().unwrap_or_else(|| {
            // Concurrent threads must share one allocation.
            static ALLOCATION: Mutex<()> = Mutex::new(());
            let _allocation = ALLOCATION.lock();
            self.0[octave].get().unwrap_or_else(|| self.allocate(octave))
        });
        counts.0[bucket].fetch_add(times, Ordering::Relaxed);
    }

    #[cold]
    #[inline(never)]
    fn allocate(&self, octave: usize) -> &'static Octave {
        let counts: &'static Octave = Box::leak(Box::default());
        self.0[octave].set(counts);
        counts
    }

    /// Sets all counts to zero. Durations that are counted in the meantime may stay.
    pub(crate) fn clear(&self) {
        let counts = self.0.iter().filter_map(Link::get).flat_map(|counts| &counts.0);
        counts.for_each(|count| count.store(0, Ordering::Relaxed));
    }

    /// The non-empty buckets, ascending.
    pub(crate) fn counts(&self) -> impl Iterator<Item = DurationCount> {
        let octaves = self.0.iter().enumerate();
        let octaves = octaves.filter_map(|(octave, counts)| Some((octave, counts.get()?)));
        let buckets = octaves.flat_map(|(octave, counts)| {
            counts.0.iter().zip(octave * BUCKETS..).map(|(count, bucket)| DurationCount {
                bucket: u16::try_from(bucket).unwrap_or(u16::MAX),
                count: count.load(Ordering::Relaxed),
            })
        });
        buckets.filter(|bucket| bucket.count > 0)
    }
}

impl DurationCount {
    /// One duration.
    pub(crate) fn one(ticks: u64) -> Self {
        let (octave, bucket) = place(ticks);
        Self { bucket: u16::try_from(octave * BUCKETS + bucket).unwrap_or(u16::MAX), count: 1 }
    }

    /// The first tick of the bucket, and the first tick of the next.
    pub(crate) fn bounds(self) -> (u64, u64) {
        let from = |bucket: u32| {
            let shift = (bucket >> SHIFT).saturating_sub(1);
            let leading = bucket - (shift << SHIFT);
            u64::try_from(u128::from(leading) << shift).unwrap_or(u64::MAX)
        };
        (from(u32::from(self.bucket)), from(u32::from(self.bucket) + 1))
    }
}

/// The octave of a duration, and its bucket there.
fn place(ticks: u64) -> (usize, usize) {
    // Two octaves have buckets of one tick: those below 16, and those from 16 on.
    let shift = (ticks | 1 << SHIFT).ilog2() - SHIFT;
    // Below 32.
    let leading = usize::try_from(ticks >> shift).unwrap_or(0);
    ((shift as usize + leading / BUCKETS).min(OCTAVES - 1), leading % BUCKETS)
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use super::{BUCKETS, DurationCount, OCTAVES, Octaves};

    #[test]
    fn every_duration_falls_into_the_bucket_that_bounds_it() {
        let powers = (0..64).flat_map(|power| [(1_u64 << power) - 1, 1 << power, (1 << power) + 1]);
        for ticks in powers.chain([0, 33, 1_000, 123_456_789, u64::MAX - 1]) {
            let (from, to) = DurationCount::one(ticks).bounds();
            assert!(from <= ticks && ticks < to, "{ticks} in {from}..{to}");
        }
        assert_eq!(DurationCount::one(u64::MAX).bounds().1, u64::MAX);
    }

    #[test]
    fn buckets_lie_side_by_side_and_are_narrow() {
        let last = u16::try_from(OCTAVES * BUCKETS - 1).unwrap();
        let bounds = |bucket: u16| DurationCount { bucket, count: 1 }.bounds();
        assert_eq!(last, DurationCount::one(u64::MAX).bucket);
        assert_eq!(bounds(0), (0, 1));
        for bucket in 1..=last {
            let (from, to) = bounds(bucket);
            assert_eq!(bounds(bucket - 1).1, from);
            assert!((to - from) <= (from / 16).max(1), "{from}..{to}");
        }
    }

    #[test]
    fn threads_that_count_at_once_lose_nothing() {
        let octaves = Octaves::default();
        std::thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| (0..1_000).for_each(|n| octaves.count_shared(1 << (n % 50), 3)));
            }
        });
        assert_eq!(octaves.counts().map(|counted| counted.count).sum::<u64>(), 8 * 1_000 * 3);
        octaves.clear();
        assert_eq!(octaves.counts().count(), 0);
    }

    #[test]
    fn memory_is_as_documented() {
        assert_eq!(size_of::<super::Octave>(), 128);
    }
}
