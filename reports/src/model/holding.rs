//! Holdings: the guards, permits and channel ends that tasks have.
//!
//! ```text
//! Holding ── task, span, times and counts
//!         ── class ─▶ HoldingClass ── role, attribution, place, …: once for all alike holdings
//! ```

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

#[cfg(feature = "read")]
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::class::{Alike, Classes, Shared, bits};
use super::folding::Record;
use super::ids::{ResourceId, SpanId, TaskId};
use super::waits::{Attribution, Place, Role};
use crate::json::{Json, ToJson};

/// A guard, permit, sender or receiver that a task has. The fields of its [`HoldingClass`] are read
/// and set like its own fields, as in `holding.role`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holding {
    /// The task that acquired or used it last.
    pub task: Option<TaskId>,
    /// The span that acquired or used it last. The span may be gone.
    pub span: Option<SpanId>,
    /// ns since it was acquired; if that happened inside a poll, ns since the start of that poll.
    /// For a frequently used lock outside of tasks, ns since the lock has had a waiter. If it holds
    /// no units, ns since its last use.
    pub since_ns: u64,
    /// Number of uses: messages sent or received, accesses through a guard.
    pub uses: u64,
    /// The fields that alike holdings share.
    class: Shared<HoldingClass>,
}

/// The fields that alike holdings share. The ends of a million channels from one place have two
/// classes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct HoldingClass {
    /// Its role.
    pub role: Role,
    /// Number of units that it holds.
    pub units: u64,
    /// Kernel id of the thread, if the holding was used outside of all tasks or cannot leave that
    /// thread.
    pub thread_id: Option<u64>,
    /// How certain it is that `task` still has it.
    pub attribution: Attribution,
    /// Whether it can move to another task without a record: an owned guard or permit, an end of a
    /// channel, or a guard of a static.
    pub is_movable: bool,
    /// Whether it may be in a boxed future, which may have moved to another task without a record.
    pub may_have_moved: bool,
    /// Other tasks that may have it: the tasks that `task` has spawned since.
    pub candidates: Vec<TaskId>,
    /// The channel that may contain it, in a message that has not been received yet.
    pub in_channel: Option<ResourceId>,
    /// The call that acquired it, or used it last.
    pub place: Option<Place>,
    /// For contended units, the awaits through which that call was reached, from the innermost
    /// caller to the task. Empty if the task made the call itself.
    pub callers: Vec<Place>,
}

impl Deref for Holding {
    type Target = HoldingClass;

    fn deref(&self) -> &HoldingClass {
        &self.class
    }
}

/// A change affects only this holding.
impl DerefMut for Holding {
    fn deref_mut(&mut self) -> &mut HoldingClass {
        &mut self.class
    }
}

impl Alike for Holding {
    type Classes = Classes<HoldingClass>;

    fn share(&mut self, classes: &mut Self::Classes) {
        classes.share(&mut self.class);
    }
}

impl Record for Holding {
    fn push_shape(&self, key: &mut Vec<usize>) -> bool {
        // All fields are named, so that a new one is not forgotten here.
        let Self { task, span, since_ns: _, uses: _, class } = self;
        class.push_address(key);
        key.push(bits([task.is_some(), span.is_some()]));
        true
    }
}

/// The saved form: all fields in one object.
#[derive(ToJson)]
#[cfg_attr(feature = "read", derive(Deserialize, Serialize))]
#[serde(rename = "Holding", expecting = "struct Holding")]
struct Saved<'a> {
    role: Role,
    units: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    span: Option<SpanId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thread_id: Option<u64>,
    attribution: Attribution,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_movable: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    may_have_moved: bool,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    candidates: Cow<'a, [TaskId]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    in_channel: Option<ResourceId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Cow<'a, Option<Place>>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    callers: Cow<'a, [Place]>,
    since_ns: u64,
    uses: u64,
}

impl Holding {
    fn save(&self) -> Saved<'_> {
        Saved {
            role: self.role,
            units: self.units,
            task: self.task,
            span: self.span,
            thread_id: self.thread_id,
            attribution: self.attribution,
            is_movable: self.is_movable,
            may_have_moved: self.may_have_moved,
            candidates: Cow::Borrowed(&self.candidates),
            in_channel: self.in_channel,
            place: Cow::Borrowed(&self.place),
            callers: Cow::Borrowed(&self.callers),
            since_ns: self.since_ns,
            uses: self.uses,
        }
    }
}

impl ToJson for Holding {
    fn write_fields(&self, json: &mut Json<'_>) {
        self.save().write_fields(json);
    }
}

#[cfg(feature = "read")]
impl Serialize for Holding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.save().serialize(serializer)
    }
}

#[cfg(feature = "read")]
impl<'de> Deserialize<'de> for Holding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Saved::deserialize(deserializer)?;
        let class = HoldingClass {
            role: saved.role,
            units: saved.units,
            thread_id: saved.thread_id,
            attribution: saved.attribution,
            is_movable: saved.is_movable,
            may_have_moved: saved.may_have_moved,
            candidates: saved.candidates.into_owned(),
            in_channel: saved.in_channel,
            place: saved.place.into_owned(),
            callers: saved.callers.into_owned(),
        };
        let Saved { task, span, since_ns, uses, .. } = saved;
        Ok(Self { task, span, since_ns, uses, class: class.into() })
    }
}
