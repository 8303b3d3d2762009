//! Resources: locks, channels and other objects that tasks wait for.
//!
//! ```text
//! Resource ── id, age and holdings
//!          ── class ─▶ ResourceClass ── kind, place of creation, usage, …: once for all alike resources
//! ```

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

#[cfg(feature = "read")]
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::class::{Alike, Classes, Shared, bits};
use super::folding::{self, Record};
use super::holding::{Holding, HoldingClass};
use super::ids::{ResourceId, TaskId};
use super::text::Text;
use super::waits::{LastEvent, Place, ResourceKind, Usage};
use crate::json::{Json, ToJson};
#[cfg(feature = "read")]
use crate::sort::sort_by_key;

/// A lock, a channel or another object that tasks wait for. The fields of its [`ResourceClass`] are
/// read and set like its own fields, as in `resource.kind`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    /// Its id, from 1; never reused. The ids of one thread are in the order of first use.
    pub id: ResourceId,
    /// The task that created it.
    pub created_by: Option<TaskId>,
    /// The id of the first task in [`Snapshot::tasks`](crate::Snapshot::tasks) that was created
    /// after the resource. All later tasks in that list are younger, too. If there is no such task,
    /// the id belongs to no task. `None` if unknown.
    pub first_task: Option<TaskId>,
    /// ns since it was first recorded.
    pub age_ns: u64,
    /// Units that are neither held nor granted: permits of a lock or semaphore, free slots of a
    /// channel.
    pub free: u64,
    /// Messages in a channel, bytes in a pipe, or arrived parties of a barrier.
    pub filled: u64,
    /// Guards, permits and ends of it, oldest first.
    pub holdings: Vec<Holding>,
    /// The fields that alike resources share.
    class: Shared<ResourceClass>,
}

/// The fields that alike resources share. A million channels of one place that were never full have
/// one class.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub struct ResourceClass {
    /// Its kind.
    pub kind: ResourceKind,
    /// `tokio`, `async-lock`, `std`, `parking_lot`, …; empty for a resource of the program's own.
    pub library: Text,
    /// The name given by the program.
    pub name: Option<Text>,
    /// The call that created it.
    pub created: Option<Place>,
    /// Kernel id of the thread that created it, if that was outside of all tasks.
    pub created_on: Option<u64>,
    /// Number of units: 1 for a mutex, the permits of a semaphore, the capacity of a channel, the
    /// parties of a barrier. `None` if unbounded.
    pub capacity: Option<u64>,
    /// Permits that `forget` has removed for good.
    pub forgotten: u64,
    /// Whether permits were added after its creation.
    pub is_refilled: bool,
    /// Whether a release hands the unit to the first waiter. Otherwise the first task to try takes
    /// it.
    pub is_fair: bool,
    /// Whether it was closed, or one side is gone. Then all its waits end, except those for a task
    /// tracker that is not empty.
    pub is_closed: bool,
    /// The last acquisition, even if it has been released since.
    pub last_acquired: Option<LastEvent>,
    /// The last notification, of a `Notify` or a `Condvar`.
    pub last_notified: Option<LastEvent>,
    /// The last removal of permits by `forget`.
    pub last_forgotten: Option<LastEvent>,
    /// Counts and durations of its uses.
    pub usage: Usage,
}

impl Deref for Resource {
    type Target = ResourceClass;

    fn deref(&self) -> &ResourceClass {
        &self.class
    }
}

/// A change affects only this resource.
impl DerefMut for Resource {
    fn deref_mut(&mut self) -> &mut ResourceClass {
        &mut self.class
    }
}

impl Alike for Resource {
    /// The classes of its holdings too.
    type Classes = (Classes<ResourceClass>, Classes<HoldingClass>);

    fn share(&mut self, classes: &mut Self::Classes) {
        classes.0.share(&mut self.class);
        for holding in &mut self.holdings {
            holding.share(&mut classes.1);
        }
    }
}

impl Record for Resource {
    fn push_shape(&self, key: &mut Vec<usize>) -> bool {
        // All fields are named, so that a new one is not forgotten here.
        let Self { id: _, created_by, first_task, age_ns: _, free: _, filled: _, holdings, class } = self;
        class.push_address(key);
        key.push(bits([created_by.is_some(), first_task.is_some()]));
        // Longer lists are folded by themselves.
        holdings.len() < folding::MIN && holdings.iter().all(|holding| holding.push_shape(key))
    }
}

/// The saved form: all fields in one object.
#[derive(ToJson)]
#[cfg_attr(feature = "read", derive(Deserialize, Serialize))]
#[serde(rename = "Resource", expecting = "struct Resource")]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
struct Saved<'a> {
    id: ResourceId,
    kind: ResourceKind,
    library: Cow<'a, Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Cow<'a, Option<Text>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created: Cow<'a, Option<Place>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created_by: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created_on: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_task: Option<TaskId>,
    age_ns: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    capacity: Option<u64>,
    free: u64,
    filled: u64,
    forgotten: u64,
    is_refilled: bool,
    is_fair: bool,
    is_closed: bool,
    #[serde(default, skip_serializing_if = "FoldedHoldings::is_empty")]
    holdings: FoldedHoldings<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_acquired: Cow<'a, Option<LastEvent>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_notified: Cow<'a, Option<LastEvent>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_forgotten: Cow<'a, Option<LastEvent>>,
    usage: Cow<'a, Usage>,
}

