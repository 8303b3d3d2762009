//! The order in which locks were acquired.

use super::{Place, ResourceId, ResourceKind, TaskId};
use crate::json::ToJson;

/// Pairs of locks, one acquired while the other was held. Recorded only on request.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct LockOrder {
    /// The locks in the pairs, sorted by id. Some may be gone.
    pub resources: Vec<LockedResource>,
    /// The pairs, sorted by the held lock, then by the acquired one.
    pub pairs: Vec<LockPair>,
    /// Occurrences of pairs that were not recorded because the maximum number of pairs was reached.
    pub over_pairs: u64,
}

impl LockOrder {
    /// The lock with this id, found by binary search.
    #[must_use]
    pub fn resource(&self, id: ResourceId) -> Option<&LockedResource> {
        let found = self.resources.binary_search_by_key(&id, |resource| resource.id);
        found.ok().map(|position| &self.resources[position])
    }
}

/// A mutex, a read-write lock, a semaphore, or a resource of the program's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct LockedResource {
    /// Its id.
    pub id: ResourceId,
    /// Its kind.
    pub kind: ResourceKind,
    /// `tokio`, `async-lock`, `std` or `parking_lot`; empty for a resource of the program's own.
    pub library: String,
    /// The name given by the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The call that created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Place>,
}

/// Two locks, one of which was acquired while the other was held: the first occurrence, and the
/// number of occurrences.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct LockPair {
    /// The held lock, one of [`LockOrder::resources`].
    pub held: ResourceId,
    /// The acquired lock, one of [`LockOrder::resources`].
    pub acquired: ResourceId,
    /// The call that acquired the held lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_at: Option<Place>,
    /// The call that acquired the other lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acquired_at: Option<Place>,
    /// The task, which may be done; `None` outside of all tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Name of that task.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task_name: String,
    /// Outside of all tasks, the name of the thread; empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thread: String,
    /// Number of occurrences, over all tasks and threads.
    pub count: u64,
}
