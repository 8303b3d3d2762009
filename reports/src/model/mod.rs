//! The data that every report is computed from: one [`Snapshot`].
//!
//! ```text
//! Snapshot ─┬─ sites: annotated places, with name, module and place in the source
//!           ├─ nodes: call paths of sites, with counters; a parent comes before its children
//!           ├─ tasks, spans, resources, waits: live tasks, and what they wait for
//!           └─ footer: elapsed time, threads, clock, cost, dropped records
//! ```
//! Durations are in nanoseconds, in fields named `…_ns`; points in time are in ms since 1970 (UTC),
//! in fields named `…_unix_ms`. A saved JSON file contains a snapshot, so a change of a type in
//! this module changes the file format: see [`VERSION`].

use crate::json::ToJson;

mod alarm;
mod class;
mod default;
pub(crate) mod folding;
mod holding;
mod ids;
mod latency;
mod live;
mod node;
mod order;
mod past;
mod process;
pub(crate) mod resource;
mod task;
mod text;
mod wait;
mod waits;

pub use alarm::{Alarm, AlarmKind};
pub use holding::{Holding, HoldingClass};
pub use ids::{NodeIndex, ResourceId, SiteIndex, SpanId, SpanIndex, TaskId, WaitId};
pub use latency::{Durations, Latency};
pub use live::{BlockingPool, RunState, Runtime, Span, Worker};
pub use node::{Bucket, Node};
pub use order::{LockOrder, LockPair, LockedResource};
pub use past::PastResources;
pub use process::Process;
pub use resource::{Resource, ResourceClass};
pub use task::{Task, TaskClass, TaskKind};
pub use text::Text;
pub use wait::{Wait, WaitClass, WaitMode};
pub use waits::{Attribution, LastEvent, Place, Quantiles, ResourceKind, Role, Usage, UsagePlace};
// Only for `diagnose`, which shares the classes of the records that it captures.
#[doc(hidden)]
pub use class::{Alike, Classes};

/// Version of the saved format. A reader refuses any other version.
///
/// It stays if a field is added whose absence is safe: no verdict is *proven* from a file without
/// the field that would not be proven from the whole record. A reader that knows the field takes
/// its default from an older file, and a reader that does not know it ignores it in a newer one.
/// Any other change of the meaning or the shape of a type of this module increments it. So does a
/// new variant of an enum, which an older reader refuses with an error that names version and
/// producer.
pub const VERSION: u32 = 6;

/// Everything that a program has recorded up to one moment, merged over all its threads.
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Snapshot {
    /// [`VERSION`] of the crate that wrote it.
    pub version: u32,
    /// Name and version of the library that wrote it, such as `diagnose 0.1.0`.
    pub producer: String,
    /// The recorded process.
    pub process: Process,
    /// Wall-clock time of the capture, in ms since 1970-01-01 UTC; 0 if unknown.
    #[serde(default)]
    pub captured_unix_ms: u64,
    /// ns from the start of the recording, or from the last reset, to the capture.
    pub elapsed_ns: u64,
    /// Whether recording was switched on at the capture.
    pub enabled: bool,
    /// Number of snapshots that [`merge`](crate::merge) has added up; 0 if this snapshot is of one
    /// process. A merged snapshot has no live tasks.
    #[serde(default, skip_serializing_if = "waits::is_zero")]
    pub merged: u64,
    /// The clock that measured all times.
    pub clock: Clock,
    /// Cost of the recording, in the order of [`Activity`]; empty if it was not measured.
    #[serde(default)]
    pub costs: Vec<Cost>,
    /// Counts of records that were dropped, by reason.
    pub dropped: Dropped,
    /// Threads that have polled annotated code, sorted by name.
    pub threads: Vec<Thread>,
    /// Annotated places, sorted by place and name.
    pub sites: Vec<Site>,
    /// Call paths in depth-first order: a parent comes before its children.
    pub nodes: Vec<Node>,
    /// Shortest poll, in ns, that the text report lists as long; 0 if it lists none.
    #[serde(default)]
    pub long_poll_ns: u64,
    /// The last 64 alarms of the watchdog, oldest first.
    #[serde(default)]
    pub alarms: Vec<Alarm>,
    /// Runtimes that were built through this crate, sorted by number.
    #[serde(default)]
    pub runtimes: Vec<Runtime>,
    /// Worker threads of these runtimes, sorted by name and number.
    #[serde(default)]
    pub workers: Vec<Worker>,
    /// Limits of the threads for blocking work, for the runtimes whose limit is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocking_pools: Vec<BlockingPool>,
    /// Tasks and other roots that were not done at the capture, in the order of their creation.
    #[serde(default, with = "folding")]
    pub tasks: Vec<Task>,
    /// Spans that were pending or running at the capture, in depth-first order: a parent comes
    /// before its children.
    #[serde(default, with = "folding")]
    pub spans: Vec<Span>,
    /// Locks, channels and other resources that are held, waited for or were used, sorted by id.
    #[serde(default, with = "resource")]
    pub resources: Vec<Resource>,
    /// Dropped locks that calls have waited for, sorted by place, kind, library and name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub past_resources: Vec<PastResources>,
    /// Waits for a resource, a task or a point in time. Those for one resource are in queue order.
    #[serde(default, with = "folding")]
    pub waits: Vec<Wait>,
    /// The order in which locks were acquired; `None` if it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_order: Option<LockOrder>,
    /// Number of threads that may run unrecorded code. It excludes workers, the threads of this
    /// crate, and threads that are inside a recorded task or wait for another thread. Any of the
    /// counted threads may have any movable holding.
    #[serde(default)]
    pub foreign_threads: u64,
    /// Whether this system cannot count threads. Then one foreign thread is assumed.
    #[serde(default)]
    pub are_threads_unknown: bool,
    /// Number of tasks of the listed runtimes that were not spawned through this crate, plus one if
    /// tasks run on other runtimes of tokio. Any of these tasks may have any movable holding.
    #[serde(default)]
    pub unrecorded_tasks: u64,
    /// Whether all code that can run belongs to a listed task: each thread is a worker without
    /// unrecorded tasks, or is inside a listed task.
    #[serde(default)]
    pub is_all_recorded: bool,
}

