//! Resources that were dropped before the capture.

use super::text::Text;
use super::waits::{Place, ResourceKind, Usage};
use crate::json::ToJson;

/// Locks, semaphores and resources of the program's own that were dropped before the capture,
/// grouped by place of creation. A resource counts only if at least two calls have waited for it,
/// and if it was dropped while recording was on.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct PastResources {
    /// Their kind.
    pub kind: ResourceKind,
    /// `tokio`, `async-lock`, `std`, …; empty for resources of the program's own.
    pub library: Text,
    /// The name that the program gave all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Text>,
    /// The call that created them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Place>,
    /// Total number of their units; `None` if unbounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u64>,
    /// Number of these resources.
    pub count: u64,
    /// The largest share of a single lock in the time of `usage.waiters`, in ns.
    pub most_waited_ns: u64,
    /// The use of all of them. It lists up to 64 calls that waited, and up to 64 calls that held.
    pub usage: Usage,
}
