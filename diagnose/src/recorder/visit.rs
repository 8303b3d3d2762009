//! One stay at a node: from the start of a poll to its end.

use super::local::{self, Place};
use crate::clock;
use crate::tree::{Node, Wait};

/// The way back from a poll. It is left exactly once, and whoever holds it sees to that on unwinding too.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) node: &'static Node,
    /// What was running before: restored as it was, whatever has happened in between.
    previous: Option<&'static Node>,
    /// The node that covers this visit in `previous`, if this is a task inside another task's poll.
    nested: Option<&'static Node>,
    /// Whether there is more to do at the end than to restore `previous`.
    special: bool,
}

impl Visit {
    /// A visit as most are: under the node that is running. The caller books the start.
    #[inline(always)]
    pub(super) fn plain(node: &'static Node, previous: &'static Node) -> Self {
        local::set_current(Some(node));
        Self { node, previous: Some(previous), nested: None, special: false }
    }

    /// A visit of a root, maybe from inside another task's poll, maybe with a tree that is only lent.
    #[cold]
    pub(super) fn special(node: &'static Node, place: Place, now: u64) -> Self {
        let foreign = node.parent.is_some_and(Node::is_root) && !place.current.is_root();
        let nested = foreign.then(|| place.tree.nested(place.current, clock::now));
        if let Some(nested) = nested {
            nested.times.enter(now, None);
        }
        local::set_current(Some(node));
        let previous = (!place.lent).then_some(place.current);
        Self { node, previous, nested, special: nested.is_some() || place.lent }
    }

    /// Whether this is a task inside another task's poll.
    #[inline(always)]
    pub(super) fn is_nested(&self) -> bool {
        self.nested.is_some()
    }

    /// Ends the poll; if it returned `Pending`, a wait begins.
    #[inline(always)]
    pub(super) fn end(&self, wait: Option<Wait>) {
        let now = clock::now();
        let ticks = self.node.times.leave(now, wait);
        self.node.count_poll(ticks);
        local::set_current(self.previous);
        if self.special {
            self.end_special(now);
        }
    }

    #[cold]
    fn end_special(&self, now: u64) {
        if let Some(nested) = self.nested {
            let ticks = nested.times.leave(now, None);
            nested.count_poll(ticks);
        }
        if self.previous.is_none() {
            local::end_loan();
        }
    }
}
