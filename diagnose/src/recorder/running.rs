//! A poll that is running, from its start to its end.
//!
//! What the end of a poll needs is filled in where it lies, on the stack of the future's poll, and is not moved: a move would read
//! in one piece what was just written in several, and a processor waits for that longer than for all the rest.

use std::task::Waker;

use super::local::{self, AwaitState, Place};
use super::root::RootPoll;
use super::span::{Span, State};
use crate::clock;
use crate::context;
use crate::live::{self, Anchor, Listed};
use crate::sync::add;
use crate::tree::{Chain, Node, Wait};

/// What the poll around a running one will find again.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Entry {
    /// What was running before: restored as it was, whatever has happened in between. `None` if the thread had no tree
    /// and has one only for this poll.
    previous: Option<&'static Node>,
    /// The node that covers this poll in `previous`, if this is a task inside another task's poll.
    nested: Option<&'static Node>,
    /// The number of the span whose poll is around this one, be it the parent or not.
    pub(super) outer: u64,
    /// The polls around this one that were entered with the same reading.
    pub(super) chain: Chain,
    /// The node above them, or above this one; `None` if that is the root of the tree.
    pub(super) stopper: Option<&'static Node>,
    /// The count of pending children of the poll around this one, without this span.
    outer_pending: i32,
    /// The await at which the body around is.
    outer_awaiting: Option<&'static Node>,
    outer_await_state: AwaitState,
    /// Whether it is recorded.
    is_recorded: bool,
    pub(super) is_root: bool,
    /// Whether it was entered with the reading of the body around it.
    pub(super) is_handed: bool,
    /// Whether it is awaited by the body around it, so that the two stop at the same moment if it is pending.
    pub(super) hands_on: bool,
    /// Whether the body went straight to where it had stopped.
    pub(super) goes_down: bool,
    /// Whether it has waited by itself.
    pub(super) waited: bool,
    /// Of a root.
    pub(super) root: Option<RootPoll>,
}

impl Entry {
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            previous: None,
            nested: None,
            outer: 0,
            chain: Chain::NONE,
            stopper: None,
            outer_pending: 0,
            outer_awaiting: None,
            outer_await_state: AwaitState::NONE,
            is_recorded: false,
            is_root: false,
            is_handed: false,
            hands_on: false,
            goes_down: false,
            waited: false,
            root: None,
        }
    }

    /// A poll begins with the reading of the body around it, which is at the await of a span and has run nothing yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_handed(&mut self, current: &'static Node, outer: u64) {
        self.is_recorded = true;
        self.previous = Some(current);
        self.outer = outer;
        self.is_handed = true;
        self.hands_on = true;
        self.chain = local::chain();
        self.stopper = self.chain.stopper;
        (self.outer_awaiting, self.outer_await_state) = local::awaiting();
    }

    /// A poll begins as most do: under the node that is running.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin(&mut self, node: &'static Node, current: &'static Node, was_pending: bool) {
        self.is_recorded = true;
        self.previous = Some(current);
        self.stopper = node.parent.filter(|parent| !parent.is_root());
        self.save_outer(was_pending);
    }

    /// A poll of a root begins, maybe from inside another task's poll, maybe with a tree that is only lent.
    #[cold]
    pub(super) fn begin_anywhere(&mut self, node: &'static Node, place: Place, now: u64, was_pending: bool) {
        self.is_recorded = true;
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

    /// The poll around this one goes on. It has one child more that is pending, if this is one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn restore_outer(&self, is_pending: bool) {
        local::set_current(self.previous);
        context::set_span(self.outer);
        if self.is_handed {
            local::replace_pending_children(i32::from(is_pending) - 1);
            local::set_awaiting(self.outer_awaiting, self.outer_await_state);
        } else {
            // A task inside another task's poll is nobody's child. The count wraps: between polls it means nothing.
            let is_pending = i32::from(is_pending && self.nested.is_none());
            local::replace_pending_children(self.outer_pending.wrapping_add(is_pending));
            local::set_awaiting(self.outer_awaiting, self.outer_await_state);
        }
    }

    /// The last reading, and with it whether the thread is inside of a poll still.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn set_stamp(&self, now: u64) {
        let is_over = self.previous.is_none_or(Node::is_root);
        context::note_reading(now, is_over);
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
}

/// A poll that is running. Dropped without [`leave`](Running::leave), it was ended by a panic.
#[derive(Debug)]
pub(crate) struct Running<'a> {
    pub(super) span: &'a mut Span,
    pub(super) entry: &'a mut Entry,
    pub(super) outer: &'a Waker,
}

