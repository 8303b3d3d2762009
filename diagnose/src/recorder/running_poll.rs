//! A running poll, from its start to its end.

use std::ptr;
use std::task::Waker;

use super::local;
use super::poll_entry::PollEntry;
use super::resume::Resume;
use super::span::{Span, SpanState};
use crate::clock;
use crate::context;
use crate::live::{self, Memory, PollWaker, SlotCopy};
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

    /// Records that the poll has returned. If the future never moves again, it occupies the `words`
    /// words before the span.
    #[inline]
    pub(crate) fn leave(self, is_pending: bool, words: u32) {
        // `Drop` is for panics only.
        let mut running = std::mem::ManuallyDrop::new(self);
        let Self { span, entry, .. } = &mut *running;
        span.leave(entry, is_pending, words);
    }
}

impl Span {
    /// Records that the poll has returned. In deep call chains, most spans around a pending one
    /// only pass the `Pending` on.
    fn leave(&mut self, entry: &mut PollEntry, is_pending: bool, words: u32) {
        if is_pending {
            if entry.begun.goes_down && local::is_passing() {
                return self.leave_through(entry);
            }
            if entry.begun.goes_down && self.has_stayed() {
                return self.leave_again(entry);
            }
            if entry.is_recorded() {
                if matches!(self.state, SpanState::Unpolled) {
                    if local::is_in_one_span() {
                        return self.leave_first_in_span(entry, words);
                    }
                    return self.leave_first(entry, words);
                }
                return self.leave_pending(entry, words);
            }
        } else if entry.is_recorded() {
            let is_first = matches!(self.state, SpanState::Unpolled);
            return if is_first { self.leave_once(entry) } else { self.leave_ready(entry) };
        }
        self.leave_unrecorded(entry, is_pending);
    }

