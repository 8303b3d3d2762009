//! One stay at a node: from the start of a poll to its end.

use super::local::{self, Place};
use crate::clock;
use crate::tree::{Node, Wait};

/// The way back from a poll. It is taken exactly once, on unwinding too.
///
/// It is filled in where it lies and not moved afterwards: a move would read in one piece what was just written in
/// several, and a processor waits for that longer than for all the rest of the bookkeeping.
#[derive(Debug)]
pub(super) struct Visit {
    /// What was running before: restored as it was, whatever has happened in between. `None` if the thread had no tree
    /// and has one only for this visit.
    previous: Option<&'static Node>,
    /// The node that covers this visit in `previous`, if this is a task inside another task's poll.
    nested: Option<&'static Node>,
}

impl Visit {
    /// No visit yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new() -> Self {
        Self { previous: None, nested: None }
    }

    /// Begins a visit as most are: under the node that is running.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin(
        &mut self,
        node: &'static Node,
        previous: &'static Node,
        now: u64,
        ended: Option<Wait>,
    ) {
        self.previous = Some(previous);
        local::set_current(Some(node));
        node.times.enter(now, ended);
    }

    /// Begins a visit of a root, maybe from inside another task's poll, maybe with a tree that is only lent.
    #[cold]
    pub(super) fn begin_root(&mut self, node: &'static Node, place: Place, now: u64, ended: Option<Wait>) {
        let foreign = node.parent.is_some_and(Node::is_root) && !place.current.is_root();
        if foreign {
            let nested = place.tree.nested(place.current, clock::now);
            nested.times.enter(now, None);
            self.nested = Some(nested);
        }
        self.previous = (!place.lent).then_some(place.current);
        local::set_current(Some(node));
        node.times.enter(now, ended);
    }

    /// Whether this is a task inside another task's poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_nested(&self) -> bool {
        self.nested.is_some()
    }

    /// Ends the poll; if it returned `Pending`, a wait begins.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn end(&mut self, node: &'static Node, now: u64, begun: Option<Wait>) {
        let ticks = node.times.leave(now, begun);
        node.count_poll(ticks);
        local::set_current(self.previous);
        if self.nested.is_some() || self.previous.is_none() {
            self.end_root(now);
        }
    }

    #[cold]
    fn end_root(&mut self, now: u64) {
        if let Some(nested) = self.nested {
            let ticks = nested.times.leave(now, None);
            nested.count_poll(ticks);
        }
        if self.previous.is_none() {
            local::end_loan();
        }
    }
}
