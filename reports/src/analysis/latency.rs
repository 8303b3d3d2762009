//! Quantiles of calls, by function and label.
//!
//! ```text
//! bucket    |from     middle      to|    of 16 per power of two: to − from ≤ from / 16
//! quantile           ^ off by at most from / 32: 3.2 %
//! ```
//! The quantile `q` of `n` durations is the smallest duration that at least `q · n` durations do
//! not exceed. The histogram determines its bucket, and the result is the middle of that bucket.
//! Only the longest duration is known exactly.
//!
//! Merging adds the counts of buckets, so a merged histogram equals the histogram of all durations.

use crate::clean::printable;
use crate::model::{Bucket, Durations, Latency, Node, RunState, SiteIndex, SiteKind, Snapshot};
use crate::names::Names;
use crate::ordered::OrderedMap;
use crate::sort::sort_by;

/// Quantiles of durations in ns, each within 4 % of the exact one; 0 if there are no durations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LatencyQuantiles {
    /// Number of durations.
    pub count: u64,
    /// Median.
    pub p50_ns: u64,
    /// 90th percentile.
    pub p90_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// 99.9th percentile.
    pub p999_ns: u64,
    /// The longest duration, exact.
    pub max_ns: u64,
}

/// The latency of one function, for one label or for spans without a label.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FunctionLatency {
    /// The function's name, unambiguous within the snapshot and equal in all reports.
    pub name: String,
    /// Its site.
    pub site: SiteIndex,
    /// The label, safe to print on one line; `None` for spans without one.
    pub label: Option<String>,
    /// Calls that returned.
    pub completed: LatencyQuantiles,
    /// Calls that were dropped while pending.
    pub cancelled: LatencyQuantiles,
    /// Calls that were pending at the capture, without those whose poll was running.
    pub pending: u64,
    /// ns that calls were in flight, summed over all calls: from each call's first poll to its end,
    /// or to the capture.
    pub in_flight_ns: u64,
    /// The age in ns of its oldest span in [`Snapshot::spans`], since the creation of the span; 0
    /// if there is none. If calls no longer end, it exceeds all quantiles of calls that ended.
    pub oldest_ns: u64,
}

impl FunctionLatency {
    /// The mean number of calls in flight at once during `elapsed_ns`, by Little's law; 0 if no
    /// time has passed.
    #[must_use]
    pub fn mean_concurrency(&self, elapsed_ns: u64) -> f64 {
        mean_concurrency(self.in_flight_ns, elapsed_ns)
    }
}

impl Snapshot {
    /// The latency of each function and label, sorted by name, then label. The list leaves out
    /// awaits, hand-written futures, and functions without a call that ended or is in flight.
    ///
    /// # Examples
    /// ```
    /// use diagnose_reports::Snapshot;
    ///
    /// for function in Snapshot::default().latencies() {
    ///     println!("{}: p99 {} ns", function.name, function.completed.p99_ns);
    /// }
    /// ```
    #[must_use]
    pub fn latencies(&self) -> Vec<FunctionLatency> {
        let names = Names::new(self);
        let mut by_label = OrderedMap::<(SiteIndex, Option<&str>), (Latency, u64, u64)>::new();
        for node in self.nodes.iter().filter(|node| has_latency(self, node)) {
            let (latency, pending, in_flight_ns) =
                by_label.entry((node.site, node.label.as_deref())).or_default();
            latency.merge(&node.latency);
            *pending = pending.saturating_add(node.pending);
            *in_flight_ns = in_flight_ns.saturating_add(in_flight(node));
        }
        let oldest_ns = oldest_spans(self);
        let mut functions: Vec<FunctionLatency> = by_label
            .into_iter()
            .filter(|(_, (latency, _, in_flight_ns))| !latency.is_empty() || *in_flight_ns > 0)
            .map(|((site, label), (latency, pending, in_flight_ns))| FunctionLatency {
                name: names.frame(site).to_owned(),
                site,
                label: label.map(printable),
                completed: latency.completed.quantiles(),
                cancelled: latency.cancelled.quantiles(),
                pending,
                in_flight_ns,
                oldest_ns: oldest_ns.get(&(site, label)).copied().unwrap_or(0),
            })
            .collect();
        sort_by(&mut functions, |a, b| (&a.name, &a.label).cmp(&(&b.name, &b.label)));
        functions
    }
}

