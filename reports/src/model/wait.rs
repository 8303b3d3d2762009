//! Waits, which belong to a task or a blocked thread.
//!
//! ```text
//! Wait ── ids, times and counts
//!      ── class ─▶ WaitClass ── operation, place, flags, …: once for all alike waits
//! ```

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

#[cfg(feature = "read")]
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::class::{Alike, Classes, Shared, bits};
use super::folding::Record;
use super::ids::{ResourceId, SpanId, TaskId, WaitId};
use super::waits::Place;
use crate::json::{Json, ToJson};

/// The operation that waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(Deserialize, Serialize))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WaitMode {
    /// Acquires a mutex.
    #[default]
    Lock,
    /// Acquires a read lock.
    Read,
    /// Acquires a write lock, which takes all units.
    Write,
    /// Acquires permits.
    Acquire,
    /// Waits for a free slot in a channel or pipe.
    Send,
    /// Waits for a message, a new value, or bytes.
    Receive,
    /// Waits until the other side is dropped, or until a task tracker is closed and empty.
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

/// A future or a thread that waits for a recorded resource, task or point in time. The fields of
/// its [`WaitClass`] are read and set like its own fields, as in `wait.mode`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wait {
    /// Its id; never reused.
    pub id: WaitId,
    /// The resource that it waits for; `None` for a timer or a join.
    pub resource: Option<ResourceId>,
    /// The task that polled it last, or that the blocked thread is running.
    pub task: Option<TaskId>,
    /// The span that polled it last.
    pub span: Option<SpanId>,
    /// ns since it began.
    pub since_ns: u64,
    /// Number of polls.
    pub polls: u64,
    /// For a timer, ns until it is due; negative if it is late. For a thread that blocks with a
    /// time limit, ns until it gives up.
    pub due_ns: Option<i64>,
    /// ns since it was woken; `None` if it was not woken since its last poll.
    pub woken_ns: Option<u64>,
    /// Number of earlier waits for the same resource that are certainly ahead of it in the queue.
    pub ahead: u64,
    /// The fields that alike waits share.
    class: Shared<WaitClass>,
}

/// The fields that alike waits share.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub struct WaitClass {
    /// The joined tasks. The wait ends when any of them ends. A [`Shutdown`](WaitMode::Shutdown)
    /// ends when all of them have ended.
    pub tasks: Vec<TaskId>,
    /// The operation that waits.
    pub mode: WaitMode,
    /// Number of units that it asks for.
    pub units: u64,
    /// The call that waits.
    pub place: Option<Place>,
    /// Whether its units were granted already. At a fair lock, the wake is the grant.
    pub is_granted: bool,
    /// Whether it was set aside: its task has been polled since, without polling it.
    pub is_set_aside: bool,
    /// Whether its future lies in the memory of its task, and cannot leave it before the wait ends.
    pub is_confined: bool,
    /// Whether its future may have moved to another task since. It may if it is boxed and not
    /// awaited, or if it is a join handle outside of the memory of its task.
    pub may_have_moved: bool,
    /// Whether it was woken, and the next poll of its task did not poll it. No later poll will
    /// happen because of that wake.
    pub is_wake_ignored: bool,
    /// Whether it is in a nested `block_on`, or below code that polls only woken futures, as
    /// `FuturesUnordered` does.
    pub is_indirect: bool,
    /// Whether it was woken through a waker that is not its task's, and the wake has not reached
    /// its task.
    pub is_wake_lost: bool,
    /// Whether its last poll returned `Pending` only because its task had used up its coop budget.
    pub is_forced: bool,
    /// Number of clones of its waker that the resource keeps. If there are none, and the wait was
    /// not woken, nothing can wake it.
    pub wakers: u64,
    /// Kernel id of the blocked thread; `None` for a future.
    pub thread_id: Option<u64>,
    /// Whether it changed during the capture, or units that it may wait for were released.
    pub is_unstable: bool,
}

impl Deref for Wait {
    type Target = WaitClass;

    fn deref(&self) -> &WaitClass {
        &self.class
    }
}

