//! Histograms of durations, as the recorder makes them: 16 buckets per power of two.

use std::collections::BTreeMap;

use diagnose_reports::model::Durations;

use super::bucket;

/// The histogram of these durations, in ns.
pub(crate) fn durations(lengths_ns: &[u64]) -> Durations {
    let mut buckets = BTreeMap::new();
    for &length_ns in lengths_ns {
        let width = if length_ns < 16 { 1 } else { 1_u64 << (length_ns.ilog2() - 4) };
        let from_ns = length_ns / width * width;
        *buckets.entry((from_ns, from_ns.saturating_add(width))).or_default() += 1;
    }
    let mut durations = Durations::default();
    durations.longest_ns = lengths_ns.iter().copied().max().unwrap_or(0);
    durations.buckets = buckets.into_iter().map(|((from, to), count)| bucket(from, to, count)).collect();
    durations
}