impl Latency {
    /// Adds the durations of another.
    pub fn merge(&mut self, other: &Self) {
        self.completed.merge(&other.completed);
        self.cancelled.merge(&other.cancelled);
    }
}

impl Durations {
    /// Adds the durations of another histogram.
    pub fn merge(&mut self, other: &Self) {
        self.longest_ns = self.longest_ns.max(other.longest_ns);
        let (mut ours, mut theirs) = (self.buckets.iter().peekable(), other.buckets.iter().peekable());
        let mut merged: Vec<Bucket> = Vec::with_capacity(ours.len().max(theirs.len()));
        let bounds = |bucket: &&Bucket| (bucket.from_ns, bucket.to_ns);
        loop {
            let next = match (ours.peek(), theirs.peek()) {
                (Some(our), Some(their)) if bounds(their) < bounds(our) => theirs.next(),
                (None, _) => theirs.next(),
                _ => ours.next(),
            };
            let Some(next) = next else { break };
            match merged.last_mut().filter(|last| bounds(&&**last) == bounds(&next)) {
                Some(last) => last.count = last.count.saturating_add(next.count),
                None => merged.push(*next),
            }
        }
        self.buckets = merged;
    }

    /// Number of durations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().fold(0, |sum, bucket| sum.saturating_add(bucket.count))
    }

    /// The smallest duration in ns that at least `per_mille` of 1000 durations do not exceed,
    /// within 4 %; `None` without durations.
    #[must_use]
    pub fn quantile(&self, per_mille: u16) -> Option<u64> {
        let total: u128 = self.buckets.iter().map(|bucket| u128::from(bucket.count)).sum();
        let rank = (total * u128::from(per_mille.min(1000))).div_ceil(1000).max(1);
        if total == 0 {
            return None;
        }
        let mut before = 0;
        for bucket in &self.buckets {
            before += u128::from(bucket.count);
            // The last duration is the longest one.
            if before >= rank && rank < total {
                let width_ns = bucket.to_ns.saturating_sub(bucket.from_ns);
                // The upper bound is exclusive.
                let middle_ns = bucket.from_ns.saturating_add(width_ns.saturating_sub(1) / 2);
                return Some(middle_ns.min(self.longest_ns));
            }
        }
        Some(self.longest_ns)
    }

    /// The quantiles that reports print.
    #[must_use]
    pub fn quantiles(&self) -> LatencyQuantiles {
        let at = |per_mille| self.quantile(per_mille).unwrap_or(0);
        LatencyQuantiles {
            count: self.count(),
            p50_ns: at(500),
            p90_ns: at(900),
            p99_ns: at(990),
            p999_ns: at(999),
            max_ns: at(1000),
        }
    }
}

/// By function and label: the age of the oldest span that has been polled, in ns.
fn oldest_spans(snapshot: &Snapshot) -> OrderedMap<(SiteIndex, Option<&str>), u64> {
    let mut oldest_ns = OrderedMap::new();
    for span in snapshot.spans.iter().filter(|span| span.state != RunState::Unpolled) {
        let age_ns: &mut u64 = oldest_ns.entry((span.site, span.label.as_deref())).or_default();
        *age_ns = span.age_ns.max(*age_ns);
    }
    oldest_ns
}

/// Returns whether the calls of a node have a recorded latency. Calls past a limit of the recorder
/// are only counted.
pub(crate) fn has_latency(snapshot: &Snapshot, node: &Node) -> bool {
    let kind = snapshot.site(node.site).map(|site| site.kind);
    !matches!(kind, None | Some(SiteKind::Await | SiteKind::Impl | SiteKind::Traced | SiteKind::Other))
}

/// ns that the calls of a node were in flight. A call is either inside a poll or between two.
pub(crate) fn in_flight(node: &Node) -> u64 {
    node.busy_ns.saturating_add(node.idle_ns)
}

/// Calls in flight at once, on average.
#[expect(clippy::cast_precision_loss, reason = "a mean has fewer digits")]
pub(crate) fn mean_concurrency(in_flight_ns: u64, elapsed_ns: u64) -> f64 {
    if elapsed_ns == 0 { 0.0 } else { in_flight_ns as f64 / elapsed_ns as f64 }
}
