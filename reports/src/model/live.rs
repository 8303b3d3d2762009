//! Runtimes, workers, tasks and spans that are alive at the capture.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ids::{SiteIndex, SpanId, SpanIndex, TaskId};
use super::text::Text;
use super::waits::Place;

/// An async runtime that was built through this crate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Runtime {
    /// Its number in this process, from 1, in order of creation; never reused.
    pub number: u64,
    /// The library it belongs to, such as `tokio`.
    pub library: String,
    /// The name given by the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Number of worker threads. Workers that have not parked yet are missing from
    /// [`Snapshot::workers`](crate::Snapshot::workers).
    pub workers: u64,
    /// Number of its running threads, including those for blocking work.
    pub threads: u64,
}

/// A worker thread of a runtime.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Worker {
    /// The library of its runtime, such as `tokio`.
    pub runtime: String,
    /// Name of the thread; empty if it has none.
    pub thread: String,
    /// Kernel id of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<u64>,
    /// Number of its runtime in this process; 0 if unknown.
    #[serde(default)]
    pub runtime_number: u64,
    /// Whether it is parked: it has no task to poll.
    pub parked: bool,
    /// ns since it parked, or since it was last unparked.
    pub since_ns: u64,
    /// ns on a CPU since the thread started; `None` if unknown, as on systems other than Linux.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// ns since the thread started in which it could have run, but waited for a CPU; `None` if
    /// unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed_ns: Option<u64>,
    /// The task that it is polling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// ns that the times below cover: since its thread was listed, the recording started, or the
    /// last reset, whichever came last. 0 if unknown.
    #[serde(default)]
    pub listed_ns: u64,
    /// Polls of recorded tasks on its thread in that time, including a running one.
    #[serde(default)]
    pub polls: u64,
    /// ns inside these polls. The rest of `listed_ns` is spent parked, or in code that is not
    /// recorded.
    #[serde(default)]
    pub busy_ns: u64,
    /// ns that it was parked in that time.
    #[serde(default)]
    pub parked_ns: u64,
}

/// The threads for blocking work of a runtime.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BlockingPool {
    /// Number of the runtime in this process.
    pub runtime_number: u64,
    /// Maximum number of these threads.
    pub threads: u64,
}

/// A task that was not done at the capture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub struct Task {
    /// Its id, from 1, in the order in which tasks were first recorded; never reused.
    pub id: TaskId,
    /// Its site: its name, and the place of its annotation or spawn.
    pub site: SiteIndex,
    /// Label of its root span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Text>,
    /// Facts that the program has noted with `task_attr`, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// A future, or a closure on a thread for blocking work.
    pub kind: TaskKind,
    /// Library of its runtime, such as `tokio`; empty if it was not spawned through this crate.
    pub runtime: Text,
    /// The id that the runtime itself gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_id: Option<u64>,
    /// The call that spawned it, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spawned_at: Option<Place>,
    /// The task that spawned it, which may be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spawned_by: Option<TaskId>,
    /// Its state at the capture.
    pub state: RunState,
    /// ns in that state.
    pub since_ns: u64,
    /// ns since it was first recorded.
    pub age_ns: u64,
    /// Number of finished polls.
    pub polls: u64,
    /// ns inside `poll`, including the running poll up to the capture.
    pub busy_ns: u64,
    /// ns between wakes and the polls that followed them.
    pub queued_ns: u64,
    /// Number of wakes.
    pub wakes: u64,
    /// Number of wakes by the task itself.
    pub self_wakes: u64,
    /// The task that woke it last; `None` if the wake came from outside all tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken_by: Option<TaskId>,
    /// ns since the last wake; `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken_ns: Option<u64>,
    /// Clones of its waker that are alive; `None` if wakers are not recorded. A waiting task
    /// without any is never polled again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wakers: Option<u64>,
    /// Clones of its waker that no wait in [`Snapshot::waits`](crate::Snapshot::waits) keeps. A
    /// timer, a socket, a thread or other unrecorded code may wake the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque_wakers: Option<u64>,
    /// Number of the runtime whose workers poll it. 0 if unknown, or if no worker polls it, as in a
    /// `block_on` or a `LocalSet`.
    #[serde(default)]
    pub runtime_number: u64,
    /// For a running task, whether its thread sleeps in the kernel; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_asleep: Option<bool>,
    /// Whether it changed during the capture.
    #[serde(default)]
    pub is_unstable: bool,
    /// Whether it was first seen in a poll, without a spawn through this crate. The code that polls
    /// it may drop it, or poll it without a wake.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unspawned: bool,
    /// Whether a handle that joins or aborts it is alive. The owner of that handle may abort the
    /// task.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_handle: bool,
    /// Whether the program has asked for an abort handle, which may be anywhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_abort_handle: bool,
    /// Whether it is in a `JoinSet` or the like, which aborts it when dropped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_in_set: bool,
    /// Whether only the thread that polled it last can poll it, as in a `LocalSet`.
    #[serde(default)]
    pub is_local: bool,
    /// Name of the thread that polled it last.
    pub thread: Text,
    /// Kernel id of that thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<u64>,
    /// For a running task, the sites that run on its thread now, from the root down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub running: Vec<SiteIndex>,
    /// Its root span, once that has been pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<SpanIndex>,
}

/// The kind of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TaskKind {
    /// A future.
    #[default]
    Future,
    /// A closure on a thread for blocking work.
    Blocking,
}

/// The state of a task or a span.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RunState {
    /// It has not been polled yet.
    Unpolled,
    /// Its poll is running.
    Running,
    /// It was woken, and its next poll has not started.
    Queued,
    /// It returned `Pending`, and has not been woken since.
    #[default]
    Waiting,
}

/// A span that was pending or running at the capture. Unpolled spans are listed only on request; a
/// span in its first poll is not listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Span {
    /// Its id, never reused. An await in a body has the id of that body's span.
    pub id: SpanId,
    /// Its site.
    pub site: SiteIndex,
    /// The site of the await that polls it, if it is awaited directly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<SiteIndex>,
    /// Its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Text>,
    /// The span that polled it last, at a smaller index than its own; `None` for a root, and if
    /// that span is gone.
    pub parent: Option<SpanIndex>,
    /// Its task. If its parent is gone, the task that polled it last, unless that is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// [`RunState::Running`] or [`RunState::Waiting`]; [`RunState::Unpolled`] if such spans are
    /// listed.
    pub state: RunState,
    /// ns in that state.
    pub since_ns: u64,
    /// ns since it was created.
    pub age_ns: u64,
    /// Number of finished polls.
    pub polls: u64,
    /// Whether the span that polled it last is gone.
    pub detached: bool,
    /// Whether its task has been polled since without polling it. It is set aside, or only woken
    /// futures are polled there, as in `FuturesUnordered`.
    pub skipped: bool,
}
