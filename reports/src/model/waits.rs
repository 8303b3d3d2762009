//! Shared parts of resources, holdings and waits.
//!
//! ```text
//! Wait ── resource ─▶ Resource ── holdings ─▶ Holding: who holds, sends to, receives from it
//!      ── tasks ────▶ the tasks that are joined
//! ```
//! Waits, resources and holdings refer to each other, to tasks and to spans by id.

use std::fmt;

use super::ids::{NodeIndex, TaskId};
use super::text::Text;
use crate::json::ToJson;

/// A place in the source. It is shown as `src/main.rs:12:5`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Place {
    /// The source file as the compiler names it.
    pub file: Text,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.as_str(), self.line, self.column)
    }
}

/// The kind of a resource.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResourceKind {
    /// A lock with one unit.
    #[default]
    Mutex,
    /// A lock with one unit per reader; a writer takes all units.
    RwLock,
    /// A number of permits.
    Semaphore,
    /// A cell that is initialized once. Its holder is the task that initializes it.
    OnceCell,
    /// A barrier: all parties continue when the last one arrives.
    Barrier,
    /// A notification between tasks.
    Notify,
    /// A condition variable: a notification between threads, with a mutex.
    Condvar,
    /// A channel with one receiver.
    Mpsc,
    /// A channel with many receivers, one of which gets each message.
    Mpmc,
    /// A channel for one message.
    Oneshot,
    /// A channel with many receivers, each of which gets every message.
    Broadcast,
    /// A watched value. Its holders are the borrows of the value.
    Watch,
    /// One direction of a pipe of bytes.
    Pipe,
    /// A cancellation token with its child tokens.
    Cancellation,
    /// A task tracker. Each task and token that it counts holds one unit.
    TaskTracker,
    /// A resource that the program defines itself.
    Custom,
}

/// The role of a holding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// It holds units: a guard, a permit, a reserved slot, the initialization of a cell.
    #[default]
    Holds,
    /// A sender, or the writing end of a pipe.
    Sends,
    /// A receiver, or the reading end of a pipe.
    Receives,
    /// It has used the resource, and may again: it has notified a `Notify` or added permits.
    Uses,
}

/// How certain it is which task owns a holding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Attribution {
    /// The task has it, and it cannot move.
    Exact,
    /// The task has it, unless unrecorded code has moved it. No recorded event has moved it.
    Unmoved,
    /// The task that used it last has it, or one of `candidates`.
    Likely,
    /// Any task or thread may have it.
    #[default]
    Unknown,
}

/// The last event of one kind at a resource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct LastEvent {
    /// ns since the event; if it happened inside a poll, ns since the start of that poll. `None` if
    /// the clock was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ago_ns: Option<u64>,
    /// The task that caused it; `None` outside of all tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The call that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// For a notification, the number of waiters at that moment; else 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waiters: u64,
    /// For a notification, whether it was for all waiters.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_broadcast: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde calls it.
pub(super) fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// Counts and durations of the uses of a resource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Usage {
    /// Number of acquisitions; for a channel, the number of messages sent.
    pub acquisitions: u64,
    /// Number of waits, including those that still last or were given up.
    pub contended: u64,
    /// Number of waits that ended with an acquisition; at most `acquisitions` of a lock.
    #[serde(default)]
    pub waited: u64,
    /// Durations of finished waits.
    pub wait: Quantiles,
    /// Durations from acquisition to release.
    pub held: Quantiles,
    /// Total time of finished waits, in ns.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waited_ns: u64,
    /// For a lock, the calls that waited, most time first; at most six. The last row may stand for
    /// several calls. The first wait for a lock does not count here, but waits that were given up
    /// do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiters: Vec<UsagePlace>,
    /// For a lock, the calls that held it, most time first; at most six. The last row may stand for
    /// several calls. Holds after a wait are always measured, as are holds at whose end another
    /// task waits for the lock. Of all other holds, the first 64 are measured, and then one in 64,
    /// which counts as 64.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holders: Vec<UsagePlace>,
    /// For a broadcast channel, number of messages that receivers missed, as reported by `Lagged`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missed: u64,
    /// The `recv` that missed most of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed_at: Option<Place>,
}

impl Usage {
    /// The total time of all finished waits, in ns. The rows by call include waits that were given
    /// up, but not the first wait.
    pub(crate) fn all_waits_ns(&self) -> u64 {
        self.waited_ns.max(self.waited_by_calls_ns())
    }

    /// The total time of the rows by call, in ns.
    pub(crate) fn waited_by_calls_ns(&self) -> u64 {
        self.waiters.iter().map(|row| row.total_ns).fold(0, u64::saturating_add)
    }

    /// The number of waits that were given up. `open` is the number of waits that still last.
    pub(crate) fn given_up(&self, open: u64) -> u64 {
        self.contended.saturating_sub(self.waited).saturating_sub(open)
    }
}

/// The waits for a lock, or the holds of it, of one call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct UsagePlace {
    /// The call that waited or held.
    pub place: Place,
    /// The call path with the longest wait or hold; `None` if it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeIndex>,
    /// Number of measured waits or holds. A hold that stands for 64 holds counts as 64.
    pub count: u64,
    /// Their total time in ns.
    pub total_ns: u64,
    /// The longest, in ns.
    pub longest_ns: u64,
}

/// Quantiles of durations in ns, within 4 %; the maximum is exact. 0 if there are none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Quantiles {
    /// Median.
    pub p50_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// Maximum.
    pub max_ns: u64,
}
