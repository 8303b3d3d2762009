//! The data that every report is made of: one [`Snapshot`], plain and complete.
//!
//! ```text
//! Snapshot ── sites ─ what was annotated: name, module, place in the source
//!          ├─ tasks, spans, resources, waits ─ what is alive, and who waits for whom
//!          ├─ nodes ─ one per call path of sites, with its counters; a parent stands before its children
//!          └─ footer: elapsed time, threads, clock, cost, what was dropped
//! ```
//! All times are nanoseconds, summed over every span that took the path. A snapshot is what a saved JSON file holds,
//! so a change here is a change of the file format: see [`VERSION`].

mod folding;
mod live;
mod node;
mod order;
mod text;
mod waits;

use serde::{Deserialize, Serialize};

pub use live::{BlockingPool, RunState, Runtime, Span, Task, TaskKind, Worker};
pub use node::{Bucket, Node};
pub use order::{LockOrder, LockPair, LockedResource};
pub use text::Text;
pub use waits::{
    Attribution, Holding, LastEvent, Place, Quantiles, Resource, ResourceKind, Role, Usage, Wait, WaitMode,
};

/// The version of the saved format. Increment it when a type in this file changes its meaning or its shape.
pub const VERSION: u32 = 2;

/// What the program had recorded at one moment, merged over all threads, living and dead.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Snapshot {
    /// [`VERSION`] of the crate that wrote it.
    pub version: u32,
    /// The writing library and its version, `diagnose 0.1.0`.
    pub producer: String,
    /// The recorded process.
    pub process: Process,
    /// From the start of the recording (or the last reset) to the capture.
    pub elapsed_ns: u64,
    /// Whether recording was switched on at the moment of the capture.
    pub enabled: bool,
    /// How time was measured.
    pub clock: Clock,
    /// What the recording of this has cost, in the order of [`Activity`]; empty if that was not measured.
    #[serde(default)]
    pub costs: Vec<Cost>,
    /// What was not recorded, and why.
    pub dropped: Dropped,
    /// The threads that polled something annotated, sorted by name.
    pub threads: Vec<Thread>,
    /// The annotated places that `nodes` refers to, sorted by file, line, column and name.
    pub sites: Vec<Site>,
    /// One per call path, in depth-first order: a parent stands before its children.
    pub nodes: Vec<Node>,
    /// From how many nanoseconds on a poll counts as long in the text report; zero if none does.
    #[serde(default)]
    pub long_poll_ns: u64,
    /// What the watchdog has raised, oldest first; the last 64.
    #[serde(default)]
    pub alarms: Vec<String>,
    /// The runtimes that are built through this crate, by number.
    #[serde(default)]
    pub runtimes: Vec<Runtime>,
    /// The worker threads of runtimes that are built through this crate, sorted by name and number.
    #[serde(default)]
    pub workers: Vec<Worker>,
    /// The bounds of the runtimes' threads for blocking work, where they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocking_pools: Vec<BlockingPool>,
    /// What was spawned, or polled as a root, and was not done at the capture, by number.
    #[serde(default, with = "folding")]
    pub tasks: Vec<Task>,
    /// What was pending or running at the capture, in depth-first order: a parent stands before its children.
    #[serde(default, with = "folding")]
    pub spans: Vec<Span>,
    /// The locks, channels and the like for which something waits, or that somebody holds or has used, by number.
    #[serde(default, with = "folding")]
    pub resources: Vec<Resource>,
    /// What waits for a resource, a task or a moment; those at one resource in the order of its queue.
    #[serde(default, with = "folding")]
    pub waits: Vec<Wait>,
    /// In which order locks were taken; `None` if that was not noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_order: Option<LockOrder>,
    /// Threads of the process of which nothing is known: none of a runtime, none that is in a recorded task, none of this
    /// crate's own, and not the first one. Whatever can move may be with one of them.
    #[serde(default)]
    pub foreign_threads: u64,
    /// Threads cannot be counted on that system: one such thread is taken to be there.
    #[serde(default)]
    pub are_threads_unknown: bool,
    /// Tasks of the listed runtimes that were not spawned through this crate. Whatever can move may be with one of them.
    #[serde(default)]
    pub unrecorded_tasks: u64,
    /// All code that can run is in a listed task: each thread of the process is a worker without unrecorded tasks, or inside
    /// a listed task.
    #[serde(default)]
    pub is_all_recorded: bool,
}

