//! A traced span: the recorder's part of a span of `tracing`.
//!
//! `tracing` says when a span is entered, exited and closed, and nothing else. For an instrumented
//! future, each poll is entered and exited, and so is its drop:
//! ```text
//! ├ poll ┤┈┈ waits ┈┈├ poll ┤┈┈ waits ┈┈├ poll ┤├ drop ┤ close
//! ```
//! So if there are two entries or more, the last one before the close is the drop, not a poll. A
//! future is often dropped elsewhere, as by the executor of its task: that entry moves no call.
//! Whether the future was completed or cancelled is unknown: a closed span counts as completed.
//!
//! Spans are entered in any order, several times at once, on several threads, and their guards are
//! held while other tasks run. So each thread has a stack of the spans that it has entered:
//!
//! ```text
//! exited in another order          ends with the last entry above it
//! entered again on its thread      the inner entry is not recorded
//! entered on another thread too    a poll there, without waits
//! the thread polls something else  the guard was held over an await: a poll without a length
//! a task is polled inside          its spans are above a mark, and end with its poll at the latest
//! ```
//! A span takes one lock of its own, which is free unless several threads use the span.

use std::cell::RefCell;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::local;
use super::poll_entry::Before;
use super::reparent::{self, is_child_of, on_own_tree};
use crate::clock;
use crate::context;
use crate::label::Label;
use crate::live;
use crate::site::Site;
use crate::switch;
use crate::sync::{Mutex, add, sub};
use crate::tree::{Node, NodeKey, PassingChain, WaitAccount};

/// A span of `tracing`.
#[derive(Debug)]
pub(crate) struct TracedSpan {
    site: &'static Site,
    /// Whether the ids of the code around are in its fields.
    has_ids: AtomicBool,
    state: Mutex<TracedState>,
}

#[derive(Debug, Default)]
struct TracedState {
    /// The node of the last poll; `None` before the first recorded one.
    node: Option<&'static Node>,
    /// The node of the poll before, if the last one was on another path: the last one may be the
    /// drop.
    before: Option<&'static Node>,
    /// The account of the open wait on that node.
    waiting: Option<WaitAccount>,
    /// Number of threads that have entered the span.
    entered: u32,
    /// Start of the first recorded poll; zero before it.
    first: u64,
    /// Number of recorded polls, without those that ran while another thread had entered the span.
    polls: u64,
    /// Start and length of the last of these polls on `node`, in ticks; `None` if the span has
    /// moved away.
    last: Option<(u64, u64)>,
    /// Number of pending children.
    pending_children: i32,
    /// The id of the annotated span whose poll was around the last poll, and counts this span.
    parent: u64,
    panicked: bool,
    closed: bool,
}

/// An entry on a thread's stack.
#[derive(Debug)]
enum Entry {
    Span(EnteredSpan),
    /// A task is polled inside the spans below.
    Task,
}

#[derive(Debug)]
struct EnteredSpan {
    span: Arc<TracedSpan>,
    /// `None` if it is not recorded.
    poll: Option<TracedPoll>,
    /// Whether the span was exited here. The entry then ends together with the entries above it.
    is_exited: bool,
}

#[derive(Debug)]
struct TracedPoll {
    node: &'static Node,
    /// The node that was running before; `None` if the thread's tree is lent for this poll only.
    previous: Option<&'static Node>,
    entered: u64,
    /// The start of the span's first poll.
    first: u64,
    /// The pending children of the poll around, without this span.
    outer_pending: i32,
    /// Whether no other thread had entered the span: its waits are between such polls.
    is_first: bool,
    /// Whether the thread was already unwinding.
    unwinding: bool,
}

thread_local! {
    static ENTERED: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
}

/// Calls `change` with the thread's stack. Returns `None` in the thread's last moments.
fn with_stack<R>(change: impl FnOnce(&mut Vec<Entry>) -> R) -> Option<R> {
    ENTERED.try_with(|stack| stack.try_borrow_mut().ok().map(|mut stack| change(&mut stack))).ok().flatten()
}

/// Records that a task is polled inside the spans that this thread has entered.
pub(super) fn begin_task() {
    with_stack(|stack| stack.push(Entry::Task));
}

/// Ends that poll, once the thread is back at the node around it. The spans that the task has left
/// entered end without a length.
pub(super) fn end_task() {
    with_stack(|stack| {
        let Some(at) = stack.iter().rposition(|entry| matches!(entry, Entry::Task)) else { return };
        stack.drain(at..).rev().for_each(Entry::end);
        end_exited(stack);
    });
}

