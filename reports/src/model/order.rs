//! In which order locks were taken.

use serde::{Deserialize, Serialize};

use super::{Place, ResourceKind};

/// Which locks were acquired while which were held: noted only where the program asks for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LockOrder {
    /// The locks in the pairs, by number. Some may be gone.
    pub resources: Vec<LockedResource>,
    /// By the locks that were held, then by those that were acquired.
    pub pairs: Vec<LockPair>,
    /// How often a pair was met that was not noted, because the full number of them was.
    pub over_pairs: u64,
}

/// A mutex, a lock for readers, a semaphore, or a resource of the program's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LockedResource {
    /// That of [`Resource::id`](crate::model::Resource::id).
    pub id: u64,
    /// What it is.
    pub kind: ResourceKind,
    /// `tokio`, `async-lock`, `std`, `parking_lot`; empty if it is the program's own.
    pub library: String,
    /// The name that the program gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Place>,
}

/// One lock was acquired while another was held: by whom and where the first time, and how often.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LockPair {
    /// The lock that was held, as an index into [`LockOrder::resources`].
    pub held: usize,
    /// The lock that was acquired, as an index into [`LockOrder::resources`].
    pub acquired: usize,
    /// Where the first was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_at: Option<Place>,
    /// Where the second was acquired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acquired_at: Option<Place>,
    /// The task that did it, which may be done by now; `None` outside of all tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u64>,
    /// What that task was called.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task_name: String,
    /// Outside of all tasks, the thread's name; empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thread: String,
    /// How often, by anybody.
    pub count: u64,
}
