//! What was spent, per call path.

use serde::{Deserialize, Serialize};

/// One call path of sites, with everything that was measured on it.
///
/// Counters are sums over all spans (calls) of the path, on all threads, and include what was still open at the
/// capture: a running poll up to that moment, a pending span's wait up to that moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Node {
    /// Index into [`Snapshot::sites`](crate::Snapshot::sites).
    pub site: usize,
    /// Index into [`Snapshot::nodes`](crate::Snapshot::nodes), smaller than this node's own; `None` for a root.
    pub parent: Option<usize>,
    /// The label of the span, if its site has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Spans that were polled at least once. For a synchronous function, its calls.
    pub calls: u64,
    /// Polls, the running ones included.
    pub polls: u64,
    /// Spans that returned `Ready`.
    pub completed: u64,
    /// Spans that were dropped while pending.
    pub cancelled: u64,
    /// Spans that left a poll by a panic.
    pub panicked: u64,
    /// Spans that were dropped without having been polled.
    pub never_polled: u64,
    /// Spans that are pending at the capture.
    pub pending: u64,
    /// Polls that are running at the capture.
    pub running: u64,
    /// Calls that began or ended while the snapshot was read, and so are counted in one place and not yet in the other; that
    /// began on this path and went on elsewhere (less those that came here); and that are not recorded any more and have not
    /// ended. So always `calls = completed + cancelled + panicked + pending + running + unsettled`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsettled: i64,
    /// Time inside `poll`, nested annotated polls included.
    pub busy_ns: u64,
    /// Of `busy_ns`, outside of every child: time in tasks that a nested executor polled, which are roots of their own.
    pub nested_ns: u64,
    /// From the end of a `Pending` poll to the start of the next.
    pub idle_ns: u64,
    /// Of `idle_ns`, the waits during which no annotated child was pending: the node's own.
    pub self_idle_ns: u64,
    /// Of a root's `idle_ns`: from a wake to the start of the poll that it led to.
    #[serde(default)]
    pub queued_ns: u64,
    /// Of the idle time of its task, what this path has ended: of several that wait at the same time only one is charged.
    /// The times of a task's paths add up to the task's, less the time that was charged to none, which is its root's.
    #[serde(default)]
    pub wall_ns: u64,
    /// From construction to the start of the first poll.
    pub unpolled_ns: u64,
    /// The longest poll, a running one included.
    pub longest_poll_ns: u64,
    /// When the path was first entered, from the start of the recording.
    pub first_seen_ns: u64,
    /// When the path was last left, from the start of the recording.
    pub last_seen_ns: u64,
    /// Durations of finished polls: the non-empty buckets of a log2 histogram, ascending.
    pub polls_histogram: Vec<Bucket>,
}

/// One bucket of a histogram.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Bucket {
    /// The smallest duration that falls into it.
    pub from_ns: u64,
    /// The smallest duration that is too long for it.
    pub to_ns: u64,
    /// How many did.
    pub count: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}
