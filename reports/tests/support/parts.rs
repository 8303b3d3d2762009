//! Builders of snapshots for the shapes: tasks, resources, holders and waits.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Attribution, Holding, Place, Resource, ResourceId, ResourceKind, Role, Site, SiteIndex, Span, SpanId,
    Task, TaskId, Wait, WaitId, WaitMode,
};

pub(super) const SECOND: u64 = 1_000_000_000;

pub(super) fn task_id(task: usize) -> TaskId {
    TaskId::new(task as u64)
}

/// The id of the resource at this position.
pub(super) fn resource_id(position: usize) -> ResourceId {
    ResourceId::new(position as u64 + 1)
}

pub(super) fn span_id(number: usize) -> SpanId {
    SpanId::new(1 << 30 | number as u64)
}

/// A snapshot of `main` and `count` tasks that nothing unrecorded wakes.
pub(super) fn tasks(count: usize) -> Snapshot {
    let mut snapshot = Snapshot::default();
    for name in ["main", "task", "op", "own"] {
        let mut site = Site::default();
        (site.place.file, site.name, site.place.line) = ("src/main.rs".into(), name.into(), 1);
        site.is_hand_written = name == "own";
        snapshot.sites.push(site);
    }
    for id in 1..=count as u64 + 1 {
        let mut task = Task::default();
        (task.id, task.site, task.since_ns, task.age_ns) =
            (TaskId::new(id), SiteIndex::new(usize::from(id > 1)), SECOND, SECOND);
        task.spawned_by = (id > 1).then_some(TaskId::new(1));
        if id > 1 {
            task.spawned_at = Some(place(9));
        }
        (task.runtime, task.runtime_number, task.polls) = ("tokio".into(), 1, 1);
        (task.wakers, task.opaque_wakers) = (Some(1), Some(0));
        snapshot.tasks.push(task);
    }
    wakes(&mut snapshot, 1);
    snapshot.is_all_recorded = true;
    snapshot
}

/// Lets something unrecorded wake the task.
pub(super) fn wakes(snapshot: &mut Snapshot, task: usize) {
    snapshot.tasks[task - 1].opaque_wakers = Some(1);
}

/// Makes the task wait in a hand-written `poll`, without a waker.
pub(super) fn loses(snapshot: &mut Snapshot, task: usize) {
    set_aside(snapshot, task);
    let own = snapshot.spans.last_mut().unwrap();
    (own.site, own.is_set_aside) = (SiteIndex::new(3), false);
    (snapshot.tasks[task - 1].wakers, snapshot.tasks[task - 1].opaque_wakers) = (Some(0), Some(0));
}

/// Makes the task one that has to finish: no task has spawned it.
pub(super) fn demands(snapshot: &mut Snapshot, task: usize) {
    snapshot.tasks[task - 1].spawned_by = None;
    snapshot.tasks[task - 1].spawned_at = None;
}

pub(super) fn place(line: u32) -> Place {
    let mut place = Place::default();
    (place.file, place.line, place.column) = ("src/main.rs".into(), line, 9);
    place
}

/// Adds a resource without a free unit. Returns its index.
pub(super) fn resource(snapshot: &mut Snapshot, kind: ResourceKind, capacity: usize) -> usize {
    let mut it = Resource::default();
    (it.id, it.kind, it.library) = (resource_id(snapshot.resources.len()), kind, "tokio".into());
    (it.capacity, it.is_fair, it.age_ns) = (Some(capacity as u64), true, 2 * SECOND);
    // Only `main` is older than the resource, and has no access to it.
    (it.created, it.first_task) = (Some(place(10)), Some(TaskId::new(2)));
    snapshot.resources.push(it);
    snapshot.resources.len() - 1
}

pub(super) fn mutexes(snapshot: &mut Snapshot, count: usize) {
    for _ in 0..count {
        resource(snapshot, ResourceKind::Mutex, 1);
    }
}

pub(super) fn holding(snapshot: &mut Snapshot, task: usize, resource: usize, role: Role) -> &mut Holding {
    let mut holding = Holding::default();
    (holding.role, holding.task, holding.attribution) = (role, Some(task_id(task)), Attribution::Exact);
    (holding.place, holding.since_ns, holding.units) =
        (Some(place(20)), SECOND, u64::from(role == Role::Holds));
    holding.uses = u64::from(role != Role::Holds);
    let holdings = &mut snapshot.resources[resource].holdings;
    holdings.push(holding);
    holdings.last_mut().expect("it was just pushed")
}

pub(super) fn holds(snapshot: &mut Snapshot, task: usize, resource: usize) -> &mut Holding {
    holding(snapshot, task, resource, Role::Holds)
}

pub(super) fn waits(
    snapshot: &mut Snapshot,
    task: usize,
    resource: usize,
    mode: WaitMode,
    ahead: usize,
) -> &mut Wait {
    let mut wait = Wait::default();
    (wait.id, wait.mode, wait.units) = (WaitId::new(1 << 40 | snapshot.waits.len() as u64), mode, 1);
    (wait.task, wait.resource, wait.ahead) = (Some(task_id(task)), Some(resource_id(resource)), ahead as u64);
    (wait.place, wait.since_ns, wait.polls, wait.wakers) = (Some(place(30)), SECOND, 1, 1);
    snapshot.waits.push(wait);
    snapshot.waits.last_mut().expect("it was just pushed")
}

/// Adds a future that the task does not poll. Returns the id of its span.
pub(super) fn set_aside(snapshot: &mut Snapshot, task: usize) -> SpanId {
    let mut span = Span::default();
    (span.id, span.site, span.task) = (span_id(snapshot.spans.len()), SiteIndex::new(2), Some(task_id(task)));
    (span.is_set_aside, span.since_ns) = (true, SECOND);
    snapshot.spans.push(span);
    snapshot.spans[snapshot.spans.len() - 1].id
}
