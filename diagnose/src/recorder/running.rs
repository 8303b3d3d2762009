//! A poll that is running, from its start to its end.
//!
//! What the end of a poll needs is filled in where it lies, on the stack of the future's poll, and is not moved: a move would read
//! in one piece what was just written in several, and a processor waits for that longer than for all the rest.

use std::task::Waker;

use super::local::{self, AwaitState, Place};
use super::root::{Around, RootPoll};
use super::span::{Span, State};
use crate::clock;
use crate::context;
use crate::live::{self, Anchor, Listed};
use crate::sync::add;
use crate::tree::{Chain, Node, Wait};

/// How a poll was begun, and so what its end has to restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Not at all: it is not recorded.
    Unrecorded,
    /// With the reading of the body around it, which goes on at the await that polls this.
    Handed,
    /// With a reading of its own, below the node that was running.
    Below,
    /// Outside of every other poll.
    Outermost,
}

/// What the poll around a running one will find again.
// The order keeps `outer_awaiting` and `outer_await_state` apart. Side by side, the compiler copies both with one load of 16 bytes,
// which stalls, because they were just written with two stores of 8.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Entry {
    how: How,
    pub(super) is_root: bool,
    /// Whether it is awaited by the body around it, so that the two stop at the same moment if it is pending.
    pub(super) hands_on: bool,
    /// Whether the body went straight to where it had stopped.
    pub(super) goes_down: bool,
    /// Whether it has waited by itself.
    pub(super) waited: bool,
    /// The count of pending children of the poll around this one, without this span.
    outer_pending: i32,
    /// The await at which the body around is.
    outer_awaiting: Option<&'static Node>,
    /// The polls around this one that were entered with the same reading, and the node above them, or above this one.
    pub(super) chain: Chain,
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
    /// Of a root, what it runs inside of.
    pub(super) around: Option<Around>,
}

impl Entry {
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            how: How::Unrecorded,
            is_root: false,
            hands_on: false,
            goes_down: false,
            waited: false,
            outer_pending: 0,
            outer_awaiting: None,
            chain: Chain::NONE,
            outer: 0,
            outer_await_state: AwaitState::NONE,
            previous: None,
            nested: None,
            root: None,
            around: None,
        }
    }

    /// Whether it was entered with the reading of the body around it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_handed(&self) -> bool {
        self.how == How::Handed
    }

    /// A poll begins with the reading of the body around it, which is at the await of a span and has run nothing yet. Returns
    /// the polls that were entered with it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_handed(&mut self, outer: u64) -> Chain {
        let chain = local::chain();
        self.how = How::Handed;
        self.hands_on = true;
        self.outer = outer;
        self.chain = chain;
        (self.outer_awaiting, self.outer_await_state) = local::awaiting();
        chain
    }

    /// A poll begins as most do: under the node that is running.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin(&mut self, node: &'static Node, was_pending: bool) {
        self.how = How::Below;
        self.previous = node.parent;
        self.chain.stopper = node.parent.filter(|parent| !parent.is_root());
        self.save_outer(was_pending);
    }

    /// A poll of a root begins, outside of every other.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_outermost(&mut self) {
        self.how = How::Outermost;
        self.is_root = true;
        local::replace_pending_children(0);
    }

    /// A poll of a root begins, maybe from inside another task's poll, maybe with a tree that is only lent.
    #[cold]
    pub(super) fn begin_anywhere(&mut self, node: &'static Node, place: Place, now: u64, was_pending: bool) {
        self.how = How::Below;
        let foreign = node.parent.is_some_and(Node::is_root) && !place.current.is_root();
        if foreign {
            let nested = place.tree.nested(place.current, clock::now);
            nested.times.enter(now, None);
            self.nested = Some(nested);
        }
        self.previous = (!place.lent).then_some(place.current);
        self.chain.stopper = node.parent.filter(|parent| !parent.is_root());
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
    fn restore_outer(&self, node: &'static Node, now: u64, is_pending: bool) {
        if self.how == How::Outermost {
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
            nested.leave(now, None, Chain::NONE);
        }
        if self.previous.is_none() {
            local::end_loan();
        }
    }

    /// What this hands to the body around, which awaits it.
    #[inline]
    fn hand_up(&self, now: u64, passing: u32) {
        local::hand_up(if self.hands_on { now } else { 0 }, passing);
    }
}

/// A poll that is running. Dropped without [`leave`](Running::leave), it was ended by a panic.
#[derive(Debug)]
pub(crate) struct Running<'a> {
    span: &'a mut Span,
    entry: &'a mut Entry,
    outer: &'a Waker,
}

impl<'a> Running<'a> {
    /// A poll of that span starts, with the executor's waker.
    #[inline]
    pub(crate) fn enter(span: &'a mut Span, entry: &'a mut Entry, outer: &'a Waker) -> Self {
        span.enter(entry, outer);
        Self { span, entry, outer }
    }

    /// What the future is polled with.
    #[inline]
    pub(crate) fn waker(&self) -> &Waker {
        self.entry.root.as_ref().and_then(RootPoll::waker).unwrap_or(self.outer)
    }

    /// The poll has returned.
    #[inline]
    pub(crate) fn leave(self, is_pending: bool) {
        // Its drop is for panics.
        let mut running = std::mem::ManuallyDrop::new(self);
        let Self { span, entry, .. } = &mut *running;
        span.leave(entry, is_pending);
    }
}

impl Span {
    /// The poll has returned. Most often where calls are deep, what is around a pending span only passes that on.
    fn leave(&mut self, entry: &mut Entry, is_pending: bool) {
        if is_pending && entry.goes_down {
            let passing = local::passing();
            if passing != 0 {
                return self.leave_through(entry, passing);
            }
        }
        if entry.how != How::Unrecorded {
            self.leave_other(entry, is_pending);
        }
    }

