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

use super::build::{Node, System};
use super::graph::Gate;
use crate::analysis::hangs::facts::{Facts, is_active, units};
use crate::model::WaitMode;

/// So many who may stay are counted.
const NEAREST: usize = 8;
/// So many sums of what they ask for are told apart.
const MAX_SUMS: usize = 2 * NEAREST;

/// The gates of a line, made as far as they are asked for.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// The first 1, 2, … leave.
    ahead: Vec<Gate>,
    /// Those of them leave who would go on if they were served.
    polled: Vec<Gate>,
    /// The waits of the others, with their places in the line, and the least that one of them up to there asks for.
    others: Vec<(usize, usize, u64)>,
}

/// What a wait asks for of so much.
fn asked(facts: &Facts<'_>, capacity: u64, wait: usize) -> u64 {
    match facts.snapshot.waits[wait].mode {
        WaitMode::Write => capacity,
        _ => units(&facts.snapshot.waits[wait]),
    }
}

impl System<'_> {
    /// The first `count` of a line leave. `None` if that is nobody.
    pub(crate) fn ahead(&mut self, resource: usize, side: usize, count: usize) -> Option<Gate> {
        let facts = self.facts;
        while self.shared.lines[resource][side].ahead.len() < count {
            let before = self.shared.lines[resource][side].ahead.last().copied();
            let place = self.shared.lines[resource][side].ahead.len();
            let &wait = facts.lines[resource][side].get(place)?;
            let gate = self.after(resource, before, wait);
            self.shared.lines[resource][side].ahead.push(gate);
        }
        count.checked_sub(1).and_then(|last| self.shared.lines[resource][side].ahead.get(last)).copied()
    }

    /// The wait leaves, and those before it do.
    fn after(&mut self, resource: usize, before: Option<Gate>, wait: usize) -> Gate {
        let gate = self.add(Node::Ahead(resource), 0);
        self.gates.require(gate, self.leaves(wait));
        if let Some(before) = before {
            self.gates.require(gate, before);
        }
        gate
    }

    /// Makes the gates of those who would go on, and notes the others, up to that place.
    fn sort_out(&mut self, resource: usize, side: usize, count: usize) {
        let facts = self.facts;
        let line = &facts.lines[resource][side];
        while self.shared.lines[resource][side].polled.len() < count.min(line.len()) {
            let it = &self.shared.lines[resource][side];
            let (place, before) = (it.polled.len(), it.polled.last().copied());
            let wait = line[place];
            let may_stay = facts.is_any_blocked || !is_active(&facts.snapshot.waits[wait]);
            let gate = match before {
                Some(before) if may_stay => before,
                None if may_stay => self.add(Node::Ahead(resource), 0),
                before => self.after(resource, before, wait),
            };
            let asked = asked(facts, facts.snapshot.resources[resource].capacity.unwrap_or(u64::MAX), wait);
            let it = &mut self.shared.lines[resource][side];
            it.polled.push(gate);
            if may_stay {
                let least = it.others.last().map_or(u64::MAX, |&(_, _, least)| least);
                it.others.push((place, wait, least.min(asked)));
            }
        }
    }

    /// What a wait needs of the first `count` of the line, some of whom may be served and stay: that the others leave, and
    /// that there is enough. `None` if all have to leave.
    pub(crate) fn beside(
        &mut self,
        resource: usize,
        side: usize,
        count: usize,
        own: u64,
    ) -> Option<[Gate; 2]> {
        let facts = self.facts;
        let capacity = facts.snapshot.resources[resource].capacity.filter(|&capacity| capacity > own)?;
        self.sort_out(resource, side, count);
        let line = &self.shared.lines[resource][side];
        let polled = *line.polled.get(count.checked_sub(1)?)?;
        let end = line.others.partition_point(|&(place, _, _)| place < count);
        // In a long line, several have the same before them.
        let last = if end > 2 * NEAREST { end - end % NEAREST } else { end };
        // Of all, not only of the nearest: whoever asks for little may stay, however far ahead.
        let (_, _, least_of_all) = line.others[..end].last()?;
        if least_of_all.saturating_add(own) > capacity {
            return None;
        }
        let key = (resource, side, last, own);
        if let Some(&enough) = self.shared.enough.get(&key) {
            return Some([polled, enough]);
        }
        let nearest = &line.others[last.saturating_sub(NEAREST)..last];
        let nearest: Vec<(usize, u64)> =
            nearest.iter().map(|&(_, wait, _)| (wait, asked(facts, capacity, wait))).collect();
        let enough = self.enough(resource, own, &nearest);
        self.shared.enough.insert(key, enough);
        Some([polled, enough])
    }

    /// There is enough for a wait beside those who stay.
    fn enough(&mut self, resource: usize, own: u64, others: &[(usize, u64)]) -> Gate {
        let all = others.iter().fold(0_u64, |sum, &(_, units)| sum.saturating_add(units));
        let left = self.meter(Node::Ahead(resource));
        for &(wait, units) in others {
            self.gates.wire(self.leaves(wait), left, units);
        }
        let enough = self.add(Node::Units(resource), 1);
        for (low, most) in steps_of(others) {
            // Not more than `most` stays, and if so, not less than `low`.
            let free = self.units(resource, own.saturating_add(low));
            if most >= all {
                self.or(enough, free);
                break;
            }
            let (both, has_left) = (self.add(Node::Units(resource), 0), self.add(Node::Ahead(resource), 1));
            self.gates.wire(left, has_left, all - most);
            self.gates.require(both, has_left);
            self.gates.require(both, free);
            self.or(enough, both);
        }
        enough
    }
}

/// The amounts that can stay, the lowest first: each sum of some of them, exactly, if there are few; otherwise ranges.
fn steps_of(others: &[(usize, u64)]) -> Vec<(u64, u64)> {
    let mut sums = Vec::with_capacity(MAX_SUMS);
    sums.push(0_u64);
    for &(_, units) in others {
        for place in 0..sums.len() {
            let sum = sums[place].saturating_add(units);
            if !sums.contains(&sum) {
                sums.push(sum);
            }
        }
        if sums.len() > MAX_SUMS {
            return ranges_of(others);
        }
    }
    sums.sort_unstable();
    sums.into_iter().map(|sum| (sum, sum)).collect()
}

fn ranges_of(others: &[(usize, u64)]) -> Vec<(u64, u64)> {
    let mut most = 0_u64;
    let ranges = others.iter().map(|&(_, units)| {
        let low = most.saturating_add(1);
        most = most.saturating_add(units);
        (low.min(most), most)
    });
    std::iter::once((0, 0)).chain(ranges).collect()
}