    /// Ends a poll that only passed through: the span inside was entered with the same reading, and
    /// has just stopped.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leave_through(&mut self, entry: &mut PollEntry) {
        // A running span has a node.
        let Some(node) = self.node else { return };
        let now = local::up();
        node.times.pass();
        if let Some(at) = self.at {
            at.times.pass();
        }
        if let Some(slot) = self.slot {
            slot.leave(now);
        }
        // If the body around handed its reading down, it passes the `Pending` on as well. It reads
        // no state, so nothing has to be restored.
        if !entry.is_handed() {
            self.end_through(entry, node, now);
        }
    }

    /// Ends the first poll of a call that stopped at an await of its own: the usual case.
    #[inline(never)]
    fn leave_first(&mut self, entry: &mut PollEntry, words: u32) {
        let (at, state) = local::awaiting();
        let has_children = local::pending_children() != 0 || state.base() != 0;
        let (Some(node), Some(at), None, false) = (self.node, at, self.slot, has_children || state.is_span())
        else {
            return self.leave_pending(entry, words);
        };
        let entered = node.times.entered();
        let now = clock::now();
        let listed = to_list(self, words, node, entry, entered).after_first(now, at);
        let Some(slot) = live::take(&listed) else { return self.leave_pending(entry, words) };
        self.slot = Some(slot);
        self.made = entered;
        self.at = Some(at);
        self.depth = state.depth();
        self.outer_depth = entry.outer().1.depth();
        self.state = SpanState::Waiting(WaitAccount::Child);
        self.resume = Resume::AtAwait;
        at.leave_after(now, (None, Some(WaitAccount::Own)), PassingChain::NONE);
        node.leave_after(now, (None, Some(WaitAccount::Child)), PassingChain::NONE);
        entry.hand_up(now, false);
        self.restore_outer(entry, node, now, true);
        self.leave_root(entry, node, true, now);
    }

    /// Ends the first poll of a call that stopped at the await of a span, and waits for that alone.
    /// Both have stopped at the same moment.
    #[inline(never)]
    fn leave_first_in_span(&mut self, entry: &mut PollEntry, words: u32) {
        let (Some(node), None) = (self.node, self.slot) else { return self.leave_pending(entry, words) };
        let now = local::up();
        let entered = node.times.entered();
        let listed = to_list(self, words, node, entry, entered).after_first(now, node);
        let Some(slot) = live::take(&listed) else { return self.leave_pending(entry, words) };
        self.slot = Some(slot);
        self.made = entered;
        self.pending_children = 1;
        self.await_pending = 1;
        self.outer_depth = entry.outer().1.depth();
        self.state = SpanState::Waiting(WaitAccount::Child);
        self.resume = Resume::InSpan;
        node.leave_after(now, (None, Some(WaitAccount::Child)), PassingChain::NONE);
        entry.hand_up(now, false);
        self.restore_outer(entry, node, now, true);
        self.leave_root(entry, node, true, now);
    }

    /// Ends any other poll that returned `Pending`.
    #[inline(never)]
    fn leave_pending(&mut self, entry: &mut PollEntry, words: u32) {
        let Some(node) = self.node else { return };
        let (at, state) = local::awaiting();
        // List the span as alive on its first `Pending`.
        if self.slot.is_none() {
            let entered = node.times.entered();
            self.slot = live::take(&to_list(self, words, node, entry, entered));
            self.note_first_poll(entered);
        }
        if !entry.is_handed() {
            self.outer_depth = entry.outer().1.depth();
        }
        let children = local::pending_children();
        let up = local::up();
        let now = if up == 0 { clock::now() } else { up };
        // What the body has left pending at the same await before is still pending there, and what
        // became pending in between is not.
        let is_again = at.is_some_and(|at| self.at.is_some_and(|before| ptr::eq(at, before)));
        if state.is_new() && !is_again {
            self.await_pending = 0;
        }
        let base = if is_again { state.base().max(0) } else { state.base() };
        if children != 0 || base != 0 {
            self.count_children(children, base);
        }
        self.depth = state.depth();
        self.at = at;
        let wait =
            if at.is_none() && self.pending_children == 0 { WaitAccount::Own } else { WaitAccount::Child };
        self.state = SpanState::Waiting(wait);
        self.resume = self.resume_after(wait, state.is_span());
        if let Some(slot) = self.slot {
            slot.leave(now);
            slot.follow(at.unwrap_or(node));
        }
        // The body resumed at this await, and has stopped there again.
        let goes_on = at.is_some() && entry.begun.goes_down && !state.is_new();
        if let Some(at) = at {
            let chain = if goes_on { PassingChain::through(entry.stopper(node)) } else { PassingChain::NONE };
            at.leave(now, Some(self.await_wait()), chain);
        }
        if goes_on {
            node.times.pass();
        } else {
            node.leave(now, Some(wait), entry.chain());
        }
        entry.hand_up(now, entry.is_handed());
        self.restore_outer(entry, node, now, true);
        self.leave_root(entry, node, true, now);
    }

    /// Counts children that became pending in the poll, or ceased to be. Never below zero: a child
    /// may have been pending under another parent before it came here. An await that began in this
    /// poll had `base` children pending then.
    #[inline(never)]
    fn count_children(&mut self, children: i32, base: i32) {
        self.pending_children = self.pending_children.saturating_add(children).max(0);
        self.await_pending = self.await_pending.saturating_add(children.wrapping_sub(base)).max(0);
    }

    /// Ends the call of a span that has waited.
    #[inline(never)]
    fn leave_ready(&mut self, entry: &PollEntry) {
        let Some(node) = self.node else { return };
        let now = self.begin_end(entry, node);
        if entry.begun.waited {
            local::charge(node);
        }
        let first = self.first_poll();
        let length = node.leave(now, None, PassingChain::NONE);
        node.complete(first.map_or(length, |first| now.saturating_sub(first)));
        self.end(SpanState::Done);
        self.leave_root(entry, node, false, now);
    }

    /// Reads the clock at the end of a call, and restores the poll around it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_end(&self, entry: &PollEntry, node: &'static Node) -> u64 {
        let now = clock::now();
        if let (Some(at), _) = local::awaiting() {
            leave_open(at, now);
        }
        local::hand_up(0, false);
        self.restore_outer(entry, node, now, false);
        now
    }
}

// Inlined so that the dropped value stays in registers.
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
        local::hand_down(None, 0);
        local::hand_up(0, false);
        self.restore_outer(entry, node, now, false);
        self.end(SpanState::Done);
        add(&node.panicked, 1);
        node.leave(now, None, PassingChain::NONE);
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
fn parent_id(node: &Node, entry: &PollEntry) -> u64 {
    if node.parent.is_some_and(Node::is_root) { 0 } else { entry.outer().0 }
}

/// The running span, as the live registry lists it.
#[cfg_attr(not(debug_assertions), inline(always))]
fn to_list(span: &Span, words: u32, node: &'static Node, entry: &PollEntry, entered: u64) -> SlotCopy {
    let numbers = (context::span(), parent_id(node, entry));
    let memory = Memory::before(span, words);
    let state = (live::RunState::Running, span.made_at(entered), entered);
    SlotCopy { memory, ..SlotCopy::new(numbers, state, node) }
}
