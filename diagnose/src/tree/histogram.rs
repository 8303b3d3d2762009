//! Lengths of a node's polls: counts by powers of two.
//!
//! A poll is counted when the next one ends. The address of its count depends on its length, and so
//! on the clock reading at its end. If it were counted at once, the next reading would wait for
//! that address: on an AMD EPYC, for a tenth of the time of a call that is ready at once.

use crate::sync::{AtomicU64, Ordering};

/// Bucket `i` counts polls of 2^i up to 2^(i+1) ticks. The first also counts shorter polls, the
/// last longer ones. With a 3 GHz counter the range is 5 ns to 26 hours.
#[cfg(not(diagnose_loom))]
pub(crate) const BUCKETS: usize = 48;
#[cfg(diagnose_loom)]
pub(crate) const BUCKETS: usize = 1;

/// Written by the tree's thread only. A copy may lack polls that end while it is made.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Histogram {
    /// The length of the last poll, which is not counted below, with its lowest bit set; zero if
    /// there is none.
    last: AtomicU64,
    counts: [AtomicU64; BUCKETS],
}

impl Default for Histogram {
    fn default() -> Self {
        Self { last: AtomicU64::new(0), counts: std::array::from_fn(|_| AtomicU64::new(0)) }
    }
}

impl Histogram {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn count(&self, ticks: u64) {
        let last = self.last.load(Ordering::Relaxed);
        self.last.store(ticks | 1, Ordering::Relaxed);
        if last != 0 {
            let count = &self.counts[bucket(last)];
            // Release pairs with the Acquire of `counts`: a reader that sees the poll counted sees
            // another one in `last`.
            count.store(count.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
        }
    }

    /// Uncounts a poll of `ticks`.
    #[cfg(feature = "tracing-layer")]
    pub(crate) fn forget(&self, ticks: u64) {
        let last = self.last.load(Ordering::Relaxed);
        if last != 0 && bucket(last) == bucket(ticks) {
            return self.last.store(0, Ordering::Relaxed);
        }
        crate::sync::sub(&self.counts[bucket(ticks)], 1);
    }

    pub(crate) fn counts(&self) -> [u64; BUCKETS] {
        // Acquire pairs with the Release of `count`.
        let mut counts = std::array::from_fn(|bucket| self.counts[bucket].load(Ordering::Acquire));
        let last = self.last.load(Ordering::Relaxed);
        if last != 0 {
            counts[bucket(last)] += 1;
        }
        counts
    }

    /// The first tick of a bucket, and the first tick of the next.
    pub(crate) fn bounds(bucket: usize) -> (u64, u64) {
        let from = if bucket == 0 { 0 } else { 1 << bucket };
        let to = if bucket == BUCKETS - 1 { u64::MAX } else { 1 << (bucket + 1) };
        (from, to)
    }
}

/// The bucket of a length.
#[cfg_attr(not(debug_assertions), inline(always))]
fn bucket(ticks: u64) -> usize {
    ((ticks | 1).ilog2() as usize).min(BUCKETS - 1)
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use super::{BUCKETS, Histogram};

    #[test]
    fn every_length_falls_into_the_bucket_that_bounds_it() {
        for length in [0, 1, 2, 3, 4, 1_000, 1_023, 1_024, u64::MAX - 1] {
            let histogram = Histogram::default();
            histogram.count(length);
            let bucket = histogram.counts().iter().position(|&count| count == 1).expect("one was counted");
            let (from, to) = Histogram::bounds(bucket);
            assert!(from <= length && length < to, "{length} in {from}..{to}");
        }
    }

    #[test]
    fn each_poll_is_counted_once_at_every_number_of_polls() {
        let histogram = Histogram::default();
        let mut expected = [0; BUCKETS];
        for power in [3, 3, 9, 0, 9, 3] {
            histogram.count(1 << power);
            expected[power] += 1;
            assert_eq!(histogram.counts(), expected);
        }
    }

    #[test]
    #[cfg(feature = "tracing-layer")]
    fn the_last_poll_or_an_earlier_one_is_taken_back() {
        let histogram = Histogram::default();
        for ticks in [8, 512, 9] {
            histogram.count(ticks);
        }
        for (ticks, rest) in [(15, 2), (8, 1), (512, 0)] {
            histogram.forget(ticks);
            assert_eq!(histogram.counts().iter().sum::<u64>(), rest);
        }
    }

    #[test]
    fn buckets_lie_side_by_side() {
        for bucket in 1..BUCKETS {
            assert_eq!(Histogram::bounds(bucket - 1).1, Histogram::bounds(bucket).0);
        }
    }
}
