//! The data that every report is made of: one [`Snapshot`], plain and complete.
//!
//! ```text
//! Snapshot ── sites ─ what was annotated: name, module, place in the source
//!          ├─ nodes ─ one per call path of sites, with its counters; a parent stands before its children
//!          └─ footer: elapsed time, threads, clock, cost, what was dropped
//! ```
//! All times are nanoseconds, summed over every span that took the path. A snapshot is what a saved JSON file holds,
//! so a change here is a change of the file format: see [`VERSION`].

use serde::{Deserialize, Serialize};

/// The version of the saved format. Increment it when a type in this file changes its meaning or its shape.
pub const VERSION: u32 = 1;

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
    /// How time was measured, and what measuring costs.
    pub clock: Clock,
    /// What was not recorded, and why.
    pub dropped: Dropped,
    /// The threads that polled something annotated, sorted by name.
    pub threads: Vec<Thread>,
    /// The annotated places that `nodes` refers to, sorted by file, line, column and name.
    pub sites: Vec<Site>,
    /// One per call path, in depth-first order: a parent stands before its children.
    pub nodes: Vec<Node>,
    /// What the watchdog has raised, oldest first; the last 64.
    #[serde(default)]
    pub alarms: Vec<String>,
    /// What was spawned, or polled as a root, and was not done at the capture, by number.
    #[serde(default)]
    pub tasks: Vec<Task>,
    /// What was pending or running at the capture, in depth-first order: a parent stands before its children.
    #[serde(default)]
    pub spans: Vec<Span>,
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

/// The clock behind the times, and the cost of the recording.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Clock {
    /// `tsc`, `cntvct`, `instant` or `manual`.
    pub name: String,
    /// What recording one poll costs on this machine, measured at the capture; zero when it was not measured.
    pub poll_cost_ns: u64,
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
    /// The source file as the compiler names it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
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
    pub kind: Kind,
}

/// What a site is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Kind {
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

/// One call path of sites, with everything that was measured on it.
///
/// Counters are sums over all spans (calls) of the path, on all threads, and include what was still open at the
/// capture: a running poll up to that moment, a pending span's wait up to that moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Node {
    /// Index into [`Snapshot::sites`].
    pub site: usize,
    /// Index into [`Snapshot::nodes`], smaller than this node's own; `None` for a root.
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

/// A task that was not done at the capture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Task {
    /// Its number, from 1, in the order in which tasks came to be known; never used twice.
    pub id: u64,
    /// Index into [`Snapshot::sites`]: its name, and where that was annotated or spawned.
    pub site: usize,
    /// The label of its root span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// A future, or a closure on a thread for blocking code.
    pub kind: TaskKind,
    /// `tokio`, `smol`, …; empty if it was met without being spawned through this crate.
    pub runtime: String,
    /// The runtime's own number of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_id: Option<u64>,
    /// Where it was spawned, as `file:line:column`; empty if that is not known.
    pub spawned_at: String,
    /// The task that spawned it, which may be done by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spawned_by: Option<u64>,
    /// What it is doing.
    pub state: State,
    /// For how long it has been in this state.
    pub since_ns: u64,
    /// For how long it has been known.
    pub age_ns: u64,
    /// Finished polls.
    pub polls: u64,
    /// Time in finished polls, and in the running one up to now.
    pub busy_ns: u64,
    /// Time between a wake and the poll that it led to.
    pub queued_ns: u64,
    /// How often it was woken.
    pub wakes: u64,
    /// How often by itself.
    pub self_wakes: u64,
    /// The task that woke it last; `None` if it was no task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken_by: Option<u64>,
    /// Clones of its waker that somebody keeps; `None` if wakers are not watched. A waiting task without any is never
    /// polled again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wakers: Option<u64>,
    /// The thread that polled it last, by its name.
    pub thread: String,
    /// The kernel's number of that thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<u64>,
    /// While it is running, what runs on its thread at this moment, from its root down, as indices into
    /// [`Snapshot::sites`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub running: Vec<usize>,
    /// Index into [`Snapshot::spans`] of its root span, once that has been pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<usize>,
}

/// What a task is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TaskKind {
    /// A future.
    #[default]
    Future,
    /// A closure on a thread for blocking code.
    Blocking,
}

/// What a task or a span is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum State {
    /// It was not polled yet.
    Unpolled,
    /// Its poll is running.
    Running,
    /// It was woken, and waits for its poll.
    Queued,
    /// It returned `Pending`, and was not woken since.
    #[default]
    Waiting,
}

/// A span that was pending or running at the capture. One that is in its first poll is not listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Span {
    /// Its number, never used twice; an await in a body has the number of that body's span.
    pub id: u64,
    /// Index into [`Snapshot::sites`].
    pub site: usize,
    /// Index into [`Snapshot::sites`] of the await through which it is polled, if it is awaited directly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The label of the span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Index into [`Snapshot::spans`] of the span that polled it last, smaller than its own; `None` for a root, and where
    /// that one is gone.
    pub parent: Option<usize>,
    /// The task to which it belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u64>,
    /// [`State::Running`] or [`State::Waiting`].
    pub state: State,
    /// For how long it has been in this state.
    pub since_ns: u64,
    /// For how long it has existed.
    pub age_ns: u64,
    /// Finished polls.
    pub polls: u64,
    /// The span that polled it last is gone.
    pub detached: bool,
    /// Its task has been polled since, without polling it: it is parked, or it was not woken and somebody polls only what
    /// was, as `FuturesUnordered` does.
    pub skipped: bool,
}
