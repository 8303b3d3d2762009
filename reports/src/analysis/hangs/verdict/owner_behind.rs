//! Finds cycles through tasks that may own, without a record, what another task waits for.
//!
//! ```text
//! asks ─ waits for ─▶ a reply, whose sender was last seen with `asks`: in a map, for any task
//!  ▲                    ┊ may be with
//!  └─ has a lock ◀─ waits for ─ answers
//! ```
//! Such a cycle is a better explanation than a sender that its own task has kept, or a guard that
//! was never released. The possible owner has to wait for a lock, for capacity or the like. A task
//! that joins the waiter, or waits for a message from it, most likely does not own what the waiter
//! needs. The set of stuck nodes does not change.

use std::collections::VecDeque;

use super::hang::Hang;
use super::types::VerdictKind;
use crate::analysis::hangs::facts::{Facts, IdMap, asks_for_signal, is_active, step};
use crate::analysis::hangs::stuck::StuckGraph;
use crate::analysis::hangs::system::{Node, NodeId, System, task_node};
use crate::model::{Attribution, WaitMode};

/// Maximum number of nodes that are searched for a possible owner. There may be a hundred thousand
/// leaks, each with as many waits behind it.
const MAX_NODES: usize = 256;
/// Maximum number of waits of a possible owner, and of holdings of the resource.
const MAX_ITEMS: usize = 256;

/// Turns a leak, or a task that waits for itself, into a cycle through a possible owner, if there
/// is one.
pub(super) fn through_owner_behind(system: &System<'_>, stuck: &StuckGraph, hang: Hang) -> Hang {
    if !matches!(hang.kind, VerdictKind::Leak | VerdictKind::SelfWait) {
        return hang;
    }
    match path_through(system, stuck, &hang.path) {
        Some(path) => Hang::new(VerdictKind::Cycle, None, path),
        None => hang,
    }
}

fn path_through(system: &System<'_>, stuck: &StuckGraph, path: &[Node]) -> Option<Vec<Node>> {
    let &Node::Task(waiter) = path.first()? else { return None };
    let facts = system.facts;
    let (end, resource, number) = path.iter().enumerate().rev().find_map(|(position, node)| match *node {
        Node::Holding(resource, number) => {
            let holding = &facts.snapshot.resources[resource].holdings[number];
            let may_be_elsewhere =
                holding.is_movable && holding.task.is_some() && holding.in_channel.is_none();
            may_be_elsewhere.then_some((position, resource, number))
        }
        _ => None,
    })?;
    let holding = &facts.snapshot.resources[resource].holdings[number];
    let is_known = matches!(holding.attribution, Attribution::Exact | Attribution::Unmoved);
    let is_possible = |task: usize| {
        let is_candidate = || holding.candidates.contains(&facts.snapshot.tasks[task].id);
        (!is_known || is_candidate()) && may_own(facts, task, resource)
    };
    let behind = path_from_owner(system, stuck, task_node(waiter), is_possible)?;
    let through = path[..=end].iter().copied();
    Some(through.chain(behind.into_iter().map(|node| system.node(node))).collect())
}

/// The shortest path to the waiter from a possible owner.
fn path_from_owner(
    system: &System<'_>,
    stuck: &StuckGraph,
    waiter: NodeId,
    is_possible: impl Fn(usize) -> bool,
) -> Option<Vec<NodeId>> {
    // Any task may notify any other.
    let is_of_any = |node| {
        matches!(
            system.node(node),
            Node::AnyNotifier(_) | Node::AnyLaterTask(_) | Node::AnyTask | Node::BlockOn(_)
        )
    };
    let mut next_of: IdMap<NodeId, NodeId> = IdMap::default();
    let mut queue = VecDeque::from([waiter]);
    while let Some(node) = queue.pop_front() {
        for &dependent in stuck.fixed_point.dependents.of(node) {
            step();
            // The waits behind the waiter in a queue are for the same resource, so they explain
            // nothing.
            let is_queue = node == waiter && matches!(system.node(dependent), Node::WaitEnd(_));
            if is_queue || is_of_any(dependent) || dependent == waiter || next_of.contains_key(&dependent) {
                continue;
            }
            if next_of.len() == MAX_NODES {
                return None;
            }
            next_of.insert(dependent, node);
            let task = system.node(dependent).task();
            if task.is_some_and(&is_possible) {
                let next = |&node: &NodeId| next_of.get(&node).copied();
                return Some(std::iter::successors(Some(dependent), next).collect());
            }
            queue.push_back(dependent);
        }
    }
    None
}

/// Returns whether the task waits only for locks, capacity or the like, none of them of this
/// resource, and has no recorded holding of the resource.
fn may_own(facts: &Facts<'_>, task: usize, resource: usize) -> bool {
    let id = facts.snapshot.tasks[task].id;
    let (waits, holdings) = (&facts.waits_of_task[task], &facts.snapshot.resources[resource].holdings);
    let mut active =
        waits.iter().map(|&wait| &facts.snapshot.waits[wait]).filter(|wait| is_active(wait)).peekable();
    waits.len().max(holdings.len()) <= MAX_ITEMS
        && active.peek().is_some()
        && active.all(|wait| {
            let is_for_units =
                !asks_for_signal(wait) && !matches!(wait.mode, WaitMode::Join | WaitMode::Shutdown);
            is_for_units && facts.resource_of(wait).is_some_and(|index| index != resource)
        })
        && !holdings.iter().any(|holding| holding.task == Some(id))
}
