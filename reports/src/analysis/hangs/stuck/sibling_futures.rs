//! Futures of one task that wait for each other, such as arms of a `join!`.
//!
//! The graph knows tasks only, so its shortest cycle is a task that waits for itself. The spans
//! tell which future of the task holds the resource, and what that future waits for in turn.

use super::components::StuckGraph;
use super::reasons::best_reasons;
use crate::analysis::hangs::facts::{Facts, is_active};
use crate::analysis::hangs::system::{Node, NodeId, System, task_node};
use crate::model::SpanId;

/// Maximum number of futures that a cycle shows.
const MAX_FUTURES: usize = 8;

/// Extends `path`, in which one future of the task waits for a holding of another. The extension
/// follows the wait of that other future, and so on, until it returns to the first future. `None`
/// if the spans do not show such a cycle.
pub(crate) fn cycle_of_futures(
    system: &System<'_>,
    stuck: &StuckGraph,
    component: usize,
    task: usize,
    path: &[Node],
) -> Option<Vec<Node>> {
    let facts = system.facts;
    let first = first_wait(path)?;
    let (mut all, mut futures) = (path.to_vec(), vec![first]);
    while futures.len() < MAX_FUTURES {
        let (wait, holder) = (*futures.last()?, holder_span(facts, &all)?);
        let snapshot = facts.snapshot;
        // The future waits for a resource that it holds itself.
        if is_within_span(facts, snapshot.waits[wait].span, holder) {
            return None;
        }
        if futures.len() > 1 && is_within_span(facts, snapshot.waits[first].span, holder) {
            return Some(all);
        }
        let waits = facts.waits_of_task[task].iter().copied();
        let mut waits = waits.filter(|&other| {
            let it = &snapshot.waits[other];
            is_active(it) && !futures.contains(&other) && is_within_span(facts, it.span, holder)
        });
        let next =
            waits.find_map(|other| Some((other, cycle_through_wait(system, stuck, component, task, other)?)));
        let (next, path) = next?;
        futures.push(next);
        all.extend(path.into_iter().skip(1));
    }
    None
}

/// The first wait of a path.
fn first_wait(path: &[Node]) -> Option<usize> {
    path.iter().find_map(|node| match node {
        Node::Wait(wait) => Some(*wait),
        _ => None,
    })
}

/// The span with the last holding of a path.
fn holder_span(facts: &Facts<'_>, path: &[Node]) -> Option<usize> {
    match path.get(path.len().checked_sub(2)?)? {
        Node::Holding(resource, number) => {
            let holding = &facts.snapshot.resources[*resource].holdings[*number];
            facts.span(holding.span).filter(|_| !holding.is_movable)
        }
        _ => None,
    }
}

/// Returns whether the span with this id is at or below the span with index `holder`.
pub(crate) fn is_within_span(facts: &Facts<'_>, span: Option<SpanId>, holder: usize) -> bool {
    let mut next = facts.span(span);
    while let Some(index) = next.filter(|&index| index > holder) {
        next = facts.parent_of(index);
    }
    next == Some(holder)
}

/// The path from a task through one of its waits back to the task.
fn cycle_through_wait(
    system: &System<'_>,
    stuck: &StuckGraph,
    component: usize,
    task: usize,
    wait: usize,
) -> Option<Vec<Node>> {
    let own = |node: NodeId| matches!(system.node(node), Node::Woken(woken) if woken == task);
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
    Some(path.into_iter().map(|node| system.node(node)).collect())
}
