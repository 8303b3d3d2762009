//! The lines at fair locks: whoever stands there is served after all before it.
//!
//! ```text
//! before it, and polled by its task       it has to leave: once it is served, its task goes on
//! not polled, and no room for both        it has to leave
//! not polled, and there is room for both  it may be served and stay: N units are with such, and N and its own have to
//!                                         become free
//! ```
//! N is not known before the end, and what becomes free is not either: for each N that there can be, one pair of gates says
//! that it is not more, and that there is enough for it. Only the nearest are counted: less stays with the others than
//! might, so that nothing is stuck that is not. Where a thread is blocked, a task that is served need not go on, and all who
//! stand in a line may stay.

use super::build::System;
use super::graph::NodeId;
use super::node::Node;
use crate::analysis::hangs::facts::{Facts, is_active, units_asked};
use crate::model::WaitMode;

/// So many who may stay are counted.
const NEAREST: usize = 8;
/// So many sums of what they ask for are told apart.
const MAX_SUMS: usize = 2 * NEAREST;

/// The gates of a line, made as far as they are asked for.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// The first 1, 2, … leave.
    all_end: Vec<NodeId>,
    /// Those of them leave who would go on if they were served.
    polled_end: Vec<NodeId>,
    /// The waits of the others, with their places in the line, and the least that one of them up to there asks for.
    may_stay: Vec<(usize, usize, u64)>,
}

/// What a wait asks for of so much.
fn units_of_capacity(facts: &Facts<'_>, capacity: u64, wait: usize) -> u64 {
    match facts.snapshot.waits[wait].mode {
        WaitMode::Write => capacity,
        _ => units_asked(&facts.snapshot.waits[wait]),
    }
}