/// Returns what the running poll of a span knows of a child, where `before` is what the annotated
/// body around knows, and `was_in_span` says whether a span had counted the child until now. The
/// span takes over a child that the body has counted, or a span that was there before this one.
pub(super) fn before_in_span(before: Before, was_in_span: bool) -> Before {
    let Before::Counted(left) = before else { return before };
    let in_span = with_stack(|stack| {
        let Some(Entry::Span(EnteredSpan { poll: Some(poll), .. })) = stack.last_mut() else { return before };
        if !was_in_span {
            poll.outer_pending = poll.outer_pending.wrapping_sub(1);
            return before;
        }
        if left < poll.first { Before::New } else { before }
    });
    in_span.unwrap_or(before)
}

/// Ends the entries at the top that were exited.
fn end_exited(stack: &mut Vec<Entry>) {
    while stack.last().is_some_and(Entry::is_exited) {
        stack.pop().into_iter().for_each(Entry::end);
    }
}

impl TracedSpan {
    pub(crate) fn new(site: &'static Site) -> Self {
        Self { site, has_ids: AtomicBool::new(false), state: Mutex::default() }
    }

    /// Returns `true` once, to the caller who is to record the ids of the code around.
    pub(crate) fn lacks_ids(&self) -> bool {
        !self.has_ids.swap(true, Relaxed)
    }

    /// Records that this thread enters the span.
    pub(crate) fn enter(self: &Arc<Self>) {
        let Some(is_inside) = with_stack(|stack| {
            while stack.last().is_some_and(Entry::is_stale) {
                stack.pop().into_iter().for_each(Entry::end);
            }
            stack.iter_mut().any(|entry| entry.of(self).is_some())
        }) else {
            return;
        };
        let poll = if is_inside { None } else { self.begin() };
        let entered = EnteredSpan { span: Arc::clone(self), poll, is_exited: false };
        with_stack(|stack| stack.push(Entry::Span(entered)));
    }

    /// Records that this thread exits the span.
    pub(crate) fn exit(self: &Arc<Self>) {
        with_stack(|stack| {
            let mut own = stack.iter_mut().rev().filter_map(|entry| entry.of(self));
            // Nothing is found if the span was entered on another thread.
            let Some(entered) = own.find(|entered| !entered.is_exited) else { return };
            entered.is_exited = true;
            end_exited(stack);
        });
    }

    /// Records that the span is closed.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        if !std::mem::replace(&mut state.closed, true) && state.entered == 0 {
            end(&mut state);
        }
    }

    /// Starts a poll. Returns `None` if it is not recorded.
    fn begin(&self) -> Option<TracedPoll> {
        let mut state = self.state.lock();
        if state.closed {
            return None;
        }
        if !self.site.is_on() || switch::tasks_only() {
            end_wait(&mut state);
            return None;
        }
        let place = local::place();
        let key = NodeKey { site: self.site, label: Label::NONE, via: None };
        let Some(node) = place.tree.child(place.current, key, clock::now) else {
            // Below another node, so the tree is not a lent one.
            end_wait(&mut state);
            return None;
        };
        let is_first = state.entered == 0;
        state.entered += 1;
        let mut ended = None;
        let now = clock::now();
        if is_first {
            let is_same = state.node.is_some_and(|old| old.same_path(node));
            if is_same && state.node.is_some_and(|old| is_child_of(old, place.current)) {
                ended = state.waiting.take();
                if ended.is_some() && state.parent == context::span() {
                    local::replace_pending_children(local::pending_children().wrapping_sub(1));
                }
            }
            end_wait(&mut state);
            state.parent = context::span();
            state.before = state.node.filter(|_| !is_same);
            match state.node {
                Some(old) if !is_same => {
                    place.tree.book(old, |own| sub(&own.moved, 1));
                    add(&node.moved, 1);
                }
                Some(_) => {}
                None => add(&node.calls, 1),
            }
            state.node = Some(node);
        }
        if ended == Some(WaitAccount::Own) {
            local::polled_again(node);
        }
        // No reading is handed down: a span inside reads the clock itself, and so does the body
        // around.
        local::hand_down(None, 0);
        node.times.enter(now, ended);
        local::set_current(Some(node));
        context::note_reading(now, false);
        if state.first == 0 {
            state.first = now;
        }
        Some(TracedPoll {
            node,
            first: state.first,
            previous: (!place.lent).then_some(place.current),
            entered: now,
            outer_pending: local::pending_children(),
            is_first,
            unwinding: std::thread::panicking(),
        })
    }
}

