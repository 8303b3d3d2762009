//! Resources, the tasks that have parts of them, and the tasks that wait for them.
//!
//! ```text
//! Wait ── resource ─▶ Resource ── holdings ─▶ Holding: who holds, sends to, receives from it
//!      ── tasks ────▶ the tasks that are joined
//! ```
//! All three name each other, tasks and spans by their ids.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ids::{NodeIndex, ResourceId, SpanId, TaskId, WaitId};
use super::text::Text;

/// A place in the source. It is shown as `src/main.rs:12:5`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    /// A resource of the program's own.
    Custom,
}

/// A lock, a channel or another object that tasks wait for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resource {
    /// Its id, from 1; never reused. The ids of one thread are in the order of first use.
    pub id: ResourceId,
    /// Its kind.
    pub kind: ResourceKind,
    /// `tokio`, `async-lock`, `std`, `parking_lot`, …; empty for a resource of the program's own.
    pub library: Text,
    /// The name given by the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Text>,
    /// The call that created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Place>,
    /// The task that created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<TaskId>,
    /// Kernel id of the thread that created it, if that was outside of all tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_on: Option<u64>,
    /// Tasks with this id or a higher one are younger than the resource; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_task: Option<TaskId>,
    /// ns since it was first recorded.
    pub age_ns: u64,
    /// Number of units: 1 for a mutex, the permits of a semaphore, the capacity of a channel, the
    /// parties of a barrier. `None` if unbounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u64>,
    /// Units that are neither held nor granted: permits of a lock or semaphore, free slots of a
    /// channel.
    pub free: u64,
    /// Messages in a channel, bytes in a pipe, or arrived parties of a barrier.
    pub filled: u64,
    /// Permits that `forget` has removed for good.
    pub forgotten: u64,
    /// Whether permits were added after its creation.
    pub is_refilled: bool,
    /// Whether a release hands the unit to the first waiter. Otherwise the first task to try takes
    /// it.
    pub is_fair: bool,
    /// Whether it was closed, or one side is gone: no wait lasts.
    pub is_closed: bool,
    /// Guards, permits and ends of it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holdings: Vec<Holding>,
    /// The last acquisition, even if it has been released since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_acquired: Option<LastEvent>,
    /// The last notification, of a `Notify` or a `Condvar`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_notified: Option<LastEvent>,
    /// The last removal of permits by `forget`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_forgotten: Option<LastEvent>,
    /// Counts and durations of its uses.
    pub usage: Usage,
}

/// The role of a holding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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

/// How sure it is which task has a holding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Attribution {
    /// It is with that task, and cannot move.
    Exact,
    /// It is with that task unless unrecorded code has moved it: no recorded event has.
    Unmoved,
    /// It is with that task, which used it last, or with one of `candidates`.
    Likely,
    /// It may be anywhere.
    #[default]
    Unknown,
}

/// A guard, a permit, a sender, a receiver: a part of a resource that a task has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Holding {
    /// Its role.
    pub role: Role,
    /// Number of units that it holds; 0 if it holds none.
    pub units: u64,
    /// The task that acquired or used it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The span that did, which may be gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<SpanId>,
    /// Kernel id of the thread, if it was used outside of all tasks or cannot leave that thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<u64>,
    /// How sure it is that the task still has it.
    pub attribution: Attribution,
    /// Whether it can move to another task unseen: an owned guard or permit, an end of a channel, a
    /// guard of a static.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_movable: bool,
    /// Whether it is in a boxed future that may have moved to another task unseen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_have_moved: bool,
    /// Other tasks that may have it: those that `task` has spawned since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<TaskId>,
    /// A channel in which it may be, in a message that was not received yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_channel: Option<ResourceId>,
    /// The call that acquired it, or used it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// For contended units, the awaits through which that call was reached, from the innermost
    /// caller to the task. Empty if the task made the call itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<Place>,
    /// ns since it was acquired; inside a poll, since that poll started. For a frequently used lock
    /// outside of tasks, since it has had a waiter. If it holds no units, since its last use.
    pub since_ns: u64,
    /// Number of uses: messages sent or received, accesses through a guard.
    pub uses: u64,
}

