//! What is alive: workers, tasks and spans.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::text::Text;
use super::waits::Place;

/// A runtime.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Runtime {
    /// Its number in this process, from 1, in the order in which they were built; never used twice.
    pub number: u64,
    /// `tokio`.
    pub library: String,
    /// The name that the program gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many worker threads it has. Those that have not parked yet are not in
    /// [`Snapshot::workers`](crate::Snapshot::workers).
    pub workers: u64,
    /// The threads that it has started and that run, those for blocking code included.
    pub threads: u64,
}

/// A worker thread of a runtime.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Worker {
    /// `tokio`.
    pub runtime: String,
    /// The thread's name, empty if it has none.
    pub thread: String,
    /// The kernel's number of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<u64>,
    /// The number of the runtime that it belongs to, in this process; zero if that is not known.
    #[serde(default)]
    pub runtime_number: u64,
    /// Whether it is parked: it has nothing to do.
    pub parked: bool,
    /// For how long it has been parked, or has not.
    pub since_ns: u64,
    /// The task whose poll is running on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u64>,
}

/// The threads for blocking work of a runtime.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BlockingPool {
    /// The number of the runtime, in this process.
    pub runtime_number: u64,
    /// How many of them there may be.
    pub threads: u64,
}

/// A task that was not done at the capture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub struct Task {
    /// Its number, from 1, in the order in which tasks came to be known; never used twice.
    pub id: u64,
    /// Index into [`Snapshot::sites`](crate::Snapshot::sites): its name, and where that was annotated or spawned.
    pub site: usize,
    /// The label of its root span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Text>,
    /// What the program has noted about it, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// A future, or a closure on a thread for blocking code.
    pub kind: TaskKind,
    /// `tokio`, `smol`, …; empty if it was met without being spawned through this crate.
    pub runtime: Text,
    /// The runtime's own number of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_id: Option<u64>,
    /// The call that spawned it, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spawned_at: Option<Place>,
    /// The task that spawned it, which may be done by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spawned_by: Option<u64>,
    /// What it is doing.
    pub state: RunState,
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
    /// How long ago it was woken last; `None` if it never was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken_ns: Option<u64>,
    /// Clones of its waker that somebody keeps; `None` if wakers are not watched. A waiting task without any is never
    /// polled again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wakers: Option<u64>,
    /// Of those, the ones that no wait in [`Snapshot::waits`](crate::Snapshot::waits) keeps: a timer, a socket, a thread,
    /// anything that is not recorded may wake it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque_wakers: Option<u64>,
    /// The number of the runtime that it was spawned on, in this process, if the workers of that runtime poll it; zero if
    /// they do not, as those of several do not poll the future of a `block_on` and the tasks of a `LocalSet`, and if that
    /// is not known.
    #[serde(default)]
    pub runtime_number: u64,
    /// While it is running, whether its thread is asleep in the kernel; `None` where that cannot be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_asleep: Option<bool>,
    /// It changed while the snapshot was taken.
    #[serde(default)]
    pub is_unstable: bool,
    /// It was met with its first poll, without being spawned through this crate: what polls it may drop it, or poll it without
    /// a wake.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unspawned: bool,
    /// A handle that awaits or aborts it is alive. What has it may abort the task.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_handle: bool,
    /// The program has asked for a handle that aborts it, which may be anywhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_abort_handle: bool,
    /// It is in a set of tasks, which aborts it when it is dropped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_in_set: bool,
    /// Only the thread that polled it last can poll it: it is in a `LocalSet` or the like.
    #[serde(default)]
    pub is_local: bool,
    /// The thread that polled it last, by its name.
    pub thread: Text,
    /// The kernel's number of that thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<u64>,
    /// While it is running, what runs on its thread at this moment, from its root down, as indices into
    /// [`Snapshot::sites`](crate::Snapshot::sites).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub running: Vec<usize>,
    /// Index into [`Snapshot::spans`](crate::Snapshot::spans) of its root span, once that has been pending.
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
pub enum RunState {
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

/// A span that was pending or running at the capture, and, if that was asked for, one that was not polled yet. Otherwise one
/// that is in its first poll is not listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Span {
    /// Its number, never used twice; an await in a body has the number of that body's span.
    pub id: u64,
    /// Index into [`Snapshot::sites`](crate::Snapshot::sites).
    pub site: usize,
    /// Index into [`Snapshot::sites`](crate::Snapshot::sites) of the await through which it is polled, if it is awaited directly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The label of the span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Text>,
    /// Index into [`Snapshot::spans`](crate::Snapshot::spans) of the span that polled it last, smaller than its own; `None` for a root, and where
    /// that one is gone.
    pub parent: Option<usize>,
    /// The task to which it belongs; of one whose parent is gone, the task that polled it last, if that is not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u64>,
    /// [`RunState::Running`] or [`RunState::Waiting`]; [`RunState::Unpolled`] if such futures are listed.
    pub state: RunState,
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
