//! A poll that is running, from its start to its end.

use super::local::{self, AwaitState};
use super::span::{Span, State};
use super::visit::Visit;
use crate::clock;
use crate::live::Anchor;
use crate::sync::add;
use crate::tree::{Node, Wait};

/// What the poll around a running one will find again.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(super) visit: Visit,
    /// The count of pending children of the poll around this one, without this span.
    pub(super) outer_pending: i32,
    /// The number of the span whose poll is around this one, be it the parent or not.
    pub(super) outer: u64,
    /// Whether it is awaited by the body around it, so that the two stop at the same moment if it is pending.
    pub(super) hands_on: bool,
    /// Whether it has waited by itself.
    waited: bool,
    /// The await at which the body around is.
    outer_awaiting: Option<&'static Node>,
    outer_await_state: AwaitState,
}

impl Entry {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new() -> Self {
        Self {
            visit: Visit::new(),
            outer_pending: 0,
            outer: 0,
            hands_on: false,
            waited: false,
            outer_awaiting: None,
            outer_await_state: AwaitState::NONE,
        }
    }

    /// No await of the body is running yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_awaits(&mut self) {
        (self.outer_awaiting, self.outer_await_state) = local::awaiting();
        local::set_awaiting(None, AwaitState::NONE);
    }

    /// A wait of its own, or of what is below, ends with this poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_wait_end(&mut self, node: &'static Node, wait: Wait) {
        if wait == Wait::Own {
            self.waited = true;
            local::polled_again(node);
        }
    }
}

/// A poll that is running, and recorded. Dropped without [`leave`](Running::leave), it was ended by a panic.
#[derive(Debug)]
pub(crate) struct Running<'a> {
    pub(crate) span: &'a mut Span,
    pub(crate) entry: &'a mut Entry,
}

impl Running<'_> {
    /// The poll has returned.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn leave(mut self, pending: bool) {
        self.end(pending);
        // Its drop is for panics.
        std::mem::forget(self);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end(&mut self, pending: bool) {
        let Self { span, entry } = self;
        // A running span has a node.
        let Some(node) = span.node else { return };
        // The first `Pending`: from now on it is listed as alive.
        if pending && span.anchor.is_none() {
            span.anchor = span.list(node, entry);
        }
        // A task inside another task's poll is nobody's child. The count wraps: between polls it means nothing.
        let is_pending = i32::from(pending && !entry.visit.is_nested());
        let children = local::replace_pending_children(entry.outer_pending.wrapping_add(is_pending));
        local::set_id(entry.outer);
        let (at, state) = local::awaiting();
        local::set_awaiting(entry.outer_awaiting, entry.outer_await_state);
        // Handed on by the await at which the body has stopped.
        let stamp = local::take_stamp();
        let now = if stamp == 0 { clock::now() } else { stamp };
        if pending {
            // Never below zero: a child may have been pending elsewhere before it came here.
            span.pending_children = span.pending_children.saturating_add(children).max(0);
            span.is_in_child = state.is_span;
            span.at = at;
            let wait = match at {
                Some(at) => {
                    let before = if state.is_new { 0 } else { span.await_pending };
                    span.await_pending = before.saturating_add(children.wrapping_sub(state.base)).max(0);
                    let ticks = at.times.leave(now, Some(span.await_wait()));
                    at.count_poll(ticks);
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
            if entry.hands_on {
                local::set_stamp(now);
            }
            entry.visit.end(node, now, Some(wait));
        } else {
            span.pending_children = 0;
            span.at = None;
            span.state = State::Done;
            span.unlist();
            if entry.waited {
                local::charge(node);
            }
            add(&node.completed, 1);
            entry.visit.end(node, now, None);
        }
    }
}

impl Drop for Running<'_> {
    #[cold]
    fn drop(&mut self) {
        let Self { span, entry } = self;
        let Some(node) = span.node else { return };
        local::replace_pending_children(entry.outer_pending);
        local::set_id(entry.outer);
        let now = clock::now();
        if let (Some(at), _) = local::awaiting() {
            add(&at.panicked, 1);
            let ticks = at.times.leave(now, None);
            at.count_poll(ticks);
        }
        local::set_awaiting(entry.outer_awaiting, entry.outer_await_state);
        span.pending_children = 0;
        span.at = None;
        span.state = State::Done;
        span.unlist();
        add(&node.panicked, 1);
        entry.visit.end(node, now, None);
    }
}

/// The number of the span that polls this one; zero for a root, whatever it is polled in.
pub(super) fn parent_id(node: &Node, entry: &Entry) -> u64 {
    if node.parent.is_some_and(Node::is_root) { 0 } else { entry.outer }
}
