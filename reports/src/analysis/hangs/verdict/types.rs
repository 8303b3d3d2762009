//! What is found: a kind, how sure it is, the chain of who waits for whom, and a sentence.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::Place;

/// Something that hangs, or may.
///
/// # Examples
/// ```
/// use diagnose_reports::Snapshot;
///
/// for verdict in Snapshot::default().verdicts() {
///     println!("{} {}: {}", verdict.confidence, verdict.kind, verdict.sentence);
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Verdict {
    /// What it is.
    pub kind: VerdictKind,
    /// Which of its forms, if the kind has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<VerdictDetail>,
    /// How sure it is.
    pub confidence: Confidence,
    /// Nothing else has to be resolved before this.
    pub root_cause: bool,
    /// Who waits for whom, from the one that waits: task, resource, task …; in a cycle, the last is the first.
    pub chain: Vec<Link>,
    /// The same in a sentence, without a dot at its end.
    pub sentence: String,
    /// The tasks that wait behind it, by number, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub victims: Vec<u64>,
    /// The index, in the list of verdicts, of the one that has to be resolved first; `None` for a root cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<usize>,
}

/// One link of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Link {
    /// What it is.
    pub node: LinkNode,
    /// The number of the task, the resource, or the future (its wait or span); the kernel's of a thread.
    pub id: u64,
    /// The name of a task or future, or what a resource is, `Mutex`, if the program gave it no name.
    pub name: String,
    /// The file of the place where it waits, has taken hold, or was made; empty if that is not known.
    pub file: String,
    /// The line in it; zero if that is not known.
    pub line: u32,
    /// If that is in a call: where it was called, from the innermost caller to the task's own line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<Place>,
    /// Its part in this.
    pub role: LinkRole,
    /// For how long it has had that part; of a resource, for how long it has been known.
    pub since_ns: u64,
}

/// Defines an enum whose members are shown and saved by one word each.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $member:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $member,)*
        }

        #[cfg(test)]
        impl $name {
            /// All members, in their order.
            #[allow(dead_code, reason = "not every test asks for all enums")]
            pub(crate) const ALL: &[Self] = &[$(Self::$member),*];
        }

        /// The word of the saved format.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self { $(Self::$member => $word,)* })
            }
        }
    };
}

words! {
    /// What a verdict is about.
    VerdictKind {
        /// Tasks wait for each other.
        Cycle = "cycle",
        /// A task waits for itself.
        SelfWait = "self_wait",
        /// A future that its task has stopped polling has what the task waits for.
        Futurelock = "futurelock",
        /// What is waited for takes more than there is, or more than are alive.
        Starved = "starved",
        /// What is waited for was put where nobody gives it back.
        Leak = "leak",
        /// A task returned `Pending`, and nobody can wake it.
        LostWaker = "lost_waker",
        /// It was told before it waited, or another was.
        MissedNotify = "missed_notify",
        /// A thread that runs tasks sleeps inside a poll, and what would wake it has to run there.
        BlockedWorker = "blocked_worker",
        /// All threads for blocking work wait for blocking work.
        PoolExhausted = "pool_exhausted",
        /// A timer is long overdue: nobody drives the timers.
        DriverStarved = "driver_starved",
        /// A poll does not come to an end, and others wait for its thread.
        Spin = "spin",
        /// A runtime is going away and waits for blocking work.
        Shutdown = "shutdown",
        /// Nothing is stuck yet: a future that was woken is not polled, or one that is not polled holds a lock.
        Hazard = "hazard",
    }
}

words! {
    /// Which form of its kind.
    VerdictDetail {
        /// Of a futurelock: what the task waits for was handed to the future that is not polled.
        Granted = "granted",
        /// Of a futurelock: the future that is not polled holds it.
        Holding = "holding",
        /// Of a futurelock: the future that is not polled stands before it in the queue.
        Queued = "queued",
        /// Of a futurelock: what receives was never polled, and is with the task that waits.
        Unpolled = "unpolled",
        /// Of a cycle: one waits for a place in a queue, and not for who holds.
        ViaQueue = "via_queue",
        /// Of a cycle: several hold units of one resource, and all of them wait.
        Knot = "knot",
    }
}

words! {
    /// How sure a verdict is.
    Confidence {
        /// It follows from exact facts.
        Proven = "proven",
        /// It follows if things are where they were last seen.
        Likely = "likely",
        /// It looks like one, by its age.
        Suspect = "suspect",
    }
}

words! {
    /// What a link is.
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
    /// The part of a link.
    LinkRole {
        /// It waits.
        Waits = "waits",
        /// It stands in a queue.
        Queued = "queued",
        /// What it waits for is its own already.
        Granted = "granted",
        /// It holds units.
        Holds = "holds",
        /// It has an end of a channel, or uses a resource.
        Owns = "owns",
        /// It waits, and blocks the thread it is on.
        Blocked = "blocked",
        /// It is being polled.
        Running = "running",
        /// Of a resource: where it was made.
        Created = "created",
    }
}