impl Running<'_> {
    /// What the future is polled with.
    #[inline]
    pub(crate) fn waker(&self) -> &Waker {
        self.entry.root.as_ref().and_then(RootPoll::waker).unwrap_or(self.outer)
    }

    /// The poll has returned.
    pub(crate) fn leave(self, is_pending: bool) {
        // Its drop is for panics.
        let mut running = std::mem::ManuallyDrop::new(self);
        if running.entry.is_recorded {
            running.end(is_pending);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end(&mut self, is_pending: bool) {
        let Self { span, entry, .. } = self;
        // A running span has a node.
        let Some(node) = span.node else { return };
        let (up, passing) = local::handed_up();
        let (at, state) = local::awaiting();
        let left;
        if is_pending && passing != 0 && entry.goes_down {
            // The child was entered with the same reading, and has stopped now, and so has everything in between.
            left = up;
            let mut passing = passing - 1;
            if let Some(at) = at {
                at.times.pass();
                passing -= 1;
            }
            node.times.pass();
            if let Some(slot) = span.anchor.and_then(Anchor::slot) {
                slot.leave(up);
            }
            if entry.is_handed {
                local::hand_up(up, passing);
                local::set_current(entry.previous);
                context::set_span(entry.outer);
                local::set_awaiting(entry.outer_awaiting, entry.outer_await_state);
            } else {
                local::hand_up(if entry.hands_on { up } else { 0 }, 0);
                entry.restore_outer(true);
                entry.set_stamp(up);
            }
        } else if is_pending
            && entry.goes_down
            && at.is_some()
            && !state.is_new()
            && !state.is_span()
            && !span.is_in_child
            && local::pending_children() == 0
        {
            left = self.end_at(node, at);
        } else if is_pending {
            left = self.end_pending(node, up);
        } else {
            left = self.end_ready(node);
        }
        if self.entry.is_root {
            self.leave_root(is_pending, left);
        }
    }

    /// The body went straight to its await, and has stopped there again; nothing else has changed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end_at(&mut self, node: &'static Node, at: Option<&'static Node>) -> u64 {
        let Self { span, entry, .. } = self;
        let now = clock::now();
        if let Some(at) = at {
            let chain = Chain { levels: entry.chain.levels + 1, stopper: entry.stopper };
            at.leave(now, Some(span.await_wait()), chain);
        }
        node.times.pass();
        if let Some(slot) = span.anchor.and_then(Anchor::slot) {
            slot.leave(now);
        }
        local::hand_up(if entry.hands_on { now } else { 0 }, entry.chain.levels);
        entry.restore_outer(true);
        entry.set_stamp(now);
        if entry.nested.is_some() || entry.previous.is_none() {
            entry.end_rare(now);
        }
        now
    }

    #[inline(never)]
    fn end_pending(&mut self, node: &'static Node, up: u64) -> u64 {
        let Self { span, entry, .. } = self;
        // The first `Pending`: from now on it is listed as alive.
        if span.anchor.is_none() {
            span.anchor = list(span, node, entry);
        }
        let children = local::pending_children();
        let (at, state) = local::awaiting();
        let now = if up == 0 { clock::now() } else { up };
        // Never below zero: a child may have been pending elsewhere before it came here.
        span.pending_children = span.pending_children.saturating_add(children).max(0);
        span.is_in_child = state.is_span();
        span.depth = state.depth();
        let mut passes = false;
        span.at = at;
        let wait = match at {
            Some(at) => {
                let before = if state.is_new() { 0 } else { span.await_pending };
                span.await_pending = before.saturating_add(children.wrapping_sub(state.base())).max(0);
                // The body went straight to that await, and has stopped there again.
                passes = entry.goes_down && !state.is_new();
                let levels = if passes { entry.chain.levels + 1 } else { 0 };
                at.leave(now, Some(span.await_wait()), Chain { levels, stopper: entry.stopper });
                Wait::Child
            }
            None if span.pending_children == 0 => Wait::Own,
            None => Wait::Child,
        };
        span.state = State::Waiting(wait);
        if let Some(slot) = span.anchor.and_then(Anchor::slot) {
            slot.leave(now);
            slot.follow(at.unwrap_or(node));
        }
        if passes {
            node.times.pass();
        } else {
            node.leave(now, Some(wait), entry.chain);
        }
        local::hand_up(if entry.hands_on { now } else { 0 }, entry.chain.levels);
        entry.restore_outer(true);
        entry.set_stamp(now);
        if entry.nested.is_some() || entry.previous.is_none() {
            entry.end_rare(now);
        }
        now
    }

    #[inline(never)]
    fn end_ready(&mut self, node: &'static Node) -> u64 {
        let Self { span, entry, .. } = self;
        let now = clock::now();
        span.pending_children = 0;
        span.at = None;
        span.state = State::Done;
        span.unlist();
        if entry.waited {
            local::charge(node);
        }
        add(&node.completed, 1);
        node.leave(now, None, Chain::NONE);
        local::hand_up(0, 0);
        entry.restore_outer(false);
        entry.set_stamp(now);
        if entry.nested.is_some() || entry.previous.is_none() {
            entry.end_rare(now);
        }
        now
    }
}

impl Drop for Running<'_> {
    #[cold]
    fn drop(&mut self) {
        if !self.entry.is_recorded {
            return;
        }
        let Self { span, entry, .. } = self;
        let Some(node) = span.node else { return };
        let now = clock::now();
        if let (Some(at), _) = local::awaiting() {
            add(&at.panicked, 1);
            at.leave(now, None, Chain::NONE);
        }
        span.pending_children = 0;
        span.at = None;
        span.state = State::Done;
        span.unlist();
        add(&node.panicked, 1);
        node.leave(now, None, Chain::NONE);
        local::hand_down(None, 0);
        local::hand_up(0, 0);
        entry.restore_outer(false);
        entry.set_stamp(now);
        if entry.nested.is_some() || entry.previous.is_none() {
            entry.end_rare(now);
        }
        self.leave_root(false, now);
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
