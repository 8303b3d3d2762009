//! Queues of fair locks: a wait is served after the waits ahead of it.
//!
//! ```text
//! wait ahead                          what it has to do
//! polled by its task                  leave: once served, its task runs on
//! not polled, no room for both        leave
//! not polled, room for both           nothing, it may keep its units: if N units stay with such
//!                                     waits, N plus those of this wait have to become free
//! ```
//! Neither N nor the number of free units is known before the graph is solved. So each possible N
//! gets a pair of nodes: "no more than N stay", and "enough is free for N". Only the nearest waits
//! are counted. This can only underestimate the units that stay, so a wait that is not stuck is
//! never called stuck. If any thread is blocked, even a task that was served may not continue, so
//! every wait in the queue may keep its units.

use super::build::System;
use super::graph::NodeId;
use super::node::Node;
use crate::analysis::hangs::facts::{Facts, is_active, units_asked};
use crate::model::WaitMode;
use crate::sort::sort;

/// Maximum number of waits that may keep their units and are counted.
const NEAREST: usize = 8;
/// Maximum number of different sums of the units of these waits.
const MAX_SUMS: usize = 2 * NEAREST;

/// The nodes of one side of a queue, extended on demand.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// By number of waits minus one: the node for "all of these waits leave".
    all_end: Vec<NodeId>,
    /// By number of waits minus one: the node for "those of these waits that cannot keep their
    /// units leave".
    polled_end: Vec<NodeId>,
    /// The waits that may keep their units, in queue order: the position in the queue, the index of
    /// the wait, and the smallest number of units among this and the earlier entries.
    may_stay: Vec<(usize, usize, u64)>,
}

/// The units that a wait asks for. A writer asks for all units.
fn units_or_capacity(facts: &Facts<'_>, capacity: u64, wait: usize) -> u64 {
    match facts.snapshot.waits[wait].mode {
        WaitMode::Write => capacity,
        _ => units_asked(&facts.snapshot.waits[wait]),
    }
}

impl System<'_> {
    fn queue(&mut self, resource: usize, side: usize) -> &mut Queue {
        self.shared.queues.entry((resource, side)).or_default()
    }

    /// The node for "the first `count` waits leave"; `None` if `count` is zero.
    pub(crate) fn queue_ahead(&mut self, resource: usize, side: usize, count: usize) -> Option<NodeId> {
        let last = count.checked_sub(1)?;
        let facts = self.facts;
        loop {
            let ends = &self.queue(resource, side).all_end;
            if let Some(&node) = ends.get(last) {
                return Some(node);
            }
            let (position, before) = (ends.len(), ends.last().copied());
            let &wait = facts.queue(resource, side).get(position)?;
            let node = self.wait_and_earlier_end(resource, before, wait);
            self.queue(resource, side).all_end.push(node);
        }
    }

    /// The node for "this wait and those before it leave".
    fn wait_and_earlier_end(&mut self, resource: usize, before: Option<NodeId>, wait: usize) -> NodeId {
        let node = self.add_node(Node::QueueAhead(resource), 0);
        self.graph.require(node, self.wait_end_node(wait));
        if let Some(before) = before {
            self.graph.require(node, before);
        }
        node
    }

    /// Extends `polled_end` and `may_stay` to the first `count` waits.
    fn extend_queue(&mut self, resource: usize, side: usize, count: usize) {
        let facts = self.facts;
        let queue = facts.queue(resource, side);
        while self.queue(resource, side).polled_end.len() < count.min(queue.len()) {
            let it = self.queue(resource, side);
            let (position, before) = (it.polled_end.len(), it.polled_end.last().copied());
            let wait = queue[position];
            let may_stay = facts.is_any_blocked || !is_active(&facts.snapshot.waits[wait]);
            let node = match before {
                Some(before) if may_stay => before,
                None if may_stay => self.add_node(Node::QueueAhead(resource), 0),
                before => self.wait_and_earlier_end(resource, before, wait),
            };
            let asked = units_or_capacity(
                facts,
                facts.snapshot.resources[resource].capacity.unwrap_or(u64::MAX),
                wait,
            );
            let it = self.queue(resource, side);
            it.polled_end.push(node);
            if may_stay {
                let least = it.may_stay.last().map_or(u64::MAX, |&(_, _, least)| least);
                it.may_stay.push((position, wait, least.min(asked)));
            }
        }
    }

    /// The two nodes that a wait needs if some of the first `count` waits may keep their units:
    /// "the other waits leave", and "enough units are free". `None` if all of them have to leave.
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
        let queue = self.shared.queues.get(&(resource, side))?;
        let polled = *queue.polled_end.get(count.checked_sub(1)?)?;
        let end = queue.may_stay.partition_point(|&(position, _, _)| position < count);
        // In a long queue, several waits share a node.
        let last = if end > 2 * NEAREST { end - end % NEAREST } else { end };
        // This looks at all waits, not only at the nearest: any wait for few units may keep them.
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
            nearest.iter().map(|&(_, wait, _)| (wait, units_or_capacity(facts, capacity, wait))).collect();
        let enough = self.enough_beside(resource, own, &nearest);
        self.shared.enough_beside.insert(key, enough);
        Some([polled, enough])
    }

    /// The node for "enough units are free for a wait, in addition to the units that other waits
    /// keep".
    fn enough_beside(&mut self, resource: usize, own: u64, others: &[(usize, u64)]) -> NodeId {
        let all = others.iter().fold(0_u64, |sum, &(_, units)| sum.saturating_add(units));
        let staying_end = self.add_counter(Node::QueueAhead(resource));
        for &(wait, units) in others {
            self.graph.add_edge(self.wait_end_node(wait), staying_end, units);
        }
        let enough = self.add_node(Node::EnoughUnits(resource), 1);
        for (low, most) in amounts(others) {
            // One step: the other waits keep at least `low` and at most `most` units.
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

/// The amounts that can stay, ascending: every possible sum if there are few sums, otherwise
/// ranges.
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
    sort(&mut sums);
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
