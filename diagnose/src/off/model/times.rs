//! Latencies, and locks that were acquired in both orders. There are none.

use super::ids::SiteIndex;

/// Quantiles of durations in ns.
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
    /// The longest duration.
    pub max_ns: u64,
}

/// The latency of one function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FunctionLatency {
    /// The function's name.
    pub name: String,
    /// Its site.
    pub site: SiteIndex,
    /// The label; `None` for spans without one.
    pub label: Option<String>,
    /// Calls that returned.
    pub completed: LatencyQuantiles,
    /// Calls that were dropped while pending.
    pub cancelled: LatencyQuantiles,
    /// Calls that were pending at the capture.
    pub pending: u64,
    /// ns that calls were in flight, summed over all calls.
    pub in_flight_ns: u64,
    /// The age in ns of its oldest span.
    pub oldest_ns: u64,
}

impl FunctionLatency {
    /// Returns 0.
    #[must_use]
    pub fn mean_concurrency(&self, _elapsed_ns: u64) -> f64 {
        0.0
    }
}

/// Locks that were acquired in both orders, or in a longer cycle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockInversion {
    /// Positions of the pairs of locks.
    pub pairs: Vec<usize>,
}
