//! The parts of a verdict: a kind, a confidence, the chain of waits, and a sentence.
//!
//! These are the types of the public API and of saved files. The rules are elsewhere.

use std::fmt;

use crate::json::ToJson;
use crate::model::{Place, ResourceId, TaskId};

/// Something that hangs, or may hang.
///
/// # Examples
/// ```
/// use diagnose_reports::Snapshot;
///
/// for verdict in Snapshot::default().verdicts() {
///     println!("{} {}: {}", verdict.confidence, verdict.kind, verdict.sentence);
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Verdict {
    /// The kind of hang.
    pub kind: VerdictKind,
    /// The form of the kind, if the kind has several forms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<VerdictDetail>,
    /// How certain the verdict is.
    pub confidence: Confidence,
    /// Whether this verdict can be resolved first: no other verdict is its cause.
    pub root_cause: bool,
    /// The chain of waits, starting with the waiting task: task, resource, task …. In a cycle, the
    /// last link is the first one again.
    pub chain: Vec<Link>,
    /// The chain as a sentence, without a dot at its end.
    pub sentence: String,
    /// The ids of the tasks that wait behind the chain, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub victims: Vec<TaskId>,
    /// The position, in the list that [`Snapshot::verdicts`](crate::Snapshot::verdicts) returns, of
    /// the verdict to resolve first; `None` for a root cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<usize>,
}

/// One link of a chain.
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Link {
    /// The kind of record that the link stands for.
    pub node: LinkNode,
    /// The id of a task, a resource or a future (its wait or span); the OS id of a thread.
    pub id: u64,
    /// The name of a task or future; the name of a resource, or its type, `Mutex`, if the program
    /// gave none.
    pub name: String,
    /// The file of the place where the task waits, or where the holding was acquired or the
    /// resource created; empty if unknown.
    pub file: String,
    /// The line in that file; 0 if unknown.
    pub line: u32,
    /// The callers of that place, from the innermost caller to the task itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<Place>,
    /// Its part in the chain.
    pub role: LinkRole,
    /// ns since it took that part; for a resource, ns since it was first recorded.
    pub since_ns: u64,
}

impl Link {
    /// The task that the link stands for, if it is one.
    #[must_use]
    pub fn task(&self) -> Option<TaskId> {
        (self.node == LinkNode::Task).then_some(TaskId::new(self.id))
    }

    /// The resource that the link stands for, if it is one.
    #[must_use]
    pub fn resource(&self) -> Option<ResourceId> {
        (self.node == LinkNode::Resource).then_some(ResourceId::new(self.id))
    }
}

/// Defines an enum whose members have one word each, in reports and in saved files.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $member:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
        #[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $member,)*
        }

        #[cfg(test)]
        impl $name {
            /// All members, in order of declaration.
            #[allow(dead_code, reason = "not every test asks for all enums")]
            pub(crate) const ALL: &[Self] = &[$(Self::$member),*];
        }

        /// The word in saved files.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self { $(Self::$member => $word,)* })
            }
        }
    };
}

words! {
    /// The kind of a verdict.
    VerdictKind {
        /// Tasks wait for each other.
        Cycle = "cycle",
        /// A task waits for itself.
        SelfWait = "self_wait",
        /// A future that its task stopped polling holds, or is ahead in the queue for, what the
        /// task waits for.
        Futurelock = "futurelock",
        /// A wait asks for more units than exist, or for more tasks than are alive.
        Starved = "starved",
        /// A guard, permit or sender that a task waits for is never released.
        Leak = "leak",
        /// A task returned `Pending`, and nothing can wake it.
        LostWaker = "lost_waker",
        /// The notification came before the wait, or went to another one.
        MissedNotify = "missed_notify",
        /// A worker thread sleeps inside a poll, and the code that would wake it has to run on that
        /// thread.
        BlockedWorker = "blocked_worker",
        /// All threads for blocking work wait for blocking work.
        PoolExhausted = "pool_exhausted",
        /// A timer is long overdue: no thread drives the timers.
        DriverStarved = "driver_starved",
        /// A poll does not end, and other tasks wait for its thread.
        Spin = "spin",
        /// A runtime shuts down and waits for blocking work.
        Shutdown = "shutdown",
        /// Nothing is stuck yet: a woken future is not polled, or an unpolled future holds a lock,
        /// a permit or a slot.
        Hazard = "hazard",
    }
}

words! {
    /// The form of a verdict's kind.
    VerdictDetail {
        /// Futurelock: the unpolled future was granted what the task waits for.
        Granted = "granted",
        /// Futurelock: the unpolled future holds it.
        Holding = "holding",
        /// Futurelock: the unpolled future is ahead in the queue.
        Queued = "queued",
        /// Futurelock: the waiting task owns the receiving future, which was never polled.
        Unpolled = "unpolled",
        /// Cycle: a task waits for its turn in a queue, not for the holder.
        ViaQueue = "via_queue",
        /// Cycle: several tasks hold units of one resource, and all of them wait.
        Knot = "knot",
        /// Driver starved: no thread runs the `LocalSet` or the runtime of an awaited task.
        Undriven = "undriven",
    }
}

words! {
    /// How certain a verdict is.
    Confidence {
        /// It follows from exact facts.
        Proven = "proven",
        /// It follows if guards and channel ends are where they were last seen.
        Likely = "likely",
        /// Its age suggests it.
        Suspect = "suspect",
    }
}

words! {
    /// The kind of record that a link stands for.
    LinkNode {
        /// A task.
        Task = "task",
        /// A future in a task.
        Future = "future",
        /// A resource.
        Resource = "resource",
        /// A thread outside of all tasks.
        Thread = "thread",
    }
}

words! {
    /// The part of a link in its chain.
    LinkRole {
        /// It waits.
        Waits = "waits",
        /// It is in a queue.
        Queued = "queued",
        /// It was granted what it waits for.
        Granted = "granted",
        /// It holds units.
        Holds = "holds",
        /// It has an end of a channel, or uses a resource.
        Owns = "owns",
        /// It waits, and blocks its thread.
        Blocked = "blocked",
        /// It is being polled.
        Running = "running",
        /// A resource: where it was created.
        Created = "created",
    }
}
