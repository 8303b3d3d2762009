//! Which of several reasons best explains why a node is stuck.
//!
//! The choice does not change what is stuck: all dependencies of a stuck node that are listed are
//! stuck too. The sentence of a verdict follows one of them:
//!
//! | node | the first that applies |
//! |---|---|
//! | a task with several waits | a wait that it polls itself, before one polled by a combinator; a lock, capacity or a task, before a message |
//! | a wait | the holder of what it asks for, if that is not free, before the waits ahead |
//! | a guard or a channel end | the unread message it is in; the task it was moved into by a spawn; the task that last used it; the task that created it |
//!
//! A task that waits for a message is unlikely to own the sender.

use super::components::StuckGraph;
use crate::analysis::hangs::facts::{Facts, asks_for_signal};
use crate::analysis::hangs::system::{Node, NodeId, System, task_node};
use crate::model::{Holding, Role, WaitMode};
use crate::sort::sort_by_key;

/// Lower is more plausible.
type Rank = u8;

/// Maximum number of pairs of a holding and a possible owner that are ranked; with more, all rank
/// alike.
const MAX_PAIRS: usize = 16_384;

/// The most plausible of a node's stuck dependencies.
pub(crate) fn best_reasons(system: &System<'_>, stuck: &StuckGraph, node: NodeId) -> Vec<NodeId> {
    let dependencies = stuck.fixed_point.dependencies.of(node);
    let kind = system.node(node);
    let pairs = match kind {
        Node::Holding(resource, _) => {
            system.facts.snapshot.resources[resource].holdings.len().saturating_mul(dependencies.len())
        }
        _ => 0,
    };
    if dependencies.len() <= 1 || pairs > MAX_PAIRS {
        return dependencies.to_vec();
    }
    let likely_owner = match kind {
        Node::Holding(resource, number) => likely_owner(system, stuck, resource, number),
        _ => None,
    };
    let rank = |dependency: NodeId| match (kind, system.node(dependency)) {
        (Node::Holding(resource, number), Node::Task(task)) => {
            rank_of_owner(system.facts, resource, number, task, likely_owner)
        }
        (Node::Woken(_), Node::Wait(wait)) => rank_of_wait(system.facts, wait),
        (Node::EnoughUnits(_), Node::EnoughUnits(_)) => Rank::from(lacks_units(system, stuck, dependency)),
        (_, Node::QueueAhead(_) | Node::AllSendersGone(_) | Node::AnyLaterTask(_))
        | (Node::EnoughUnits(_), Node::AnyReceiver(_)) => 1,
        _ => 0,
    };
    let ranks: Vec<Rank> = dependencies.iter().map(|&dependency| rank(dependency)).collect();
    let Some(best) = ranks.iter().min() else { return Vec::new() };
    dependencies
        .iter()
        .zip(&ranks)
        .filter(|(_, rank)| *rank == best)
        .map(|(&dependency, _)| dependency)
        .collect()
}

/// Whether the units for a wait, and for waits ahead that may keep theirs, are not free. If they
/// are free, the waits ahead explain the node, and holders of other units do not.
fn lacks_units(system: &System<'_>, stuck: &StuckGraph, units: NodeId) -> bool {
    stuck
        .fixed_point
        .dependencies
        .of(units)
        .iter()
        .any(|&node| matches!(system.node(node), Node::EnoughUnits(_) | Node::FreeUnits(_)))
}

fn rank_of_wait(facts: &Facts<'_>, index: usize) -> Rank {
    let wait = &facts.snapshot.waits[index];
    2 * Rank::from(wait.is_indirect || wait.is_parked) + Rank::from(asks_for_signal(wait))
}

/// Ranks a possible owner. An unread message that contains the holding has rank 0.
fn rank_of_owner(
    facts: &Facts<'_>,
    resource: usize,
    number: usize,
    task: usize,
    likely_owner: Option<usize>,
) -> Rank {
    let holding = &facts.snapshot.resources[resource].holdings[number];
    if holding.in_channel.is_some() {
        return 4;
    }
    let is_last = Some(facts.snapshot.tasks[task].id) == holding.task;
    match () {
        () if has_other_end(facts, resource, holding, task)
            || is_behind_last(facts, resource, holding, task) =>
        {
            3
        }
        () if likely_owner == Some(task) => 0,
        () if likely_owner.is_some() => 1,
        () if is_last => 2,
        () => 1,
    }
}

