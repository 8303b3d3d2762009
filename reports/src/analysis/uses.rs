//! The use of resources, whether they exist or are gone.

use crate::model::{PastResources, Place, Resource, ResourceKind, Snapshot, Usage};

/// The use of a resource, or of all of one place that are gone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResourceUse<'a> {
    pub(crate) kind: ResourceKind,
    pub(crate) library: &'a str,
    pub(crate) name: Option<&'a str>,
    pub(crate) created: Option<&'a Place>,
    pub(crate) capacity: Option<u64>,
    /// Number of resources.
    pub(crate) count: u64,
    /// The resource, unless it is gone.
    pub(crate) existing: Option<&'a Resource>,
    /// The part of the time in `usage.waiters` that is of one resource, in ns: the largest part.
    pub(crate) most_waited_ns: u64,
    pub(crate) usage: &'a Usage,
}

/// Returns the use of each resource, then of those that are gone.
pub(crate) fn resource_uses(snapshot: &Snapshot) -> impl Iterator<Item = ResourceUse<'_>> {
    snapshot.resources.iter().map(of_existing).chain(snapshot.past_resources.iter().map(of_past))
}

fn of_existing(it: &Resource) -> ResourceUse<'_> {
    ResourceUse {
        kind: it.kind,
        library: &it.library,
        name: it.name.as_deref(),
        created: it.created.as_ref(),
        capacity: it.capacity,
        count: 1,
        existing: Some(it),
        most_waited_ns: it.usage.waited_by_calls_ns(),
        usage: &it.usage,
    }
}

fn of_past(it: &PastResources) -> ResourceUse<'_> {
    ResourceUse {
        kind: it.kind,
        library: &it.library,
        name: it.name.as_deref(),
        created: it.created.as_ref(),
        capacity: it.capacity,
        count: it.count,
        existing: None,
        most_waited_ns: it.most_waited_ns,
        usage: &it.usage,
    }
}
