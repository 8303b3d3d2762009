//! Counters and times per call path.

use super::ids::{NodeIndex, SiteIndex};
use super::latency::Latency;
use crate::json::ToJson;

/// One call path of sites, with all its counters.
///
/// Counters are sums over all spans (calls) of the path, on all threads. They include running polls
/// and open waits, up to the capture.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Node {
    /// Its site.
    pub site: SiteIndex,
    /// The node of the caller, at a smaller index than its own; `None` for a root.
    pub parent: Option<NodeIndex>,
    /// Label of its spans, if their site has labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// For a root, whether code that is not recorded was the first to poll it: a handler that a
    /// library calls, or a future that was spawned without this crate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unspawned: bool,
    /// Spans that were polled at least once; for a synchronous function, its calls.
    pub calls: u64,
    /// Polls, including running ones.
    pub polls: u64,
    /// Spans that returned `Ready`.
    pub completed: u64,
    /// Spans that were dropped while pending.
    pub cancelled: u64,
    /// Spans that panicked in a poll.
    pub panicked: u64,
    /// Spans that were dropped before their first poll.
    pub never_polled: u64,
    /// Spans that were pending at the capture.
    pub pending: u64,
    /// Polls that were running at the capture.
    pub running: u64,
    /// Calls whose start and end are not counted together. They began or ended during the capture,
    /// moved to or from another path, or are no longer recorded. Always
    /// `calls = completed + cancelled + panicked + pending + running + unsettled`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsettled: i64,
    /// ns inside `poll`, including annotated polls inside.
    pub busy_ns: u64,
    /// The part of `busy_ns` in tasks that a nested executor polled. These tasks are roots
    /// themselves.
    pub nested_ns: u64,
    /// ns from the end of a `Pending` poll to the start of the next.
    pub idle_ns: u64,
    /// The part of `idle_ns` during which no annotated child was pending.
    pub self_idle_ns: u64,
    /// For a root, the part of `idle_ns` between a wake and the poll that followed it.
    #[serde(default)]
    pub queued_ns: u64,
    /// ns of the task's idle time that ended on this path. If a task waits for several things at
    /// once, only one path is charged. Over all paths of a task, these times add up to its idle
    /// time. Reports charge any rest to the root.
    #[serde(default)]
    pub wall_ns: u64,
    /// ns from construction to the start of the first poll.
    pub unpolled_ns: u64,
    /// Longest poll in ns, including running ones.
    pub longest_poll_ns: u64,
    /// ns from the start of the recording to the first poll on this path.
    pub first_seen_ns: u64,
    /// ns from the start of the recording to the end of the last poll on this path.
    pub last_seen_ns: u64,
    /// Durations of finished polls: the non-empty buckets of a log2 histogram, ascending.
    pub polls_histogram: Vec<Bucket>,
    /// Durations of finished calls; empty for awaits and hand-written futures.
    #[serde(default, skip_serializing_if = "Latency::is_unset")]
    pub latency: Latency,
}

/// One bucket of a histogram.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Bucket {
    /// Lower bound in ns, inclusive.
    pub from_ns: u64,
    /// Upper bound in ns, exclusive.
    pub to_ns: u64,
    /// Number of durations in it.
    pub count: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}
