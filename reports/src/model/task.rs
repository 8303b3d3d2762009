//! Tasks that are alive at the capture.
//!
//! ```text
//! Task ── id, times and counts
//!      ── class ─▶ TaskClass ── spawn site, state, thread, …: once for all alike tasks
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

#[cfg(feature = "read")]
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::class::{Alike, Classes, Shared, bits};
use super::folding::Record;
use super::ids::{SiteIndex, SpanIndex, TaskId};
use super::live::RunState;
use super::text::Text;
use super::waits::{Place, is_zero};
use crate::json::{Json, ToJson};

/// A task that was not done at the capture. The fields of its [`TaskClass`] are read and set like
/// its own fields, as in `task.label`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Task {
    /// Its id, from 1; never reused. Ids assigned by one thread are in the order of creation.
    pub id: TaskId,
    /// The id that the runtime itself gave it.
    pub runtime_id: Option<u64>,
    /// ns in its current state.
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
    /// The task that woke it last; `None` if the wake came from outside all tasks.
    pub woken_by: Option<TaskId>,
    /// ns since the last wake; `None` if there was none.
    pub woken_ns: Option<u64>,
    /// Its root span, if that span has been pending.
    pub span: Option<SpanIndex>,
    /// The fields that alike tasks share.
    class: Shared<TaskClass>,
}

/// The fields that alike tasks share. A million tasks of one spawn site have only a few classes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub struct TaskClass {
    /// Its site: its name, and the place of its annotation or spawn.
    pub site: SiteIndex,
    /// Label of its root span.
    pub label: Option<Text>,
    /// Facts that the program has set with `task_attr`, by name.
    pub attributes: BTreeMap<String, String>,
    /// A future, or a closure on a thread for blocking work.
    pub kind: TaskKind,
    /// Library of its runtime, such as `tokio`; empty if it was not spawned through this crate.
    pub runtime: Text,
    /// The call that spawned it, if known.
    pub spawned_at: Option<Place>,
    /// The task that spawned it, which may be done.
    pub spawned_by: Option<TaskId>,
    /// Its state at the capture.
    pub state: RunState,
    /// Number of wakes by the task itself.
    pub self_wakes: u64,
    /// Number of live clones of its waker; `None` if wakers are not recorded. A waiting task
    /// without clones is never polled again.
    pub wakers: Option<u64>,
    /// Number of clones of its waker that no wait in [`Snapshot::waits`](crate::Snapshot::waits)
    /// keeps. With such a clone, a timer, a socket, a thread or other unrecorded code may wake the
    /// task.
    pub opaque_wakers: Option<u64>,
    /// Number of clones of its waker that were left where awaits have ended. They are not opaque,
    /// because they most likely wake the task in vain.
    pub left_wakers: u64,
    /// Number of the runtime whose workers poll it. 0 if unknown, or if no worker polls it, as in a
    /// `block_on` or a `LocalSet`.
    pub runtime_number: u64,
    /// For a running task, whether its thread sleeps in the kernel; `None` if unknown.
    pub is_asleep: Option<bool>,
    /// For a running task whose thread sleeps in the kernel, whether that thread waits for another
    /// thread of the process without a time limit; `None` if unknown.
    pub waits_for_thread: Option<bool>,
    /// Whether it changed during the capture.
    pub is_unstable: bool,
    /// Whether its first record was a poll rather than a spawn through this crate. The code that
    /// polls it may drop it, or poll it without a wake.
    pub is_unspawned: bool,
    /// Whether a handle that joins or aborts it is alive. The owner of that handle may abort the
    /// task.
    pub has_handle: bool,
    /// Whether an abort handle for it is alive. The handle may be anywhere.
    pub has_abort_handle: bool,
    /// Whether the task is aborted when its handle, or the set that contains it, is dropped.
    pub is_aborted_on_drop: bool,
    /// Whether only the thread that polled it last can poll it, as in a `LocalSet`.
    pub is_local: bool,
    /// Size of its future in bytes, a multiple of eight and at most 8 MiB; `None` before the first
    /// poll, and below 1 KiB.
    pub future_bytes: Option<u64>,
    /// Name of the thread that polled it last.
    pub thread: Text,
    /// Kernel id of that thread.
    pub thread_id: Option<u64>,
    /// For a running task, the sites that were running on its thread at the capture, from the root
    /// down.
    pub running: Vec<SiteIndex>,
}

impl Deref for Task {
    type Target = TaskClass;

    fn deref(&self) -> &TaskClass {
        &self.class
    }
}

/// A change affects only this task.
impl DerefMut for Task {
    fn deref_mut(&mut self) -> &mut TaskClass {
        &mut self.class
    }
}

impl Alike for Task {
    type Classes = Classes<TaskClass>;

    fn share(&mut self, classes: &mut Self::Classes) {
        classes.share(&mut self.class);
    }
}

impl Record for Task {
    fn push_shape(&self, key: &mut Vec<usize>) -> bool {
        // All fields are named, so that a new one is not forgotten here.
        let Self {
            id: _,
            runtime_id,
            since_ns: _,
            age_ns: _,
            polls: _,
            busy_ns: _,
            queued_ns: _,
            wakes: _,
            woken_by,
            woken_ns,
            span,
            class,
        } = self;
        class.push_address(key);
        key.push(bits([runtime_id.is_some(), woken_by.is_some(), woken_ns.is_some(), span.is_some()]));
        true
    }
}

