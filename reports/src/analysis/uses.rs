//! The use of resources, both existing and dropped ones.

use crate::model::{PastResources, Place, Resource, ResourceKind, Snapshot, Usage};

/// The use of an existing resource, or of all dropped resources of one place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResourceUse<'a> {
    pub(crate) kind: ResourceKind,
    pub(crate) library: &'a str,
    pub(crate) name: Option<&'a str>,
    pub(crate) created: Option<&'a Place>,
    pub(crate) capacity: Option<u64>,
    /// Number of resources.
    pub(crate) count: u64,
    /// The resource, if it still exists.
    pub(crate) existing: Option<&'a Resource>,
    /// The largest share of a single resource in the time of `usage.waiters`, in ns.
    pub(crate) most_waited_ns: u64,
    pub(crate) usage: &'a Usage,
}

/// Returns the use of each existing resource, then of the dropped ones.
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