impl System<'_> {
    /// The first `count` of a line leave. `None` if that is nobody.
    pub(crate) fn queue_ahead(&mut self, resource: usize, side: usize, count: usize) -> Option<NodeId> {
        let facts = self.facts;
        while self.shared.queues[resource][side].all_end.len() < count {
            let before = self.shared.queues[resource][side].all_end.last().copied();
            let position = self.shared.queues[resource][side].all_end.len();
            let &wait = facts.queues[resource][side].get(position)?;
            let node = self.wait_and_earlier_end(resource, before, wait);
            self.shared.queues[resource][side].all_end.push(node);
        }
        count.checked_sub(1).and_then(|last| self.shared.queues[resource][side].all_end.get(last)).copied()
    }

    /// The wait leaves, and those before it do.
    fn wait_and_earlier_end(&mut self, resource: usize, before: Option<NodeId>, wait: usize) -> NodeId {
        let node = self.add_node(Node::QueueAhead(resource), 0);
        self.graph.require(node, self.wait_end_node(wait));
        if let Some(before) = before {
            self.graph.require(node, before);
        }
        node
    }

    /// Makes the gates of those who would go on, and notes the others, up to that place.
    fn extend_queue(&mut self, resource: usize, side: usize, count: usize) {
        let facts = self.facts;
        let queue = &facts.queues[resource][side];
        while self.shared.queues[resource][side].polled_end.len() < count.min(queue.len()) {
            let it = &self.shared.queues[resource][side];
            let (position, before) = (it.polled_end.len(), it.polled_end.last().copied());
            let wait = queue[position];
            let may_stay = facts.is_any_blocked || !is_active(&facts.snapshot.waits[wait]);
            let node = match before {
                Some(before) if may_stay => before,
                None if may_stay => self.add_node(Node::QueueAhead(resource), 0),
                before => self.wait_and_earlier_end(resource, before, wait),
            };
            let asked = units_of_capacity(
                facts,
                facts.snapshot.resources[resource].capacity.unwrap_or(u64::MAX),
                wait,
            );
            let it = &mut self.shared.queues[resource][side];
            it.polled_end.push(node);
            if may_stay {
                let least = it.may_stay.last().map_or(u64::MAX, |&(_, _, least)| least);
                it.may_stay.push((position, wait, least.min(asked)));
            }
        }
    }

    /// What a wait needs of the first `count` of the line, some of whom may be served and stay: that the others leave, and
    /// that there is enough. `None` if all have to leave.
    pub(crate) fn room_beside(
        &mut self,
        resource: usize,
        side: usize,
        count: usize,
        own: u64,
    ) -> Option<[NodeId; 2]> {
        let facts = self.facts;
        let capacity = facts.snapshot.resources[resource].capacity.filter(|&capacity| capacity > own)?;
        self.extend_queue(resource, side, count);
        let queue = &self.shared.queues[resource][side];
        let polled = *queue.polled_end.get(count.checked_sub(1)?)?;
        let end = queue.may_stay.partition_point(|&(position, _, _)| position < count);
        // In a long line, several have the same before them.
        let last = if end > 2 * NEAREST { end - end % NEAREST } else { end };
        // Of all, not only of the nearest: whoever asks for little may stay, however far ahead.
        let (_, _, least_of_all) = queue.may_stay[..end].last()?;
        if least_of_all.saturating_add(own) > capacity {
            return None;
        }
        let key = (resource, side, last, own);
        if let Some(&enough) = self.shared.enough_beside.get(&key) {
            return Some([polled, enough]);
        }
        let nearest = &queue.may_stay[last.saturating_sub(NEAREST)..last];
        let nearest: Vec<(usize, u64)> =
            nearest.iter().map(|&(_, wait, _)| (wait, units_of_capacity(facts, capacity, wait))).collect();
        let enough = self.enough_beside(resource, own, &nearest);
        self.shared.enough_beside.insert(key, enough);
        Some([polled, enough])
    }

    /// There is enough for a wait beside those who stay.
    fn enough_beside(&mut self, resource: usize, own: u64, others: &[(usize, u64)]) -> NodeId {
        let all = others.iter().fold(0_u64, |sum, &(_, units)| sum.saturating_add(units));
        let staying_end = self.add_counter(Node::QueueAhead(resource));
        for &(wait, units) in others {
            self.graph.add_edge(self.wait_end_node(wait), staying_end, units);
        }
        let enough = self.add_node(Node::EnoughUnits(resource), 1);
        for (low, most) in amounts(others) {
            // Not more than `most` stays, and if so, not less than `low`.
            let free = self.enough_units(resource, own.saturating_add(low));
            if most >= all {
                self.add_alternative(enough, free);
                break;
            }
            let (both, enough_end) =
                (self.add_node(Node::EnoughUnits(resource), 0), self.add_node(Node::QueueAhead(resource), 1));
            self.graph.add_edge(staying_end, enough_end, all - most);
            self.graph.require(both, enough_end);
            self.graph.require(both, free);
            self.add_alternative(enough, both);
        }
        enough
    }
}

/// The amounts that can stay, the lowest first: each sum of some of them, exactly, if there are few; otherwise ranges.
fn amounts(others: &[(usize, u64)]) -> Vec<(u64, u64)> {
    let mut sums = Vec::with_capacity(MAX_SUMS);
    sums.push(0_u64);
    for &(_, units) in others {
        for position in 0..sums.len() {
            let sum = sums[position].saturating_add(units);
            if !sums.contains(&sum) {
                sums.push(sum);
            }
        }
        if sums.len() > MAX_SUMS {
            return ranges(others);
        }
    }
    sums.sort_unstable();
    sums.into_iter().map(|sum| (sum, sum)).collect()
}

fn ranges(others: &[(usize, u64)]) -> Vec<(u64, u64)> {
    let mut most = 0_u64;
    let ranges = others.iter().map(|&(_, units)| {
        let low = most.saturating_add(1);
        most = most.saturating_add(units);
        (low.min(most), most)
    });
    std::iter::once((0, 0)).chain(ranges).collect()
}