/// A change affects only this wait.
impl DerefMut for Wait {
    fn deref_mut(&mut self) -> &mut WaitClass {
        &mut self.class
    }
}

impl Alike for Wait {
    type Classes = Classes<WaitClass>;

    fn share(&mut self, classes: &mut Self::Classes) {
        classes.share(&mut self.class);
    }
}

impl Record for Wait {
    fn push_shape(&self, key: &mut Vec<usize>) -> bool {
        // All fields are named, so that a new one is not forgotten here.
        let Self { id: _, resource, task, span, since_ns: _, polls: _, due_ns, woken_ns, ahead: _, class } =
            self;
        class.push_address(key);
        let [is_due, is_late] = [due_ns.is_some(), due_ns.is_some_and(i64::is_negative)];
        key.push(bits([
            resource.is_some(),
            task.is_some(),
            span.is_some(),
            is_due,
            is_late,
            woken_ns.is_some(),
        ]));
        true
    }
}

/// The saved form: all fields in one object.
#[derive(ToJson)]
#[cfg_attr(feature = "read", derive(Deserialize, Serialize))]
#[serde(rename = "Wait", expecting = "struct Wait")]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
struct Saved<'a> {
    id: WaitId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resource: Option<ResourceId>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    tasks: Cow<'a, [TaskId]>,
    mode: WaitMode,
    units: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    span: Option<SpanId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Cow<'a, Option<Place>>,
    since_ns: u64,
    polls: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    due_ns: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    woken_ns: Option<u64>,
    is_granted: bool,
    is_set_aside: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_confined: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    may_have_moved: bool,
    is_wake_ignored: bool,
    is_indirect: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_wake_lost: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_forced: bool,
    wakers: u64,
    ahead: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thread_id: Option<u64>,
    is_unstable: bool,
}

impl Wait {
    fn save(&self) -> Saved<'_> {
        Saved {
            id: self.id,
            resource: self.resource,
            tasks: Cow::Borrowed(&self.tasks),
            mode: self.mode,
            units: self.units,
            task: self.task,
            span: self.span,
            place: Cow::Borrowed(&self.place),
            since_ns: self.since_ns,
            polls: self.polls,
            due_ns: self.due_ns,
            woken_ns: self.woken_ns,
            is_granted: self.is_granted,
            is_set_aside: self.is_set_aside,
            is_confined: self.is_confined,
            may_have_moved: self.may_have_moved,
            is_wake_ignored: self.is_wake_ignored,
            is_indirect: self.is_indirect,
            is_wake_lost: self.is_wake_lost,
            is_forced: self.is_forced,
            wakers: self.wakers,
            ahead: self.ahead,
            thread_id: self.thread_id,
            is_unstable: self.is_unstable,
        }
    }
}

impl ToJson for Wait {
    fn write_fields(&self, json: &mut Json<'_>) {
        self.save().write_fields(json);
    }
}

#[cfg(feature = "read")]
impl Serialize for Wait {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.save().serialize(serializer)
    }
}

#[cfg(feature = "read")]
impl<'de> Deserialize<'de> for Wait {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Saved::deserialize(deserializer)?;
        let class = WaitClass {
            tasks: saved.tasks.into_owned(),
            mode: saved.mode,
            units: saved.units,
            place: saved.place.into_owned(),
            is_granted: saved.is_granted,
            is_set_aside: saved.is_set_aside,
            is_confined: saved.is_confined,
            may_have_moved: saved.may_have_moved,
            is_wake_ignored: saved.is_wake_ignored,
            is_indirect: saved.is_indirect,
            is_wake_lost: saved.is_wake_lost,
            is_forced: saved.is_forced,
            wakers: saved.wakers,
            thread_id: saved.thread_id,
            is_unstable: saved.is_unstable,
        };
        Ok(Self {
            id: saved.id,
            resource: saved.resource,
            task: saved.task,
            span: saved.span,
            since_ns: saved.since_ns,
            polls: saved.polls,
            due_ns: saved.due_ns,
            woken_ns: saved.woken_ns,
            ahead: saved.ahead,
            class: class.into(),
        })
    }
}
