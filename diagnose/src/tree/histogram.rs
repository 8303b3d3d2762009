//! Lengths of a node's polls: counts by powers of two.

use crate::sync::{AtomicU64, Ordering, add};

/// Bucket `i` counts polls of 2^i up to 2^(i+1) ticks. The first also counts shorter polls, the
/// last longer ones. With a 3 GHz counter the range is 5 ns to 26 hours.
#[cfg(not(diagnose_loom))]
pub(crate) const BUCKETS: usize = 48;
#[cfg(diagnose_loom)]
pub(crate) const BUCKETS: usize = 1;

/// Written by the tree's thread only. A copy may lack polls that end while it is made.
#[derive(Debug)]
pub(crate) struct Histogram([AtomicU64; BUCKETS]);

impl Default for Histogram {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicU64::default()))
    }
}

impl Histogram {
    #[inline]
    pub(crate) fn count(&self, ticks: u64) {
        let log2 = (ticks | 1).ilog2() as usize;
        add(&self.0[log2.min(BUCKETS - 1)], 1);
    }

    /// Takes back a count.
    #[cfg(feature = "tracing-layer")]
    pub(crate) fn forget(&self, ticks: u64) {
        let log2 = (ticks | 1).ilog2() as usize;
        crate::sync::sub(&self.0[log2.min(BUCKETS - 1)], 1);
    }

    pub(crate) fn counts(&self) -> [u64; BUCKETS] {
        std::array::from_fn(|bucket| self.0[bucket].load(Ordering::Relaxed))
    }

    /// The first tick of a bucket, and the first tick of the next.
    pub(crate) fn bounds(bucket: usize) -> (u64, u64) {
        let from = if bucket == 0 { 0 } else { 1 << bucket };
        let to = if bucket == BUCKETS - 1 { u64::MAX } else { 1 << (bucket + 1) };
        (from, to)
    }
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
    fn buckets_lie_side_by_side() {
        for bucket in 1..BUCKETS {
            assert_eq!(Histogram::bounds(bucket - 1).1, Histogram::bounds(bucket).0);
        }
    }
}
