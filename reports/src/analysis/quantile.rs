//! Quantiles of poll durations from log2 histograms.
//!
//! A bucket only counts the durations between its bounds. They are assumed to be evenly
//! distributed:
//! ```text
//! count     4           4
//!       |·  ·  ·  ·|·  ·  ·  ·|
//!     from        to    ^ the 6th of 8: half-way through the second bucket
//! ```
//! The error is at most the width of one bucket. A quantile never exceeds the longest poll.

use crate::model::Bucket;
use crate::ordered::OrderedMap;

/// Histograms merged into one, ordered by duration.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// Counts by `(from_ns, to_ns)`.
    counts: OrderedMap<(u64, u64), u64>,
}

impl Histogram {
    /// Adds the buckets of another histogram; buckets with equal bounds are merged.
    pub(crate) fn merge(&mut self, buckets: &[Bucket]) {
        for bucket in buckets {
            let count = self.counts.entry((bucket.from_ns, bucket.to_ns)).or_default();
            *count = count.saturating_add(bucket.count);
        }
    }

    /// The duration in ns that `per_mille` of 1000 polls do not exceed, at most `longest_ns`;
    /// `None` without polls.
    pub(crate) fn quantile(&self, per_mille: u16, longest_ns: u64) -> Option<u64> {
        let total: u128 = self.counts.values().copied().map(u128::from).sum();
        // Counts are in thousandths of a poll, so that integers are enough.
        let target = total * u128::from(per_mille.min(1000));
        let mut before = 0;
        for &((from_ns, to_ns), count) in &self.counts {
            let inside = u128::from(count) * 1000;
            if inside > 0 && before + inside >= target {
                let width_ns = u128::from(to_ns.saturating_sub(from_ns));
                // The product saturates only beyond any real number of polls. Then the result is
                // less exact.
                let offset_ns = width_ns.saturating_mul(target - before) / inside;
                let offset_ns = u64::try_from(offset_ns).expect("it is at most the width, which is a u64");
                return Some(from_ns.saturating_add(offset_ns).min(longest_ns));
            }
            before += inside;
        }
        None
    }
}
