//! Durations of the calls of one path, in ns.

use diagnose_reports::model;

use crate::clock::Scale;
use crate::tree::{Durations, DurationsCopy};

/// Adds the durations of another node.
pub(super) fn add(sum: &mut DurationsCopy, other: &DurationsCopy) {
    sum.calls += other.calls;
    sum.longest = sum.longest.max(other.longest);
    for counted in &other.counts {
        sum.add(*counted);
    }
}

/// Subtracts an earlier state, except its longest duration: a reset clears that.
pub(super) fn subtract(now: &mut DurationsCopy, then: &DurationsCopy) {
    now.calls = now.calls.saturating_sub(then.calls);
    for counted in &then.counts {
        if let Ok(at) = now.counts.binary_search_by_key(&counted.bucket, |bucket| bucket.bucket) {
            let count = &mut now.counts[at].count;
            *count = count.saturating_sub(counted.count);
        }
    }
    now.counts.retain(|bucket| bucket.count > 0);
}

/// Converts ticks to ns. Neighboring buckets of less than a nanosecond become one.
pub(super) fn to_model(ticks: &DurationsCopy, scale: Scale) -> model::Durations {
    let mut durations = model::Durations::default();
    for counted in &ticks.counts {
        let (from, to) = Durations::bounds(counted.bucket);
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
        let (from, to) = Durations::bounds(last.bucket);
        durations.longest_ns = scale.ns(ticks.longest.clamp(from, to - 1));
    }
    durations
}