/// The recorded process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Process {
    /// The file name of the executable.
    pub name: String,
    /// The process id.
    pub pid: u32,
}

/// The clock behind the times.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Clock {
    /// `tsc`, `cntvct`, `instant` or `manual`.
    pub name: String,
    /// How often the clock and the system's have jumped against each other, as when the machine was suspended. What was
    /// recorded across a jump is as long as the clock says.
    #[serde(default)]
    pub jumps: u64,
}

/// What one kind of recording has cost: how often it was done, times what that takes on this machine with everything in its
/// caches, as measured once in the process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cost {
    /// What was recorded.
    pub activity: Activity,
    /// How often.
    pub count: u64,
    /// What all of that has cost.
    pub ns: u64,
}

/// What the recorder does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Activity {
    /// A call, from its making to its end: of one that is ready at once, all that is recorded.
    #[default]
    Calls,
    /// An `.await` of something that is not annotated.
    Awaits,
    /// A poll of a call after its first, with two readings of the clock.
    Polls,
    /// A poll that only goes on to the call inside, with its readings.
    Passed,
    /// A wake of a task, with the waker that was kept for it.
    Wakes,
    /// A call that waits, which is listed as alive from then on. How many have is counted as an upper bound: as many as were called
    /// and as were polled again.
    Listed,
    /// A task that is listed from its spawn on.
    Spawns,
    /// A lock taken, a message sent or received, and the like.
    Uses,
    /// A future that has waited for such.
    Waits,
}

/// Counts of what the recorder left out instead of growing past its bounds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dropped {
    /// Calls that went into `[other]` because the thread had its full number of nodes.
    pub over_nodes: u64,
    /// Calls that went into `[other]` because the path was at its full depth.
    pub over_depth: u64,
    /// Labels that were shown as `[other]` because the full number of labels was in use.
    pub over_labels: u64,
    /// Pending spans that are not in [`Snapshot::spans`] because the full number of them was.
    #[serde(default)]
    pub over_spans: u64,
    /// Guards, permits and ends of channels that are not among the holdings because the full number of them was.
    #[serde(default)]
    pub over_holdings: u64,
    /// Nodes whose counters could not be read consistently at the capture.
    pub unreadable: u64,
}

/// A thread that polled something annotated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Thread {
    /// The thread's name, empty if it has none.
    pub name: String,
    /// Whether it still runs. The records of an ended thread stay.
    pub alive: bool,
    /// How many nodes its tree has.
    pub nodes: u64,
}

/// An annotated place in the source.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Site {
    /// Where it is annotated.
    pub place: Place,
    /// Of an await, the line on which its text ends; zero if that is not known.
    #[serde(default)]
    pub end_line: u32,
    /// Of an await, the column after the last of its text; zero if that is not known.
    #[serde(default)]
    pub end_column: u32,
    /// The name given by the user, else that of the function; `{block}` for an unnamed async block, the source text of
    /// an await.
    pub name: String,
    /// The module path, `server::conn`.
    pub module: String,
    /// What was annotated.
    pub kind: SiteKind,
    /// Of an await, whether it is an arm of a `join!`: no other arm that is done takes it along.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_joined: bool,
    /// Of a future that was named, whether somebody wrote its `poll` by hand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_hand_written: bool,
}

/// What a site is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SiteKind {
    /// A future that is always a root: a task.
    Task,
    /// An async function.
    #[default]
    Fn,
    /// An async block, or any future that was named by hand.
    Block,
    /// An `.await`, or an arm of a `join!` or `select!`.
    Await,
    /// A hand-written future.
    Impl,
    /// A synchronous function: busy, never idle.
    Sync,
    /// Not a place at all: the node that takes what is over a bound.
    Other,
}