impl Entry {
    /// Returns the entry if it is one of `span`.
    fn of(&mut self, span: &Arc<TracedSpan>) -> Option<&mut EnteredSpan> {
        match self {
            Self::Span(entered) if Arc::ptr_eq(&entered.span, span) => Some(entered),
            _ => None,
        }
    }

    fn is_exited(&self) -> bool {
        matches!(self, Self::Span(entered) if entered.is_exited)
    }

    fn is_stale(&self) -> bool {
        matches!(self, Self::Span(entered) if entered.is_stale())
    }

    fn end(self) {
        if let Self::Span(entered) = self {
            entered.end();
        }
    }
}

impl EnteredSpan {
    /// Returns whether the thread has gone on to something else, while the guard of this entry is
    /// held.
    fn is_stale(&self) -> bool {
        let Some(poll) = &self.poll else { return false };
        let mut node = local::current();
        while let Some(current) = node.filter(|current| !ptr::eq(*current, poll.node)) {
            node = current.parent;
        }
        node.is_none()
    }

    fn end(self) {
        let Self { span, poll, .. } = self;
        let Some(poll) = poll else { return };
        let mut state = span.state.lock();
        state.entered = state.entered.saturating_sub(1);
        state.polls += u64::from(poll.is_first);
        state.panicked |= !poll.unwinding && std::thread::panicking();
        if local::current().is_some_and(|current| ptr::eq(current, poll.node)) {
            poll.end(&mut state);
        } else {
            // The position of the thread no longer belongs to this poll.
            poll.node.leave(poll.entered, None, PassingChain::NONE);
            poll.note_last(&mut state, poll.entered);
        }
        if state.closed && state.entered == 0 {
            end(&mut state);
        }
    }
}

impl TracedPoll {
    /// Ends the running poll, and restores the one around it.
    fn end(&self, state: &mut TracedState) {
        let Self { node, previous, outer_pending, is_first, .. } = *self;
        let now = clock::now();
        let children = local::pending_children().wrapping_sub(outer_pending);
        let mut begun = None;
        if is_first {
            state.pending_children = state.pending_children.saturating_add(children).max(0);
            begun = Some(if state.pending_children == 0 { WaitAccount::Own } else { WaitAccount::Child });
        }
        node.leave(now, begun, PassingChain::NONE);
        self.note_last(state, now);
        state.waiting = begun.or(state.waiting);
        local::replace_pending_children(outer_pending.wrapping_add(i32::from(is_first)));
        local::hand_up(0, false);
        local::set_current(previous);
        context::note_reading(now, previous.is_none_or(Node::is_root));
        if previous.is_none() {
            local::end_loan();
        }
    }

    /// Keeps what [`forget_poll`](Node::forget_poll) needs if this entry turns out to be the drop.
    fn note_last(&self, state: &mut TracedState, left: u64) {
        if self.is_first {
            let is_here = state.node.is_some_and(|node| ptr::eq(node, self.node));
            state.last = is_here.then(|| (self.entered, left.saturating_sub(self.entered)));
        }
    }
}

/// Ends an open wait, without a poll after it.
fn end_wait(state: &mut TracedState) {
    end_wait_at(state, clock::now());
}

fn end_wait_at(state: &mut TracedState, now: u64) {
    let (Some(wait), Some(node)) = (state.waiting.take(), state.node) else { return };
    on_own_tree(|place| {
        let is_child = state.parent == context::span() && is_child_of(node, place.current);
        reparent::end_wait(node, (wait, is_child), place, now, |_| ());
    });
}

/// Ends the call.
fn end(state: &mut TracedState) {
    // Nothing waits after the drop.
    let dropped = state.last.filter(|_| state.polls > 1).map(|(entered, length)| entered + length);
    end_wait_at(state, dropped.map_or_else(clock::now, |left| left.max(live::last_reset())));
    let Some(node) = state.node.take() else { return };
    let before = state.before.filter(|_| state.polls > 1);
    on_own_tree(|place| {
        if let Some(before) = before {
            place.tree.book(node, |own| sub(&own.moved, 1));
            place.tree.book(before, |own| add(&own.moved, 1));
        }
        let ended = before.unwrap_or(node);
        place.tree.book(ended, |own| add(if state.panicked { &own.panicked } else { &own.completed }, 1));
        // Polls from before a reset are not counted any more.
        let last = state.last.filter(|(entered, _)| *entered > live::last_reset());
        if let Some((_, length)) = last.filter(|_| state.polls > 1 && node.tree == place.tree.root.tree) {
            node.forget_poll(length, before.is_some());
        }
    });
}
