//! The order in which locks were acquired.

use serde::{Deserialize, Serialize};

use super::{Place, ResourceKind};

/// Pairs of locks, one acquired while the other was held. Recorded only on request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LockOrder {
    /// The locks in the pairs, sorted by id. Some may be gone.
    pub resources: Vec<LockedResource>,
    /// The pairs, sorted by the held lock, then by the acquired one.
    pub pairs: Vec<LockPair>,
    /// Occurrences of pairs that were not recorded because the maximum number was.
    pub over_pairs: u64,
}

/// A mutex, a read-write lock, a semaphore, or a resource of the program's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LockedResource {
    /// Its [`Resource::id`](crate::model::Resource::id).
    pub id: u64,
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

/// One lock was acquired while another was held: the first time, and how often.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LockPair {
    /// Index into [`LockOrder::resources`] of the held lock.
    pub held: usize,
    /// Index into [`LockOrder::resources`] of the acquired lock.
    pub acquired: usize,
    /// The call that acquired the held lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_at: Option<Place>,
    /// The call that acquired the other lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acquired_at: Option<Place>,
    /// Id of the task, which may be done; `None` outside of all tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u64>,
    /// Name of that task.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task_name: String,
    /// Outside of all tasks, the name of the thread; empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thread: String,
    /// Number of occurrences, over all tasks and threads.
    pub count: u64,
}
