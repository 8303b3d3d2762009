//! Futures of one task that wait for each other: two arms of a `join!`, of which each has what the other waits for.
//!
//! Gates know tasks only, so the shortest circle is that the task waits for what it has itself. Which of its futures has it,
//! and what that waits for in turn, is told by the spans.

use super::components::StuckGraph;
use super::reasons::best_reasons;
use crate::analysis::hangs::facts::{Facts, is_active};
use crate::analysis::hangs::system::{Node, NodeId, System, task_node};

/// So many futures of a circle are shown.
const MAX_FUTURES: usize = 8;

/// From a task's wait for what another future of it has, by what that one waits for, back to the future of the first wait.
/// `None` if the spans do not tell.
pub(crate) fn cycle_of_futures(
    system: &System<'_>,
    stuck: &StuckGraph,
    component: usize,
    task: usize,
    path: &[Node],
) -> Option<Vec<Node>> {
    let facts = system.facts;
    let first = first_wait(path)?;
    let (mut all, mut seen) = (path.to_vec(), vec![first]);
    while seen.len() < MAX_FUTURES {
        let (wait, holder) = (*seen.last()?, holder_span(facts, &all)?);
        let snapshot = facts.snapshot;
        // It has what it waits for itself.
        if is_within_span(facts, snapshot.waits[wait].span, holder) {
            return None;
        }
        if seen.len() > 1 && is_within_span(facts, snapshot.waits[first].span, holder) {
            return Some(all);
        }
        let waits = facts.waits_of_task[task].iter().copied();
        let mut waits = waits.filter(|&other| {
            let it = &snapshot.waits[other];
            is_active(it) && !seen.contains(&other) && is_within_span(facts, it.span, holder)
        });
        let next =
            waits.find_map(|other| Some((other, cycle_through_wait(system, stuck, component, task, other)?)));
        let (next, path) = next?;
        seen.push(next);
        all.extend(path.into_iter().skip(1));
    }
    None
}

/// The first wait of a way.
fn first_wait(path: &[Node]) -> Option<usize> {
    path.iter().find_map(|node| match node {
        Node::Wait(wait) => Some(*wait),
        _ => None,
    })
}

/// The span that has what stands last in a way: that of its last holding.
fn holder_span(facts: &Facts<'_>, path: &[Node]) -> Option<usize> {
    match path.get(path.len().checked_sub(2)?)? {
        Node::Holding(resource, number) => {
            let holding = &facts.snapshot.resources[*resource].holdings[*number];
            facts.span(holding.span).filter(|_| !holding.is_movable)
        }
        _ => None,
    }
}

/// Whether the span of that number is that one, or below it.
pub(crate) fn is_within_span(facts: &Facts<'_>, span: Option<u64>, holder: usize) -> bool {
    let mut next = facts.span(span);
    while let Some(index) = next.filter(|&index| index > holder) {
        next = facts.snapshot.spans[index].parent.filter(|&parent| parent < index);
    }
    next == Some(holder)
}

/// The way from a task by one of its waits back to the task.
fn cycle_through_wait(
    system: &System<'_>,
    stuck: &StuckGraph,
    component: usize,
    task: usize,
    wait: usize,
) -> Option<Vec<Node>> {
    let own = |node: NodeId| matches!(system.nodes[node], Node::Woken(woken) if woken == task);
    let path = stuck.shortest_cycle(task_node(task), |node| {
        if own(node) {
            let dependencies = stuck.fixed_point.dependencies.of(node);
            return dependencies
                .iter()
                .copied()
                .filter(|&dependency| dependency == system.wait_node(wait))
                .collect();
        }
        let mut reasons = best_reasons(system, stuck, node);
        reasons.retain(|&reason| stuck.is_in(reason, component));
        reasons
    })?;
    Some(path.into_iter().map(|node| system.nodes[node]).collect())
}