/// The saved form: all fields in one object.
#[derive(ToJson)]
#[cfg_attr(feature = "read", derive(Deserialize, Serialize))]
#[serde(rename = "Task", expecting = "struct Task")]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
struct Saved<'a> {
    id: TaskId,
    site: SiteIndex,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Cow<'a, Option<Text>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    attributes: Cow<'a, BTreeMap<String, String>>,
    kind: TaskKind,
    runtime: Cow<'a, Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    runtime_id: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spawned_at: Cow<'a, Option<Place>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spawned_by: Option<TaskId>,
    state: RunState,
    since_ns: u64,
    age_ns: u64,
    polls: u64,
    busy_ns: u64,
    queued_ns: u64,
    wakes: u64,
    self_wakes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    woken_by: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    woken_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wakers: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opaque_wakers: Option<u64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    left_wakers: u64,
    #[serde(default)]
    runtime_number: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    is_asleep: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    waits_for_thread: Option<bool>,
    #[serde(default)]
    is_unstable: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_unspawned: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    has_handle: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    has_abort_handle: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_aborted_on_drop: bool,
    #[serde(default)]
    is_local: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    future_bytes: Option<u64>,
    thread: Cow<'a, Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thread_id: Option<u64>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    running: Cow<'a, [SiteIndex]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    span: Option<SpanIndex>,
}

impl Task {
    fn save(&self) -> Saved<'_> {
        Saved {
            id: self.id,
            site: self.site,
            label: Cow::Borrowed(&self.label),
            attributes: Cow::Borrowed(&self.attributes),
            kind: self.kind,
            runtime: Cow::Borrowed(&self.runtime),
            runtime_id: self.runtime_id,
            spawned_at: Cow::Borrowed(&self.spawned_at),
            spawned_by: self.spawned_by,
            state: self.state,
            since_ns: self.since_ns,
            age_ns: self.age_ns,
            polls: self.polls,
            busy_ns: self.busy_ns,
            queued_ns: self.queued_ns,
            wakes: self.wakes,
            self_wakes: self.self_wakes,
            woken_by: self.woken_by,
            woken_ns: self.woken_ns,
            wakers: self.wakers,
            opaque_wakers: self.opaque_wakers,
            left_wakers: self.left_wakers,
            runtime_number: self.runtime_number,
            is_asleep: self.is_asleep,
            waits_for_thread: self.waits_for_thread,
            is_unstable: self.is_unstable,
            is_unspawned: self.is_unspawned,
            has_handle: self.has_handle,
            has_abort_handle: self.has_abort_handle,
            is_aborted_on_drop: self.is_aborted_on_drop,
            is_local: self.is_local,
            future_bytes: self.future_bytes,
            thread: Cow::Borrowed(&self.thread),
            thread_id: self.thread_id,
            running: Cow::Borrowed(&self.running),
            span: self.span,
        }
    }
}

impl ToJson for Task {
    fn write_fields(&self, json: &mut Json<'_>) {
        self.save().write_fields(json);
    }
}

impl ToJson for BTreeMap<String, String> {
    fn write_fields(&self, json: &mut Json<'_>) {
        for (name, value) in self {
            json.entry(name, value);
        }
    }
}

#[cfg(feature = "read")]
impl Serialize for Task {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.save().serialize(serializer)
    }
}

#[cfg(feature = "read")]
impl<'de> Deserialize<'de> for Task {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Saved::deserialize(deserializer)?;
        let class = TaskClass {
            site: saved.site,
            label: saved.label.into_owned(),
            attributes: saved.attributes.into_owned(),
            kind: saved.kind,
            runtime: saved.runtime.into_owned(),
            spawned_at: saved.spawned_at.into_owned(),
            spawned_by: saved.spawned_by,
            state: saved.state,
            self_wakes: saved.self_wakes,
            wakers: saved.wakers,
            opaque_wakers: saved.opaque_wakers,
            left_wakers: saved.left_wakers,
            runtime_number: saved.runtime_number,
            is_asleep: saved.is_asleep,
            waits_for_thread: saved.waits_for_thread,
            is_unstable: saved.is_unstable,
            is_unspawned: saved.is_unspawned,
            has_handle: saved.has_handle,
            has_abort_handle: saved.has_abort_handle,
            is_aborted_on_drop: saved.is_aborted_on_drop,
            is_local: saved.is_local,
            future_bytes: saved.future_bytes,
            thread: saved.thread.into_owned(),
            thread_id: saved.thread_id,
            running: saved.running.into_owned(),
        };
        Ok(Self {
            id: saved.id,
            runtime_id: saved.runtime_id,
            since_ns: saved.since_ns,
            age_ns: saved.age_ns,
            polls: saved.polls,
            busy_ns: saved.busy_ns,
            queued_ns: saved.queued_ns,
            wakes: saved.wakes,
            woken_by: saved.woken_by,
            woken_ns: saved.woken_ns,
            span: saved.span,
            class: class.into(),
        })
    }
}

/// The kind of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(Deserialize, Serialize))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TaskKind {
    /// A future.
    #[default]
    Future,
    /// A closure on a thread for blocking work.
    Blocking,
}
