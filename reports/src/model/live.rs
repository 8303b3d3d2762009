//! Runtimes, workers and spans that are alive at the capture.

use super::class::{Alike, bits};
use super::folding::Record;
use super::ids::{SiteIndex, SpanId, SpanIndex, TaskId};
use super::text::Text;
use crate::json::ToJson;

/// An async runtime that was built through this crate.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
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
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
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
    /// ns on a CPU since the thread started, or since the last reset; `None` if unknown, as on
    /// systems other than Linux.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// ns since then in which it was ready to run but waited for a CPU; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed_ns: Option<u64>,
    /// Whether it waited for a CPU or a disk at the time of the snapshot. This is measured only if
    /// a timer is late.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_delayed: bool,
    /// The task that it was polling at the capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// ns that the counters below cover, since its thread was listed, or since the recording was
    /// started or reset, whichever came last; 0 if unknown.
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct BlockingPool {
    /// Number of the runtime in this process.
    pub runtime_number: u64,
    /// Maximum number of these threads.
    pub threads: u64,
}

/// The state of a task or a span.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
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
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
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
    /// The span that polled it last, which has a smaller index; `None` for a root, and if that span
    /// is gone.
    pub parent: Option<SpanIndex>,
    /// Its task. If its parent is gone, this is the task that polled the span last; `None` if that
    /// task is done.
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
    pub is_detached: bool,
    /// Whether later polls of its task did not poll it: it was set aside, or its parent polls only
    /// woken futures, as `FuturesUnordered` does.
    pub is_set_aside: bool,
}

impl Span {
    /// Returns whether its parent is gone, and the task that polled it last is done.
    pub(crate) fn is_without_task(&self) -> bool {
        self.parent.is_none() && self.task.is_none()
    }
}

/// Spans with the same label share its text.
impl Alike for Span {
    /// The last label.
    type Classes = Option<Text>;

    fn share(&mut self, last: &mut Option<Text>) {
        if self.label == *last {
            self.label.clone_from(last);
        } else if self.label.is_some() {
            last.clone_from(&self.label);
        }
    }
}

impl Record for Span {
    fn push_shape(&self, key: &mut Vec<usize>) -> bool {
        // All fields are named, so that a new one is not forgotten here.
        let Self {
            id: _,
            site: _,
            at,
            label,
            parent,
            task,
            state,
            since_ns: _,
            age_ns: _,
            polls: _,
            is_detached,
            is_set_aside,
        } = self;
        key.push(label.as_ref().map_or(0, Text::address));
        key.push(*state as usize);
        key.push(bits([at.is_some(), parent.is_some(), task.is_some(), *is_detached, *is_set_aside]));
        true
    }
}
