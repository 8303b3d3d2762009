//! Futures of one task that wait for each other: two arms of a `join!`, of which each has what the other waits for.
//!
//! Gates know tasks only, so the shortest circle is that the task waits for what it has itself. Which of its futures has it,
//! and what that waits for in turn, is told by the spans.

use super::components::Stuck;
use super::reasons::reasons;
use crate::analysis::hangs::facts::{Facts, is_active};
use crate::analysis::hangs::system::{Gate, Node, System, task_gate};

/// So many futures of a circle are shown.
const MAX_FUTURES: usize = 8;

/// From a task's wait for what another future of it has, by what that one waits for, back to the future of the first wait.
/// `None` if the spans do not tell.
pub(crate) fn circle(
    system: &System<'_>,
    stuck: &Stuck,
    group: usize,
    task: usize,
    way: &[Node],
) -> Option<Vec<Node>> {
    let facts = system.facts;
    let first = wait_of(way)?;
    let (mut all, mut seen) = (way.to_vec(), vec![first]);
    while seen.len() < MAX_FUTURES {
        let (wait, holder) = (*seen.last()?, holder(facts, &all)?);
        let snapshot = facts.snapshot;
        // It has what it waits for itself.
        if is_within(facts, snapshot.waits[wait].span, holder) {
            return None;
        }
        if seen.len() > 1 && is_within(facts, snapshot.waits[first].span, holder) {
            return Some(all);
        }
        let waits = facts.waits_of_task[task].iter().copied();
        let mut waits = waits.filter(|&other| {
            let it = &snapshot.waits[other];
            is_active(it) && !seen.contains(&other) && is_within(facts, it.span, holder)
        });
        let next = waits.find_map(|other| Some((other, back(system, stuck, group, task, other)?)));
        let (next, way) = next?;
        seen.push(next);
        all.extend(way.into_iter().skip(1));
    }
    None
}

/// The first wait of a way.
fn wait_of(way: &[Node]) -> Option<usize> {
    way.iter().find_map(|node| match node {
        Node::Wait(wait) => Some(*wait),
        _ => None,
    })
}

/// The span that has what stands last in a way: that of its last holding.
fn holder(facts: &Facts<'_>, way: &[Node]) -> Option<usize> {
    match way.get(way.len().checked_sub(2)?)? {
        Node::Holding(resource, number) => {
            let holding = &facts.snapshot.resources[*resource].holdings[*number];
            facts.span(holding.span).filter(|_| !holding.is_movable)
        }
        _ => None,
    }
}

/// Whether the span of that number is that one, or below it.
pub(crate) fn is_within(facts: &Facts<'_>, span: Option<u64>, holder: usize) -> bool {
    let mut next = facts.span(span);
    while let Some(index) = next.filter(|&index| index > holder) {
        next = facts.snapshot.spans[index].parent.filter(|&parent| parent < index);
    }
    next == Some(holder)
}

/// The way from a task by one of its waits back to the task.
fn back(system: &System<'_>, stuck: &Stuck, group: usize, task: usize, wait: usize) -> Option<Vec<Node>> {
    let own = |gate: Gate| matches!(system.nodes[gate], Node::Woken(woken) if woken == task);
    let way = stuck.circle(task_gate(task), |gate| {
        if own(gate) {
            let inputs = stuck.solved.inputs.of(gate);
            return inputs.iter().copied().filter(|&input| input == system.wait(wait)).collect();
        }
        let mut reasons = reasons(system, stuck, gate);
        reasons.retain(|&reason| stuck.is_in(reason, group));
        reasons
    })?;
    Some(way.into_iter().map(|gate| system.nodes[gate]).collect())
}
