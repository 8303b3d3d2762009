//! A running poll, from its start to its end.

use std::task::Waker;

use super::local;
use super::poll_entry::PollEntry;
use super::span::{Span, SpanState};
use crate::clock;
use crate::context;
use crate::live::{self, PollWaker, SlotCopy, SlotRef};
use crate::sync::add;
use crate::tree::{Node, PassingChain, WaitAccount};

/// A running poll. Dropping it without [`leave`](RunningPoll::leave) records a panic.
#[derive(Debug)]
pub(crate) struct RunningPoll<'a> {
    span: &'a mut Span,
    entry: &'a mut PollEntry,
    outer: &'a Waker,
}

impl<'a> RunningPoll<'a> {
    /// Starts a poll of `span` with the executor's waker.
    #[inline]
    pub(crate) fn enter(span: &'a mut Span, entry: &'a mut PollEntry, outer: &'a Waker) -> Self {
        span.enter(entry, outer);
        Self { span, entry, outer }
    }

    /// The waker to poll the future with.
    #[inline]
    pub(crate) fn waker(&self) -> &Waker {
        self.entry.waker.as_ref().map_or(self.outer, PollWaker::get)
    }

    /// Records that the poll has returned.
    #[inline]
    pub(crate) fn leave(self, is_pending: bool) {
        // `Drop` is for panics only.
        let mut running = std::mem::ManuallyDrop::new(self);
        let Self { span, entry, .. } = &mut *running;
        span.leave(entry, is_pending);
    }
}

impl Span {
    /// Records that the poll has returned. In deep call chains, most spans around a pending one
    /// only pass that on.
    fn leave(&mut self, entry: &mut PollEntry, is_pending: bool) {
        if is_pending && entry.begun.goes_down {
            // The chain counts this span's nodes too: see `go_on_at`.
            let passing = local::passing();
            if passing > u32::from(self.at.is_some()) {
                return self.leave_through(entry, passing);
            }
            if self.has_stayed() {
                return self.leave_again(entry);
            }
        }
        if entry.is_recorded() {
            self.leave_other(entry, is_pending);
        } else {
            self.leave_unrecorded(entry, is_pending);
        }
    }

    /// Ends a poll that only passed through: the span inside was entered with the same reading, and
    /// has just stopped.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leave_through(&mut self, entry: &mut PollEntry, passing: u32) {
        // A running span has a node.
        let Some(node) = self.node else { return };
        let now = local::up();
        let mut passing = passing - 1;
        node.times.pass();
        if let Some(at) = self.at {
            at.times.pass();
            passing -= 1;
        }
        if let Some(slot) = self.anchor.and_then(SlotRef::slot) {
            slot.leave(now);
        }
        if passing != 0 {
            // The body around passes it on as well, and reads nothing that would have to be
            // restored.
            return local::set_passing(passing);
        }
        self.end_through(entry, node, now);
    }

    #[inline(never)]
    fn end_through(&mut self, entry: &mut PollEntry, node: &'static Node, now: u64) {
        entry.hand_up(now, 0);
        entry.restore_outer(node, now, true);
        if entry.begun.is_root {
            self.leave_root(entry, node, true, now);
        }
    }

    #[inline(never)]
    fn leave_other(&mut self, entry: &mut PollEntry, is_pending: bool) {
        let Some(node) = self.node else { return };
        let left = if is_pending { self.end_pending(entry, node) } else { self.end_ready(entry, node) };
        if entry.begun.is_root {
            self.leave_root(entry, node, is_pending, left);
        }
    }

    #[inline(never)]
    fn end_pending(&mut self, entry: &mut PollEntry, node: &'static Node) -> u64 {
        let (at, state) = local::awaiting();
        // List the span as alive on its first `Pending`.
        if self.anchor.is_none() {
            self.anchor = list(self, node, entry);
            self.note_first_poll(node.times.entered());
        }
        let children = local::pending_children();
        let up = local::up();
        let now = if up == 0 { clock::now() } else { up };
        // Never below zero: a child may have been pending under another parent before it came here.
        self.pending_children = self.pending_children.saturating_add(children).max(0);
        self.is_in_child = state.is_span();
        self.depth = state.depth();
        let mut goes_on = false;
        self.at = at;
        let wait = match at {
            Some(at) => {
                let before = if state.is_new() { 0 } else { self.await_pending };
                self.await_pending = before.saturating_add(children.wrapping_sub(state.base())).max(0);
                // The body resumed at this await, and has stopped there again.
                goes_on = entry.begun.goes_down && !state.is_new();
                let levels = if goes_on { entry.levels + 1 } else { 0 };
                at.leave(now, Some(self.await_wait()), PassingChain { levels, stopper: entry.stopper });
                WaitAccount::Child
            }
            None if self.pending_children == 0 => WaitAccount::Own,
            None => WaitAccount::Child,
        };
        self.state = SpanState::Waiting(wait);
        self.resume = self.resume_after(wait);
        if let Some(slot) = self.anchor.and_then(SlotRef::slot) {
            slot.leave(now);
            slot.follow(at.unwrap_or(node));
        }
        if goes_on {
            node.times.pass();
        } else {
            node.leave(now, Some(wait), entry.chain());
        }
        entry.hand_up(now, entry.levels);
        entry.restore_outer(node, now, true);
        now
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end_ready(&mut self, entry: &mut PollEntry, node: &'static Node) -> u64 {
        let now = clock::now();
        if let (Some(at), _) = local::awaiting() {
            leave_open(at, now);
        }
        // Most calls end in their first poll, and are as long as that.
        let first = if matches!(self.state, SpanState::Unpolled) { None } else { self.first_poll() };
        self.end(SpanState::Done);
        if entry.begun.waited {
            local::charge(node);
        }
        let length = node.leave(now, None, PassingChain::NONE);
        node.complete(first.map_or(length, |first| now.saturating_sub(first)));
        local::hand_up(0, 0);
        entry.restore_outer(node, now, false);
        now
    }
}

// Inlined, so that the dropped value stays in registers.
impl Drop for RunningPoll<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.span.panic(self.entry);
    }
}

impl Span {
    #[cold]
    #[inline(never)]
    fn panic(&mut self, entry: &mut PollEntry) {
        if !entry.is_recorded() {
            return self.panic_unrecorded(entry);
        }
        let Some(node) = self.node else { return };
        let now = clock::now();
        if let (Some(at), _) = local::awaiting() {
            add(&at.panicked, 1);
            at.leave(now, None, PassingChain::NONE);
        }
        self.end(SpanState::Done);
        add(&node.panicked, 1);
        node.leave(now, None, PassingChain::NONE);
        local::hand_down(None, 0);
        local::hand_up(0, 0);
        entry.restore_outer(node, now, false);
        self.leave_root(entry, node, false, now);
    }
}

/// Ends an await that the body left without ending it, as a macro's code may.
#[cold]
fn leave_open(at: &'static Node, now: u64) {
    add(&at.completed, 1);
    at.leave(now, None, PassingChain::NONE);
}

/// The id of the span that polls this one; zero for a root, wherever it is polled.
pub(super) fn parent_id(node: &Node, entry: &PollEntry) -> u64 {
    if node.parent.is_some_and(Node::is_root) { 0 } else { entry.outer }
}

fn list(span: &Span, node: &'static Node, entry: &PollEntry) -> Option<&'static SlotRef> {
    let entered = node.times.entered();
    let numbers = (context::span(), parent_id(node, entry));
    live::take(&SlotCopy::new(numbers, (live::SlotState::Running, span.made_at(entered), entered), node))
}
