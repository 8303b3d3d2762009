//! Verdicts. No value of them is made.

use std::fmt;

use super::ids::{ResourceId, TaskId};
use super::text::Place;
use super::words::words;

/// Something that hangs, or may hang.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// The kind of hang.
    pub kind: VerdictKind,
    /// The form of the kind, if the kind has several forms.
    pub detail: Option<VerdictDetail>,
    /// How certain the verdict is.
    pub confidence: Confidence,
    /// Whether no other verdict has to be resolved before this one.
    pub root_cause: bool,
    /// The chain of waits.
    pub chain: Vec<Link>,
    /// The chain of waits as a sentence.
    pub sentence: String,
    /// The tasks that wait behind it.
    pub victims: Vec<TaskId>,
    /// The position of the verdict to resolve first.
    pub behind: Option<usize>,
}

impl Verdict {
    /// The change that prevents the hang, as a clause in the imperative.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        ""
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// The kind of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum VerdictKind {
    /// Tasks wait for each other.
    Cycle,
    /// A task waits for itself.
    SelfWait,
    /// A future that its task stopped polling has what the task waits for.
    Futurelock,
    /// A wait asks for more than there is.
    Starved,
    /// A guard, permit or sender that a task waits for is never released.
    Leak,
    /// Nothing can wake the task.
    LostWaker,
    /// The notification came before the wait, or went to another one.
    MissedNotify,
    /// A worker thread sleeps inside a poll, for something that needs that thread.
    BlockedWorker,
    /// All threads for blocking work wait for blocking work.
    PoolExhausted,
    /// No thread drives the timers.
    DriverStarved,
    /// A poll does not end.
    Spin,
    /// A runtime shuts down and waits for blocking work.
    Shutdown,
    /// Nothing is stuck yet.
    Hazard,
}

/// How certain a verdict is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Confidence {
    /// It follows from exact facts.
    Proven,
    /// It follows if guards and channel ends are with the task that last used them.
    Likely,
    /// Its age suggests it.
    Suspect,
}

/// One link of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link {
    /// The kind of record that the link stands for.
    pub node: LinkNode,
    /// The id of a task, a resource or a future; the OS id of a thread.
    pub id: u64,
    /// The name of a task, future or resource.
    pub name: String,
    /// The file of its place.
    pub file: String,
    /// The line in that file.
    pub line: u32,
    /// The callers of that place.
    pub callers: Vec<Place>,
    /// Its part in the chain.
    pub role: LinkRole,
    /// ns since it took that part.
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

/// The form of a verdict's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum VerdictDetail {
    /// The unpolled future was granted what the task waits for.
    Granted,
    /// The unpolled future holds it.
    Holding,
    /// The unpolled future is ahead in the queue.
    Queued,
    /// The receiving future was never polled.
    Unpolled,
    /// A task waits for its turn in a queue.
    ViaQueue,
    /// Several tasks hold units of one resource.
    Knot,
    /// No thread runs the awaited task.
    Undriven,
}

/// The kind of record that a link stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LinkNode {
    /// A task.
    Task,
    /// A future in a task.
    Future,
    /// A resource.
    Resource,
    /// A thread outside of all tasks.
    Thread,
}

/// The part of a link in its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LinkRole {
    /// It waits.
    Waits,
    /// It is in a queue.
    Queued,
    /// It was granted what it waits for.
    Granted,
    /// It holds units.
    Holds,
    /// It has an end of a channel, or uses a resource.
    Owns,
    /// It waits, and blocks its thread.
    Blocked,
    /// It is being polled.
    Running,
    /// A resource: where it was created.
    Created,
}

words! {
    VerdictKind {
        Cycle "cycle" SelfWait "self_wait" Futurelock "futurelock" Starved "starved" Leak "leak"
        LostWaker "lost_waker" MissedNotify "missed_notify" BlockedWorker "blocked_worker"
        PoolExhausted "pool_exhausted" DriverStarved "driver_starved" Spin "spin" Shutdown "shutdown"
        Hazard "hazard"
    }
    VerdictDetail {
        Granted "granted" Holding "holding" Queued "queued" Unpolled "unpolled" ViaQueue "via_queue"
        Knot "knot" Undriven "undriven"
    }
    Confidence { Proven "proven" Likely "likely" Suspect "suspect" }
    LinkNode { Task "task" Future "future" Resource "resource" Thread "thread" }
    LinkRole {
        Waits "waits" Queued "queued" Granted "granted" Holds "holds" Owns "owns" Blocked "blocked"
        Running "running" Created "created"
    }
}