    /// The span inside was entered with the same reading, and has stopped now, and so has everything in between.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leave_through(&mut self, entry: &mut Entry, passing: u32) {
        // A running span has a node.
        let Some(node) = self.node else { return };
        let now = local::up();
        let mut passing = passing - 1;
        node.times.pass();
        if let Some(at) = self.at {
            at.times.pass();
            passing -= 1;
        }
        if let Some(slot) = self.anchor.and_then(Anchor::slot) {
            slot.leave(now);
        }
        if passing != 0 {
            // The body around passes it on as well, and looks at nothing that would have to be restored.
            return local::set_passing(passing);
        }
        self.end_through(entry, node, now);
    }

    #[inline(never)]
    fn end_through(&mut self, entry: &mut Entry, node: &'static Node, now: u64) {
        entry.hand_up(now, 0);
        entry.restore_outer(node, now, true);
        if entry.is_root {
            self.leave_root(entry, node, true, now);
        }
    }

    #[inline(never)]
    fn leave_other(&mut self, entry: &mut Entry, is_pending: bool) {
        let Some(node) = self.node else { return };
        let left = if is_pending {
            let (at, state) = local::awaiting();
            match at {
                Some(at)
                    if entry.goes_down
                        && state.is_old()
                        && !self.is_in_child
                        && local::pending_children() == 0 =>
                {
                    self.end_at(entry, node, at)
                }
                _ => self.end_pending(entry, node, (at, state)),
            }
        } else {
            self.end_ready(entry, node)
        };
        if entry.is_root {
            self.leave_root(entry, node, is_pending, left);
        }
    }

    /// The body went straight to its await, and has stopped there again; nothing else has changed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end_at(&mut self, entry: &mut Entry, node: &'static Node, at: &'static Node) -> u64 {
        let now = clock::now();
        let Chain { levels, stopper } = entry.chain;
        at.leave(now, Some(self.await_wait()), Chain { levels: levels + 1, stopper });
        node.times.pass();
        if let Some(slot) = self.anchor.and_then(Anchor::slot) {
            slot.leave(now);
        }
        entry.hand_up(now, levels);
        // What is around and passes it on looks at nothing that would have to be restored.
        if levels == 0 {
            entry.restore_outer(node, now, true);
        }
        now
    }

    #[inline(never)]
    fn end_pending(
        &mut self,
        entry: &mut Entry,
        node: &'static Node,
        (at, state): (Option<&'static Node>, AwaitState),
    ) -> u64 {
        // The first `Pending`: from now on it is listed as alive.
        if self.anchor.is_none() {
            self.anchor = list(self, node, entry);
        }
        let children = local::pending_children();
        let up = local::up();
        let now = if up == 0 { clock::now() } else { up };
        // Never below zero: a child may have been pending elsewhere before it came here.
        self.pending_children = self.pending_children.saturating_add(children).max(0);
        self.is_in_child = state.is_span();
        self.depth = state.depth();
        let mut goes_on = false;
        self.at = at;
        let wait = match at {
            Some(at) => {
                let before = if state.is_new() { 0 } else { self.await_pending };
                self.await_pending = before.saturating_add(children.wrapping_sub(state.base())).max(0);
                // The body went straight to that await, and has stopped there again.
                goes_on = entry.goes_down && !state.is_new();
                let levels = if goes_on { entry.chain.levels + 1 } else { 0 };
                at.leave(now, Some(self.await_wait()), Chain { levels, stopper: entry.chain.stopper });
                Wait::Child
            }
            None if self.pending_children == 0 => Wait::Own,
            None => Wait::Child,
        };
        self.state = State::Waiting(wait);
        self.passes = self.can_pass(wait);
        if let Some(slot) = self.anchor.and_then(Anchor::slot) {
            slot.leave(now);
            slot.follow(at.unwrap_or(node));
        }
        if goes_on {
            node.times.pass();
        } else {
            node.leave(now, Some(wait), entry.chain);
        }
        entry.hand_up(now, entry.chain.levels);
        entry.restore_outer(node, now, true);
        now
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end_ready(&mut self, entry: &mut Entry, node: &'static Node) -> u64 {
        let now = clock::now();
        self.end(State::Done);
        if entry.waited {
            local::charge(node);
        }
        add(&node.completed, 1);
        node.leave(now, None, Chain::NONE);
        local::hand_up(0, 0);
        entry.restore_outer(node, now, false);
        now
    }
}

impl Drop for Running<'_> {
    #[cold]
    fn drop(&mut self) {
        let Self { span, entry, .. } = self;
        let Some(node) = span.node.filter(|_| entry.how != How::Unrecorded) else { return };
        let now = clock::now();
        if let (Some(at), _) = local::awaiting() {
            add(&at.panicked, 1);
            at.leave(now, None, Chain::NONE);
        }
        span.end(State::Done);
        add(&node.panicked, 1);
        node.leave(now, None, Chain::NONE);
        local::hand_down(None, 0);
        local::hand_up(0, 0);
        entry.restore_outer(node, now, false);
        span.leave_root(entry, node, false, now);
    }
}

/// The number of the span that polls this one; zero for a root, whatever it is polled in.
pub(super) fn parent_id(node: &Node, entry: &Entry) -> u64 {
    if node.parent.is_some_and(Node::is_root) { 0 } else { entry.outer }
}

/// Lists the span as alive.
fn list(span: &Span, node: &'static Node, entry: &Entry) -> Option<&'static Anchor> {
    let entered = node.times.entered();
    let numbers = (context::span(), parent_id(node, entry));
    live::take(&Listed::new(numbers, (live::State::Running, span.made_at(entered), entered), node))
}
