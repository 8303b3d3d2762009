//! Histograms with fixed bounds, computed from the finer histograms of the snapshot.
//!
//! The buckets of a snapshot depend on the clock of the machine, and every new bound would start a
//! new time series. The durations in a bucket that a fixed bound divides are assumed to be evenly
//! distributed.

use std::io;

use super::exposition::{Exposition, MetricLabels, Seconds};
use crate::model::Bucket;

/// The bounds for polls in ns. They are low, because polls should be short.
pub(super) const POLLS: [u64; 12] = [
    10_000,
    50_000,
    100_000,
    500_000,
    1_000_000,
    5_000_000,
    10_000_000,
    50_000_000,
    100_000_000,
    500_000_000,
    1_000_000_000,
    10_000_000_000,
];

/// The bounds for calls in ns.
pub(super) const CALLS: [u64; 18] = [
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
    200_000_000,
    500_000_000,
    1_000_000_000,
    2_000_000_000,
    5_000_000_000,
    10_000_000_000,
    30_000_000_000,
    60_000_000_000,
];

/// Writes the buckets, the sum and the count of a histogram.
pub(super) fn write(
    out: &mut Exposition<'_>,
    labels: MetricLabels<'_>,
    bounds: &[u64],
    buckets: &[Bucket],
    sum_ns: u64,
) -> io::Result<()> {
    let count = buckets.iter().fold(0, |count: u64, bucket| count.saturating_add(bucket.count));
    let finite = bounds.iter().map(|&bound_ns| (decimal(bound_ns), up_to(buckets, bound_ns).min(count)));
    for (bound, count) in finite.chain([("+Inf".to_owned(), count)]) {
        let labels: Vec<(&str, &str)> = labels.iter().copied().chain([("le", bound.as_str())]).collect();
        out.with_suffix("_bucket", &labels, count)?;
    }
    out.with_suffix("_sum", labels, Seconds(sum_ns))?;
    out.with_suffix("_count", labels, count)
}

/// The bound in seconds, as a floating-point number: readers compare them as text.
fn decimal(bound_ns: u64) -> String {
    let seconds = Seconds(bound_ns).to_string();
    if seconds.contains('.') { seconds } else { seconds + ".0" }
}

/// The number of durations that are at most `bound_ns`.
fn up_to(buckets: &[Bucket], bound_ns: u64) -> u64 {
    let part = |bucket: &Bucket| {
        if bucket.to_ns <= bound_ns {
            return bucket.count;
        }
        let width_ns = u128::from(bucket.to_ns.saturating_sub(bucket.from_ns)).max(1);
        let inside_ns = u128::from(bound_ns.saturating_sub(bucket.from_ns)).min(width_ns);
        u64::try_from(u128::from(bucket.count) * inside_ns / width_ns).unwrap_or(u64::MAX)
    };
    buckets.iter().map(part).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::{CALLS, POLLS, up_to};
    use crate::model::Bucket;

    #[test]
    fn a_divided_bucket_is_evenly_filled() {
        let mut buckets = [Bucket::default(), Bucket::default()];
        (buckets[0].from_ns, buckets[0].to_ns, buckets[0].count) = (0, 100, 7);
        (buckets[1].from_ns, buckets[1].to_ns, buckets[1].count) = (100, 200, 10);
        assert_eq!(
            [0, 50, 100, 150, 199, 200, u64::MAX].map(|ns| up_to(&buckets, ns)),
            [0, 3, 7, 12, 16, 17, 17]
        );
    }

    #[test]
    fn bounds_ascend() {
        assert!(POLLS.is_sorted() && CALLS.is_sorted());
    }
}
