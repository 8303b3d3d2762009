//! Durations of calls, waits and holds in ns.

use diagnose_reports::model;

use crate::clock::Scale;
use crate::tree::DurationsCopy;

/// Converts ticks to ns. Neighboring buckets of less than a nanosecond become one.
pub(super) fn to_model(ticks: &DurationsCopy, scale: Scale) -> model::Durations {
    let mut durations = model::Durations::default();
    for counted in &ticks.counts {
        let (from, to) = counted.bounds();
        let from_ns = scale.ns(from);
        let to_ns = scale.ns(to).max(from_ns.saturating_add(1));
        match durations.buckets.last_mut().filter(|last| last.from_ns == from_ns) {
            Some(last) => {
                last.to_ns = last.to_ns.max(to_ns);
                last.count += counted.count;
            }
            None => {
                let mut bucket = model::Bucket::default();
                (bucket.from_ns, bucket.to_ns, bucket.count) = (from_ns, to_ns, counted.count);
                durations.buckets.push(bucket);
            }
        }
    }
    // A call that ends during a reset may be in one of the two only.
    if let Some(last) = ticks.counts.last() {
        let (from, to) = last.bounds();
        durations.longest_ns = scale.ns(ticks.longest.clamp(from, to - 1));
    }
    durations
}