/// The clock that measured all times.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Clock {
    /// `tsc`, `cntvct`, `instant` or `manual`.
    pub name: String,
    /// How often this clock and the system's clock have jumped relative to each other, as in a
    /// suspend. A duration across a jump is the difference of this clock.
    #[serde(default)]
    pub jumps: u64,
}

/// Cost of one activity of the recorder: its count, multiplied by its cost on this machine with
/// warm caches. The cost of one activity is measured once per process.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Cost {
    /// The activity.
    pub activity: Activity,
    /// How often it was done.
    pub count: u64,
    /// Total cost in ns.
    pub ns: u64,
}

/// An activity of the recorder that costs time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Activity {
    /// A call, from its creation to its end. A call that is ready at once records nothing else.
    #[default]
    Calls,
    /// An `.await` of a future that is not annotated.
    Awaits,
    /// A poll of a call, or of an arm of a `select!` or `join!`, after the first, with two clock
    /// readings.
    Polls,
    /// A poll that only forwards to the call inside, and uses that call's clock readings.
    Passed,
    /// A wake of a task through its registered waker.
    Wakes,
    /// A call, or an arm of a `select!` or `join!`, that waits and is listed as alive from then on.
    /// The count is an upper bound.
    Listed,
    /// A call that is dropped while it waits.
    Dropped,
    /// A task that is listed from its spawn on.
    Spawns,
    /// The acquisition of a lock, a sent or received message, or a similar use of a resource.
    Uses,
    /// A future that has waited for a resource, a task or a point in time.
    Waits,
}

/// Counts of records that were dropped to keep memory bounded.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Dropped {
    /// Calls counted in `[other]` because their thread had the maximum number of nodes.
    pub over_nodes: u64,
    /// Calls counted in `[other]` because their path had the maximum depth.
    pub over_depth: u64,
    /// Labels shown as `[other]` because the maximum number of labels was in use.
    pub over_labels: u64,
    /// Pending spans missing from [`Snapshot::spans`] because the maximum number was listed.
    #[serde(default)]
    pub over_spans: u64,
    /// Guards, permits and channel ends that were not recorded because the maximum number was
    /// reached.
    #[serde(default)]
    pub over_holdings: u64,
    /// Nodes whose counters could not be read consistently at the capture.
    pub unreadable: u64,
}

/// A thread that has polled annotated code.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Thread {
    /// Its name; empty if it has none.
    pub name: String,
    /// Whether it still runs. Records of ended threads are kept.
    pub alive: bool,
    /// Number of nodes in its tree.
    pub nodes: u64,
    /// ns on a CPU since it started, or since the last reset; `None` if unknown, as after its end,
    /// and on other systems than Linux.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// ns in which it was ready to run but another thread or process had the CPU; `None` if
    /// unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed_ns: Option<u64>,
}

/// An annotated place in the source, or an await in one.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Site {
    /// Its place in the source.
    pub place: Place,
    /// For an await, the line on which its text ends; 0 if unknown.
    #[serde(default)]
    pub end_line: u32,
    /// For an await, the column after its text; 0 if unknown.
    #[serde(default)]
    pub end_column: u32,
    /// The name given by the user, else the function's; `{block}` for an unnamed async block; the
    /// source text of an await.
    pub name: String,
    /// The module path, such as `server::conn`.
    pub module: String,
    /// The kind of the annotated item.
    pub kind: SiteKind,
    /// For an await, whether it is an arm of a `join!`, which is not dropped when another arm
    /// finishes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_joined: bool,
    /// For a named future, whether its `poll` was written by hand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_hand_written: bool,
    /// Whether its calls may block: a closure on a thread for blocking work, or `block_in_place`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_blocking: bool,
}

/// The kind of a site.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SiteKind {
    /// A future that is always a root: a task.
    Task,
    /// An async function.
    #[default]
    Fn,
    /// An async block, or a future that was named by hand.
    Block,
    /// An `.await`, or an arm of a `join!` or `select!`.
    Await,
    /// A hand-written future.
    Impl,
    /// A synchronous function: busy, never idle.
    Sync,
    /// A span of `tracing`, in code that is not annotated.
    Traced,
    /// A node for records past a limit. It is not a place in the source.
    Other,
}