impl ToJson for Resource {
    fn write_fields(&self, json: &mut Json<'_>) {
        self.save(false).write_fields(json);
    }
}

#[cfg(feature = "read")]
impl Serialize for Resource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.save(false).serialize(serializer)
    }
}

impl Resource {
    fn save(&self, is_folded: bool) -> Saved<'_> {
        Saved {
            id: self.id,
            kind: self.kind,
            library: Cow::Borrowed(&self.library),
            name: Cow::Borrowed(&self.name),
            created: Cow::Borrowed(&self.created),
            created_by: self.created_by,
            created_on: self.created_on,
            first_task: self.first_task,
            age_ns: self.age_ns,
            capacity: self.capacity,
            free: self.free,
            filled: self.filled,
            forgotten: self.forgotten,
            is_refilled: self.is_refilled,
            is_fair: self.is_fair,
            is_closed: self.is_closed,
            holdings: FoldedHoldings { list: Cow::Borrowed(&self.holdings), is_folded },
            last_acquired: Cow::Borrowed(&self.last_acquired),
            last_notified: Cow::Borrowed(&self.last_notified),
            last_forgotten: Cow::Borrowed(&self.last_forgotten),
            usage: Cow::Borrowed(&self.usage),
        }
    }
}

/// The holdings of a resource. A long list is folded in a saved snapshot, because a channel may
/// have a million receivers.
#[derive(Default)]
struct FoldedHoldings<'a> {
    list: Cow<'a, [Holding]>,
    is_folded: bool,
}

impl FoldedHoldings<'_> {
    fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl ToJson for FoldedHoldings<'_> {
    fn write_json(&self, json: &mut Json<'_>) {
        if self.is_folded {
            folding::write_json(&self.list, json);
        } else {
            json.list(&*self.list);
        }
    }
}

#[cfg(feature = "read")]
impl Serialize for FoldedHoldings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_folded {
            folding::serialize(&self.list, serializer)
        } else {
            self.list.serialize(serializer)
        }
    }
}

#[cfg(feature = "read")]
impl<'de> Deserialize<'de> for FoldedHoldings<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        folding::deserialize(deserializer).map(|list| Self { list: Cow::Owned(list), is_folded: true })
    }
}

/// Reads a list of resources, and sorts it: [`Snapshot::resource`](crate::Snapshot::resource) finds
/// a resource by binary search.
#[cfg(feature = "read")]
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Resource>, D::Error> {
    let mut list: Vec<Resource> = folding::deserialize(deserializer)?;
    sort_by_key(&mut list, |resource| resource.id);
    Ok(list)
}

/// A resource of a saved snapshot.
struct SavedResource<'a>(&'a Resource);

impl ToJson for SavedResource<'_> {
    fn write_fields(&self, json: &mut Json<'_>) {
        self.0.save(true).write_fields(json);
    }
}

impl Record for SavedResource<'_> {
    fn push_shape(&self, key: &mut Vec<usize>) -> bool {
        self.0.push_shape(key)
    }
}

#[cfg(feature = "read")]
impl Serialize for SavedResource<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.save(true).serialize(serializer)
    }
}

/// Saves the resources of a snapshot, with long lists of holdings folded.
pub(crate) fn write_json(list: &[Resource], json: &mut Json<'_>) {
    folding::write_json(&list.iter().map(SavedResource).collect::<Vec<_>>(), json);
}

/// Saves resources through a serializer of serde, in the same form.
#[cfg(feature = "read")]
pub(crate) fn serialize<S: Serializer>(list: &[Resource], serializer: S) -> Result<S::Ok, S::Error> {
    folding::serialize(&list.iter().map(SavedResource).collect::<Vec<_>>(), serializer)
}

#[cfg(feature = "read")]
impl<'de> Deserialize<'de> for Resource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Saved::deserialize(deserializer)?;
        let class = ResourceClass {
            kind: saved.kind,
            library: saved.library.into_owned(),
            name: saved.name.into_owned(),
            created: saved.created.into_owned(),
            created_on: saved.created_on,
            capacity: saved.capacity,
            forgotten: saved.forgotten,
            is_refilled: saved.is_refilled,
            is_fair: saved.is_fair,
            is_closed: saved.is_closed,
            last_acquired: saved.last_acquired.into_owned(),
            last_notified: saved.last_notified.into_owned(),
            last_forgotten: saved.last_forgotten.into_owned(),
            usage: saved.usage.into_owned(),
        };
        Ok(Self {
            id: saved.id,
            created_by: saved.created_by,
            first_task: saved.first_task,
            age_ns: saved.age_ns,
            free: saved.free,
            filled: saved.filled,
            holdings: saved.holdings.list.into_owned(),
            class: class.into(),
        })
    }
}
