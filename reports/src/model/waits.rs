//! Who waits for whom: resources, who has a holding in them, and who waits.
//!
//! ```text
//! Wait ── resource ─▶ Resource ── holdings ─▶ Holding: who holds, sends to, receives from it
//!      ── tasks ────▶ the tasks that are joined
//! ```
//! Everything names tasks by [`Task::id`](crate::model::Task::id) and spans by [`Span::id`](crate::model::Span::id).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::text::Text;

/// A place in the source.
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

/// `src/main.rs:12:5`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.as_str(), self.line, self.column)
    }
}

/// What a resource is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResourceKind {
    /// One unit, held by one.
    #[default]
    Mutex,
    /// As many units as there may be readers; a writer takes all.
    RwLock,
    /// So many permits.
    Semaphore,
    /// Held by whoever initialises it.
    OnceCell,
    /// Passed by all when the last arrives.
    Barrier,
    /// Somebody tells somebody.
    Notify,
    /// Told with a lock at hand, by a thread to a thread.
    Condvar,
    /// A channel from many to one.
    Mpsc,
    /// A channel from many to many, one of whom gets each message.
    Mpmc,
    /// A channel for one message.
    Oneshot,
    /// A channel from many to many, each of whom gets every message.
    Broadcast,
    /// A value that is watched. Held by whoever borrows the value.
    Watch,
    /// One direction of a pipe of bytes.
    Pipe,
    /// A token of cancellation with those that were made of it.
    Cancellation,
    /// Something of the program's own.
    Custom,
}

/// Something for which tasks wait, and by which others let them go on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resource {
    /// Its number, from 1; never used twice. Those of one thread are in the order in which they came to be known.
    pub id: u64,
    /// What it is.
    pub kind: ResourceKind,
    /// `tokio`, `async-lock`, `std`, `parking_lot`; empty if it is the program's own.
    pub library: Text,
    /// The name that the program gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Text>,
    /// Where it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Place>,
    /// The task that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<u64>,
    /// The kernel's number of the thread that made it, if that was outside of all tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_on: Option<u64>,
    /// Tasks with this number and above came after it; `None` if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_task: Option<u64>,
    /// For how long it has been known.
    pub age_ns: u64,
    /// How many units there are in all: 1 of a mutex, the permits of a semaphore, the bound of a channel, the parties of a
    /// barrier. `None` if there is no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u64>,
    /// Units that nobody has, and that are promised to nobody: of a lock or semaphore, permits; of a channel, free places.
    pub free: u64,
    /// Of a channel or pipe, the messages or bytes in it; of a barrier, who has arrived.
    pub filled: u64,
    /// Permits that were taken out for ever.
    pub forgotten: u64,
    /// Permits were added after it was made: somebody makes units.
    pub is_refilled: bool,
    /// What is released is handed to the first in the queue; otherwise it is told, and whoever comes first takes it.
    pub is_fair: bool,
    /// It was closed, or one side is gone: nobody waits for long.
    pub is_closed: bool,
    /// Who has a part in it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holdings: Vec<Holding>,
    /// The last time that somebody took units of it, whether they are held still or were given back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_acquired: Option<LastEvent>,
    /// The last time that somebody told the waiting: of a `Notify`, a `Condvar`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_notified: Option<LastEvent>,
    /// The last time that somebody took permits out for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_forgotten: Option<LastEvent>,
    /// How it has been used.
    pub usage: Usage,
}

/// What somebody is to a resource.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// Has units of it: a guard, a permit, the place of a reserved message, the initialising of a cell.
    #[default]
    Holds,
    /// A sender, or the writing end of a pipe.
    Sends,
    /// A receiver, or the reading end of a pipe.
    Receives,
    /// Has used it, and may again: who has told or waited at a `Notify`, who has added permits.
    Uses,
}

/// How sure it is where a holding is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Attribution {
    /// With that task: it cannot go elsewhere.
    Exact,
    /// With that task, unless code that is not on record has moved it: nothing that is on record has carried it away.
    Unmoved,
    /// With that task, or one of `candidates`: who used it last.
    Likely,
    /// It may be anywhere.
    #[default]
    Unknown,
}

