//! What the end of a poll needs of its start.
//!
//! It is filled in where it lies, on the stack of the future's poll, and is not moved: a move would read in one piece what was
//! just written in several, and a processor waits for that longer than for all the rest.

use super::await_state::AwaitState;
use super::local::{self, TreePosition};
use super::root::RootPoll;
use crate::clock;
use crate::context;
use crate::tree::{Node, PassingChain};

/// How a poll was begun, and so what its end has to restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PollStartKind {
    /// Not at all: it is not recorded.
    Unrecorded,
    /// Not recorded, inside of a poll that is.
    Hidden,
    /// With the reading of the body around it, which goes on at the await that polls this.
    Handed,
    /// With a reading of its own, below the node that was running.
    Below,
    /// Outside of every other poll.
    Outermost,
}

/// How a poll was begun: one word, written with one store.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(8))]
pub(super) struct PollStart {
    how: PollStartKind,
    pub(super) is_root: bool,
    /// Whether it is awaited by the body around it, so that the two stop at the same moment if it is pending.
    pub(super) hands_on: bool,
    /// Whether the body went straight to where it had stopped.
    pub(super) goes_down: bool,
    /// Whether it has waited by itself.
    pub(super) waited: bool,
}

impl PollStart {
    fn new(how: PollStartKind) -> Self {
        Self { how, is_root: false, hands_on: false, goes_down: false, waited: false }
    }
}

/// What the poll around a running one will find again.
// The order keeps `outer_awaiting` and `outer_await_state` apart. Side by side, the compiler copies both with one load of 16 bytes,
// which stalls, because they were just written with two stores of 8.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct PollEntry {
    pub(super) begun: PollStart,
    /// The count of pending children of the poll around this one, without this span.
    outer_pending: i32,
    /// The polls around this one that were entered with the same reading.
    pub(super) levels: u32,
    /// The node above them, or above this one.
    pub(super) stopper: Option<&'static Node>,
    /// The await at which the body around is.
    outer_awaiting: Option<&'static Node>,
    /// The number of the span whose poll is around this one, be it the parent or not.
    pub(super) outer: u64,
    outer_await_state: AwaitState,
    /// Of one that is [`Below`](How::Below) another, what was running before: restored as it was, whatever has happened in
    /// between. `None` if the thread had no tree and has one only for this poll.
    previous: Option<&'static Node>,
    /// The node that covers this poll in `previous`, if this is a task inside another task's poll.
    nested: Option<&'static Node>,
    /// Of a root.
    pub(super) root: Option<RootPoll>,
}

impl PollEntry {
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            begun: PollStart::new(PollStartKind::Unrecorded),
            outer_pending: 0,
            levels: 0,
            stopper: None,
            outer_awaiting: None,
            outer: 0,
            outer_await_state: AwaitState::NONE,
            previous: None,
            nested: None,
            root: None,
        }
    }

    #[inline]
    pub(super) fn is_recorded(&self) -> bool {
        !matches!(self.begun.how, PollStartKind::Unrecorded | PollStartKind::Hidden)
    }

    /// A poll begins that is not recorded: its awaits are not those of the body around, even where it is the same function.
    pub(super) fn begin_unrecorded(&mut self) {
        if local::current().is_some_and(|current| !current.is_root()) {
            self.begun.how = PollStartKind::Hidden;
            (self.outer_awaiting, self.outer_await_state) = local::awaiting();
            local::set_awaiting(None, AwaitState::HIDDEN);
        }
    }

    pub(super) fn end_unrecorded(&self) {
        if self.begun.how == PollStartKind::Hidden {
            local::set_awaiting(self.outer_awaiting, self.outer_await_state);
        }
    }

    /// Whether it was entered with the reading of the body around it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_handed(&self) -> bool {
        self.begun.how == PollStartKind::Handed
    }

    /// The polls around this one that were entered with the same reading.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn chain(&self) -> PassingChain {
        PassingChain { levels: self.levels, stopper: self.stopper }
    }

    /// A poll begins with the reading of the body around it, which is at the await of a span and has run nothing yet. Returns
    /// the polls that were entered with it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_handed(&mut self, outer: u64, goes_down: bool) -> PassingChain {
        let chain = local::chain();
        self.begun = PollStart { hands_on: true, goes_down, ..PollStart::new(PollStartKind::Handed) };
        self.outer = outer;
        (self.levels, self.stopper) = (chain.levels, chain.stopper);
        (self.outer_awaiting, self.outer_await_state) = local::awaiting();
        chain
    }

    /// A poll begins as most do: under the node that is running.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin(&mut self, node: &'static Node, was_pending: bool) {
        self.begun.how = PollStartKind::Below;
        self.previous = node.parent;
        self.stopper = node.parent.filter(|parent| !parent.is_root());
        self.save_outer(was_pending);
    }

    /// A poll of a root begins, outside of every other.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_outermost(&mut self) {
        self.begun.how = PollStartKind::Outermost;
        self.begun.is_root = true;
        local::replace_pending_children(0);
    }

    /// A poll of a root begins, maybe from inside another task's poll, maybe with a tree that is only lent.
    #[cold]
    pub(super) fn begin_anywhere(
        &mut self,
        node: &'static Node,
        place: TreePosition,
        now: u64,
        was_pending: bool,
    ) {
        self.begun.how = PollStartKind::Below;
        let foreign = node.parent.is_some_and(Node::is_root) && !place.current.is_root();
        if foreign {
            let nested = place.tree.nested(place.current, clock::now);
            nested.times.enter(now, None);
            self.nested = Some(nested);
        }
        self.previous = (!place.lent).then_some(place.current);
        self.stopper = node.parent.filter(|parent| !parent.is_root());
        self.save_outer(was_pending && !foreign);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn save_outer(&mut self, was_pending: bool) {
        let pending = local::replace_pending_children(0);
        self.outer_pending = pending.wrapping_sub(i32::from(was_pending));
        (self.outer_awaiting, self.outer_await_state) = local::awaiting();
    }

    /// The poll of `node` is over at `now`, and the one around it goes on. That has one child more that is pending, if this is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn restore_outer(&self, node: &'static Node, now: u64, is_pending: bool) {
        if self.begun.how == PollStartKind::Outermost {
            local::set_current(node.parent);
            context::set_span(0);
            local::set_awaiting(None, AwaitState::NONE);
            return context::note_reading(now, true);
        }
        context::set_span(self.outer);
        local::set_awaiting(self.outer_awaiting, self.outer_await_state);
        if self.is_handed() {
            local::set_current(node.parent);
            local::replace_pending_children(i32::from(is_pending) - 1);
            return context::note_reading(now, false);
        }
        local::set_current(self.previous);
        // A task inside another task's poll is nobody's child. The count wraps: between polls it means nothing.
        let is_pending = i32::from(is_pending && self.nested.is_none());
        local::replace_pending_children(self.outer_pending.wrapping_add(is_pending));
        // The last reading, and with it whether the thread is inside of a poll still.
        context::note_reading(now, self.previous.is_none_or(Node::is_root));
        if self.nested.is_some() || self.previous.is_none() {
            self.end_rare(now);
        }
    }

    #[cold]
    fn end_rare(&self, now: u64) {
        if let Some(nested) = self.nested {
            nested.leave(now, None, PassingChain::NONE);
        }
        if self.previous.is_none() {
            local::end_loan();
        }
    }

    /// What this hands to the body around, which awaits it.
    #[inline]
    pub(super) fn hand_up(&self, now: u64, passing: u32) {
        local::hand_up(if self.begun.hands_on { now } else { 0 }, passing);
    }
}
