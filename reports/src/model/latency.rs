//! Durations of finished calls.

use super::node::Bucket;
use crate::json::ToJson;

/// How long the finished calls of a path took, each from the start of its first poll to its end.
///
/// A call that ends in its first poll took as long as that poll. A call that panics is in neither
/// histogram. A call that began before a reset, or was polled while recording was off, counts with
/// its whole duration. A call that moves to another path counts where it ends.
///
/// Only functions, blocks and tasks have durations. Awaits, arms of macros, hand-written futures,
/// spans of `tracing` and calls past a limit have none. For all others, the counts add up to
/// `completed` and `cancelled` of the [`Node`](super::Node).
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[serde(default)]
#[non_exhaustive]
pub struct Latency {
    /// Calls that returned `Ready`; for a synchronous function, calls that returned.
    #[serde(skip_serializing_if = "Durations::is_unset")]
    pub completed: Durations,
    /// Calls that were dropped while pending.
    #[serde(skip_serializing_if = "Durations::is_unset")]
    pub cancelled: Durations,
}

/// A histogram of durations. Its quantiles are within 4 % of the exact ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[serde(default)]
#[non_exhaustive]
pub struct Durations {
    /// The longest duration in ns, exact; 0 if there is none.
    pub longest_ns: u64,
    /// The non-empty buckets of a log-linear histogram, ascending: 16 buckets per power of two.
    pub buckets: Vec<Bucket>,
}

impl Latency {
    /// Returns whether no call has ended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.completed.is_empty() && self.cancelled.is_empty()
    }

    /// Returns whether a saved snapshot may leave it out.
    pub(crate) fn is_unset(&self) -> bool {
        self.completed.is_unset() && self.cancelled.is_unset()
    }
}

impl Durations {
    /// Returns whether there are no durations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// Returns whether a saved snapshot may leave it out. A file from another program may have a
    /// longest duration without buckets.
    fn is_unset(&self) -> bool {
        self.is_empty() && self.longest_ns == 0
    }
}