/// Somebody's part in a resource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Holding {
    /// What part it is.
    pub role: Role,
    /// How many units it has, if it holds any.
    pub units: u64,
    /// The task that took or used it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u64>,
    /// The span that did, which may be gone by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<u64>,
    /// The kernel's number of the thread, if it was done outside of all tasks, or cannot leave that thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<u64>,
    /// How sure it is that it is there still.
    pub attribution: Attribution,
    /// It can go to another task without being seen: an owned guard or permit, an end of a channel, a guard of a static.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_movable: bool,
    /// Other tasks that may have it: those that were spawned by that task since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<u64>,
    /// It may lie in a message of this channel that nobody has received yet: the number of the resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_channel: Option<u64>,
    /// Where it was taken, or used last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Of units that something waits for: the awaits by which the call that took them was reached, from that of the innermost
    /// caller to that of the task. Empty if the task itself has called it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<Place>,
    /// Since when it has been held; in a poll, since that began; outside of tasks, of a lock that is taken often, since
    /// somebody waits for it. Of one that holds nothing, the time since it was used last.
    pub since_ns: u64,
    /// How often it was used since it was made: messages sent or received, values looked at through a guard.
    pub uses: u64,
}

/// The last time that something was done to a resource: when, by which task, where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LastEvent {
    /// ns before the capture; inside a poll, counted from the start of that poll. `None` if the clock was not read for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ago_ns: Option<u64>,
    /// The task; `None` outside of all tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u64>,
    /// The call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Of a notification, how many waited at that moment; else 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waiters: u64,
    /// Of a notification, whether it was for all waiters and not for one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_broadcast: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde calls it.
fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// How a resource has been used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// How often it was acquired; of a channel, messages sent.
    pub acquisitions: u64,
    /// How many of these had to wait.
    pub contended: u64,
    /// How long finished waits took.
    pub wait: Quantiles,
    /// How long it was held, over all releases.
    pub held: Quantiles,
}

/// Quantiles of durations in ns, each at most a factor of two off; 0 if there were none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Quantiles {
    /// The median.
    pub p50_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WaitMode {
    /// A mutex, all of a lock.
    #[default]
    Lock,
    /// A unit of a lock for readers.
    Read,
    /// All units of a lock for readers.
    Write,
    /// Permits.
    Acquire,
    /// A place in a channel or pipe.
    Send,
    /// A message, a new value, bytes.
    Receive,
    /// That the other side goes away.
    Closed,
    /// That somebody else initialises it.
    Initialize,
    /// The others at a barrier.
    Arrive,
    /// To be told.
    Notified,
    /// The end of tasks.
    Join,
    /// A moment in time.
    Timer,
    /// The end of blocking work: the shutdown of a runtime.
    Shutdown,
    /// Something of the program's own.
    Custom,
}

/// A future, or a thread, that waits for something known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub struct Wait {
    /// Its number, of the same sequence as [`Span::id`](crate::model::Span::id).
    pub id: u64,
    /// Index into [`Snapshot::resources`](crate::Snapshot::resources); `None` for a timer and for a join.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<usize>,
    /// The tasks that are joined: one of them has to end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<u64>,
    /// What it waits for there.
    pub mode: WaitMode,
    /// How many units it asks for.
    pub units: u64,
    /// The task that polled it last, or that the blocked thread is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u64>,
    /// The span that polled it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<u64>,
    /// The call that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// For how long it has waited.
    pub since_ns: u64,
    /// How often it was polled.
    pub polls: u64,
    /// Of a timer: in how many nanoseconds it is due; negative if it should have come already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_ns: Option<i64>,
    /// It was woken so long ago and not polled since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken_ns: Option<u64>,
    /// What it waits for is its own already: at a fair lock the wake is the grant.
    pub is_granted: bool,
    /// Its task was polled since its last poll began, without it.
    pub is_parked: bool,
    /// It was woken, then its task was polled, and it was not: nobody is going to poll it for that wake.
    pub is_wake_ignored: bool,
    /// Something between the task and it polls only what was woken, as `FuturesUnordered` does; or it is in a `block_on` of
    /// its own.
    pub is_indirect: bool,
    /// It was woken by a waker that is not its task's, and that wake has not reached its task: nobody is known to poll it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_wake_lost: bool,
    /// Its last poll was made to return `Pending`, whatever it waits for: its task has used up its budget.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_forced: bool,
    /// Clones of its waker that the resource keeps: without any, and not woken, nothing can wake it.
    pub wakers: u64,
    /// So many of the waits before it at the same resource, counted from the first of them, are surely before it in the queue
    /// too.
    pub ahead: u64,
    /// The kernel's number of the thread that is blocked by it; `None` for a future.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<u64>,
    /// It changed while the snapshot was taken.
    pub is_unstable: bool,
}