/// The last event of one kind at a resource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LastEvent {
    /// ns before the capture; inside a poll, since that poll started. `None` if the clock was not
    /// read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ago_ns: Option<u64>,
    /// The task; `None` outside of all tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The call.
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
fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// Counts and durations of the uses of a resource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Number of acquisitions; for a channel, of messages sent.
    pub acquisitions: u64,
    /// Number of waits, those included that last or were given up.
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
    /// For a lock, the calls that waited, most time first; at most six. The last may stand for
    /// several. The first wait of a lock is not among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiters: Vec<UsagePlace>,
    /// For a lock, the calls that held it, most time first; at most six. The last may stand for
    /// several. All holds after a wait are measured, of others one in 64.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holders: Vec<UsagePlace>,
}

/// The waits for a lock, or its holds, by the call that acquired it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UsagePlace {
    /// The call.
    pub place: Place,
    /// The path on which it took longest; `None` if that is not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeIndex>,
    /// Number of measured waits or holds.
    pub count: u64,
    /// Their total time in ns.
    pub total_ns: u64,
    /// The longest, in ns.
    pub longest_ns: u64,
}

/// Quantiles of durations in ns, each within a factor of two; 0 if there are none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Quantiles {
    /// Median.
    pub p50_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// Maximum.
    pub max_ns: u64,
}

/// The operation that waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WaitMode {
    /// Acquires a mutex, or all of a lock.
    #[default]
    Lock,
    /// Acquires a lock to read.
    Read,
    /// Acquires a lock to write: all its units.
    Write,
    /// Acquires permits.
    Acquire,
    /// Waits for a free slot in a channel or pipe.
    Send,
    /// Waits for a message, a new value, or bytes.
    Receive,
    /// Waits until the other side is dropped.
    Closed,
    /// Waits until another task has initialized the cell.
    Initialize,
    /// Waits for the other parties of a barrier.
    Arrive,
    /// Waits for a notification.
    Notified,
    /// Waits for tasks to end.
    Join,
    /// Waits for a point in time.
    Timer,
    /// Waits for blocking work to end, in the shutdown of a runtime.
    Shutdown,
    /// Waits for a resource of the program's own.
    Custom,
}

/// A future or a thread that waits for a recorded resource, task or point in time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub struct Wait {
    /// Its id; never reused.
    pub id: WaitId,
    /// The resource that it waits for; `None` for a timer or a join.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceId>,
    /// The joined tasks, one of which has to end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
    /// The operation that waits.
    pub mode: WaitMode,
    /// Number of units that it asks for.
    pub units: u64,
    /// The task that polled it last, or that the blocked thread is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The span that polled it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<SpanId>,
    /// The call that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// ns since it began.
    pub since_ns: u64,
    /// Number of polls.
    pub polls: u64,
    /// For a timer, ns until it is due; negative if it is late. For a thread that blocks with a time
    /// limit, ns until it gives up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_ns: Option<i64>,
    /// ns since it was woken, if it has not been polled since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken_ns: Option<u64>,
    /// Whether it has its units already: at a fair lock, the wake is the grant.
    pub is_granted: bool,
    /// Whether its task has been polled since, without polling it.
    pub is_parked: bool,
    /// Whether its future may have moved to another task since: it is boxed, and not awaited.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_have_moved: bool,
    /// Whether it was woken, and the next poll of its task did not poll it. Nothing will poll it
    /// for that wake.
    pub is_wake_ignored: bool,
    /// Whether code between it and its task polls only woken futures, as `FuturesUnordered` does,
    /// or it is in a nested `block_on`.
    pub is_indirect: bool,
    /// Whether it was woken through a waker that is not its task's, and the wake has not reached
    /// its task.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_wake_lost: bool,
    /// Whether its last poll returned `Pending` only because its task had used up its coop budget.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_forced: bool,
    /// Clones of its waker that the resource keeps. Without any, and not woken, nothing can wake
    /// it.
    pub wakers: u64,
    /// Number of earlier waits at the same resource that are certainly ahead of it in the queue.
    pub ahead: u64,
    /// Kernel id of the blocked thread; `None` for a future.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<u64>,
    /// Whether it changed during the capture.
    pub is_unstable: bool,
}
