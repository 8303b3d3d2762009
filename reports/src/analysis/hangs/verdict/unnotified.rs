//! Classifies components whose waits need a notification or an arrival that nothing can provide.

use std::cell::Cell;

use super::hang::Hang;
use super::types::{VerdictDetail, VerdictKind};
use crate::analysis::hangs::facts::{exceeds_permits, is_active, waits_for_event};
use crate::analysis::hangs::stuck::StuckGraph;
use crate::analysis::hangs::system::{Node, NodeId, System, task_node};
use crate::model::{Holding, LastEvent, ResourceKind, Role};
use crate::sort::sort;

/// Classifies a component in which no code can notify. Returns one hang for each resource with
/// waits for a notification, an arrival or missing permits.
pub(super) fn classify_unnotified(system: &System<'_>, stuck: &StuckGraph, nodes: &[NodeId]) -> Vec<Hang> {
    let snapshot = system.facts.snapshot;
    let mut waits: Vec<(usize, usize)> = nodes
        .iter()
        .filter_map(|&node| match system.node(node) {
            Node::Wait(wait) => Some((system.facts.resource_of(&snapshot.waits[wait])?, wait)),
            _ => None,
        })
        .filter(|&(resource, wait)| {
            let it = &snapshot.resources[resource];
            waits_for_event(it) || exceeds_permits(it, &snapshot.waits[wait])
        })
        .collect();
    sort(&mut waits);
    waits.dedup_by_key(|(resource, _)| *resource);
    let visits_left = Cell::new(MAX_VISITS.min(nodes.len().saturating_mul(VISITS_PER_NODE)));
    let hang = |(resource, wait): (usize, usize)| {
        let it = &snapshot.resources[resource];
        let is_holder = || snapshot.waits[wait].task.is_some_and(|task| system.facts.is_holder(task));
        let may_search = visits_left.get() > 0 && is_holder();
        if let Some(path) =
            may_search.then(|| path_through_lock(system, stuck, (resource, wait), &visits_left)).flatten()
        {
            return Hang::new(VerdictKind::Cycle, None, path);
        }
        if let Some(granted) = granted_to_set_aside(system, resource, wait) {
            let path = vec![Node::Wait(wait), Node::WaitEnd(granted)];
            return Hang::new(VerdictKind::Futurelock, Some(VerdictDetail::Granted), path);
        }
        // A notification that reached its only waiter was not missed, and a cancellation cannot be
        // missed.
        let is_missed = |last: &LastEvent| {
            it.kind != ResourceKind::Cancellation && (last.is_broadcast || last.waiters != 1)
        };
        let kind = match &it.last_notified {
            Some(last) if is_missed(last) => VerdictKind::MissedNotify,
            _ if it.kind == ResourceKind::Semaphore && it.forgotten > 0 => VerdictKind::Leak,
            _ => VerdictKind::Starved,
        };
        Hang::new(kind, None, vec![Node::Wait(wait), Node::AnyNotifier(resource)])
    };
    waits.into_iter().map(hang).collect()
}

/// Returns the wait of the same task for the same `Notify` that got its last notification, and that
/// the task has stopped polling. A notification of all waiters is lost to none of them.
fn granted_to_set_aside(system: &System<'_>, resource: usize, wait: usize) -> Option<usize> {
    let facts = system.facts;
    let it = &facts.snapshot.resources[resource];
    if it.kind != ResourceKind::Notify || it.last_notified.as_ref().is_none_or(|last| last.is_broadcast) {
        return None;
    }
    let waits = &facts.snapshot.waits;
    let task = facts.task_of(&waits[wait])?;
    facts.waits_of_resource[resource].iter().copied().find(|&other| {
        let it = &waits[other];
        it.woken_ns.is_some() && !is_active(it) && facts.task_of(it) == Some(task)
    })
}

/// Limits of the search for a lock that stops a notifier, per component: the number of dependencies
/// visited per node, and in total.
const VISITS_PER_NODE: usize = 64;
const MAX_VISITS: usize = 1 << 20;

/// The cycle from a task that waits for a notification, through a task that could notify it but
/// waits for a lock that the first task holds. Tasks that have notified before are preferred.
fn path_through_lock(
    system: &System<'_>,
    stuck: &StuckGraph,
    (resource, wait): (usize, usize),
    visits_left: &Cell<usize>,
) -> Option<Vec<Node>> {
    let facts = system.facts;
    let task = facts.task_of(&facts.snapshot.waits[wait])?;
    let holds = |holding: &Holding| holding.role == Role::Holds;
    let is_held = |node: NodeId| match system.node(node) {
        Node::Holding(resource, number) => holds(&facts.snapshot.resources[resource].holdings[number]),
        _ => false,
    };
    let it = &facts.snapshot.resources[resource];
    let users =
        || it.holdings.iter().filter(|holding| holding.role == Role::Uses).filter_map(|holding| holding.task);
    let users: Vec<NodeId> = users().filter_map(|id| facts.task(id)).map(task_node).collect();
    let path = |only_users: bool| {
        stuck.shortest_cycle(task_node(task), |node| {
            let dependencies = stuck.fixed_point.dependencies.of(node);
            let left = visits_left.get().checked_sub(dependencies.len());
            // The budget is used up: the search ends without a result.
            visits_left.set(left.unwrap_or(0));
            let reasons = dependencies.iter().copied().filter(move |_| left.is_some());
            let (users, is_held) = (&users, &is_held);
            let is_on_path = move |reason: &NodeId| match (system.node(node), system.node(*reason)) {
                (_, Node::Task(other)) if other == task => is_held(node),
                // The task waits for this notification only.
                (Node::Woken(woken), other) if woken == task => other == Node::Wait(wait),
                (_, Node::AnyNotifier(other)) => other == resource,
                (Node::AnyNotifier(_), Node::Task(_) | Node::AnyLaterTask(_)) if only_users => {
                    users.contains(reason)
                }
                _ => true,
            };
            reasons.filter(is_on_path)
        })
    };
    let path = path(true).or_else(|| path(false))?;
    Some(path.into_iter().map(|node| system.node(node)).collect())
}