/// The most likely owner among the possible ones: the task it was moved into by a spawn, or the
/// task that last used it. `None` if it was never used, and several tasks may have been spawned
/// with it.
fn likely_owner(system: &System<'_>, stuck: &StuckGraph, resource: usize, number: usize) -> Option<usize> {
    let facts = system.facts;
    let holdings = &facts.snapshot.resources[resource].holdings;
    let holding = &holdings[number];
    let last = holding.task.and_then(|task| facts.task(task));
    let was_used = holding.uses > 0 && holding.role != Role::Holds;
    let is_borrowed = holding.role == Role::Holds && !holding.is_movable;
    if was_used || is_borrowed || holding.candidates.is_empty() {
        return last;
    }
    // A task that only lacks a thread explains more than one that waits.
    let tasks = || holding.candidates.iter().filter_map(|&task| facts.task(task));
    let is_of_threads = |node: &NodeId| {
        matches!(system.node(*node), Node::FreeWorker(_) | Node::FreePoolThread(_) | Node::Thread(_))
    };
    let is_ready = |task: &usize| {
        let lacks = stuck.fixed_point.dependencies.of(task_node(*task));
        !lacks.is_empty() && lacks.iter().all(is_of_threads)
    };
    if let Some(task) = tasks().find(is_ready) {
        return Some(task);
    }
    // Each spawned task takes the youngest of the holdings created for it.
    let is_alike = |other: &Holding| {
        other.role == holding.role && other.task == holding.task && other.uses == holding.uses
    };
    let mut free: Vec<usize> = (0..holdings.len()).filter(|&other| is_alike(&holdings[other])).collect();
    sort_by_key(&mut free, |&other| holdings[other].since_ns);
    for task in tasks() {
        let it = &facts.snapshot.tasks[task];
        let has_its_own =
            holdings.iter().any(|other| other.role == holding.role && other.task == Some(it.id));
        let is_its_child = it.spawned_by == holding.task;
        if has_its_own
            || !is_its_child
            || has_other_end(facts, resource, holding, task)
            || is_behind_last(facts, resource, holding, task)
        {
            continue;
        }
        let Some(position) = free.iter().position(|&other| holdings[other].since_ns >= it.age_ns) else {
            continue;
        };
        if free.remove(position) == number {
            return Some(task);
        }
    }
    // All spawned tasks have taken other holdings.
    if free.contains(&number) && last.is_some_and(|last| !has_other_end(facts, resource, holding, last)) {
        last
    } else {
        None
    }
}

/// Whether the task waits for more units, and the task that acquired the holding joins it or waits
/// for more units too. The acquiring task most likely still has the holding then.
fn is_behind_last(facts: &Facts<'_>, resource: usize, holding: &Holding, task: usize) -> bool {
    let id = facts.snapshot.tasks[task].id;
    let waits = |task: usize| facts.waits_of_task[task].iter().map(|&wait| &facts.snapshot.waits[wait]);
    let waits_here = |task: usize| waits(task).any(|wait| facts.resource_of(wait) == Some(resource));
    let joins_it = |last: usize| waits(last).any(|wait| wait.mode == WaitMode::Join && wait.tasks == [id]);
    let last = holding.task.filter(|last| *last != id).and_then(|last| facts.task(last));
    holding.role == Role::Holds
        && waits_here(task)
        && last.is_some_and(|last| joins_it(last) || waits_here(last))
}

/// Whether the task has the other end of the channel.
fn has_other_end(facts: &Facts<'_>, resource: usize, holding: &Holding, task: usize) -> bool {
    let (other, mode) = match holding.role {
        Role::Sends => (Role::Receives, WaitMode::Receive),
        Role::Receives => (Role::Sends, WaitMode::Send),
        _ => return false,
    };
    let it = &facts.snapshot.tasks[task];
    let has = |holding: &Holding| holding.role == other && holding.uses > 0 && holding.task == Some(it.id);
    let mut waits = facts.waits_of_task[task].iter().map(|&wait| &facts.snapshot.waits[wait]);
    waits.any(|wait| facts.resource_of(wait) == Some(resource) && wait.mode == mode)
        || facts.snapshot.resources[resource].holdings.iter().any(has)
}
