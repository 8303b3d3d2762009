//! Polls that resume where the last one stopped, the common case by far.
//!
//! ```text
//! InSpan    ├─ body ─ its await ─ the span awaited there ┄     passes through
//! AtAwait   ├─ body ─ its await: code that is not annotated    both have the readings of the poll
//! Alone     ├─ body: code that is not annotated
//! Around    ├─ body: code that is not annotated ─ spans ┄
//! ```
//! Between two such polls nothing changes but times and counts. So their starts and ends decide
//! little: they check that the poll comes from where the last one came, and that the body has
//! stopped where it resumed. Everything else is in `enter`, `reparent` and `running_poll`.

use std::task::Waker;

use super::await_state::AwaitState;
use super::local::{self, AGAIN, DIRECT, is_reading};
use super::poll_entry::{Before, PollEntry, PollStart, PollStartKind, above};
use super::resume_root::{end_outermost, ends_by_call};
use super::root::end_task_poll;
use super::span::Span;
use crate::clock;
use crate::context;
use crate::tree::{Node, PassingChain, WaitAccount};

/// A poll between two waits of its own.
const OWN_AGAIN: (Option<WaitAccount>, Option<WaitAccount>) =
    (Some(WaitAccount::Own), Some(WaitAccount::Own));
/// A poll between two waits for children.
const CHILD_AGAIN: (Option<WaitAccount>, Option<WaitAccount>) =
    (Some(WaitAccount::Child), Some(WaitAccount::Child));

/// How a pending span resumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resume {
    /// It does not: it is not pending.
    No,
    /// Outside of the await of a span, in none of the ways below.
    Other,
    /// At the await of a span, but it also waits for others.
    OtherInSpan,
    /// At the await of a span, and waits for that span alone.
    InSpan,
    /// At an await without annotated children.
    AtAwait,
    /// Outside of every recorded await, without annotated children.
    Alone,
    /// Outside of every recorded await, with annotated children.
    Around,
}

impl Span {
    /// How the next poll begins, after one that returned `Pending` and began `wait`.
    pub(super) fn resume_after(&self, wait: WaitAccount, is_in_span: bool) -> Resume {
        let at = self.at.map(|_| self.await_wait());
        match (wait, at) {
            (WaitAccount::Child, None | Some(WaitAccount::Child)) if is_in_span => Resume::InSpan,
            (_, _) if is_in_span => Resume::OtherInSpan,
            (WaitAccount::Child, Some(WaitAccount::Own)) => Resume::AtAwait,
            (WaitAccount::Own, None) => Resume::Alone,
            (WaitAccount::Child, None) => Resume::Around,
            _ => Resume::Other,
        }
    }

    /// What the poll around, which polls this pending span again, knows of it. `is_by_path` says
    /// whether the paths make it a child of that poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn before(&self, is_by_path: impl Fn() -> bool) -> Before {
        match self.slot {
            Some(slot) if slot.is_child_of_running() => Before::Counted(slot.since()),
            None if self.root.is_none() && is_by_path() => Before::Counted(u64::MAX),
            Some(_) if self.is_below_traced() && is_by_path() => Before::Counted(u64::MAX),
            _ => Before::New,
        }
    }

    /// Returns whether a span of `tracing` counts this span among its pending children. It is no
    /// parent in the list of live spans.
    fn is_below_traced(&self) -> bool {
        self.node.and_then(|node| node.parent).is_some_and(Node::is_traced)
    }

    /// Returns whether the body has stopped at the await of a span.
    pub(super) fn is_in_span(&self) -> bool {
        matches!(self.resume, Resume::InSpan | Resume::OtherInSpan)
    }

    /// Starts the poll of a span that has waited.
    #[inline(never)]
    pub(super) fn enter_again(&mut self, entry: &mut PollEntry, outer: &Waker) {
        if !self.site.is_still_on() {
            return self.enter_unsure(entry, outer);
        }
        let current = local::current();
        let Some(node) = self.node.filter(|node| node.is_child_of(current)) else {
            return self.enter_slow(entry, outer);
        };
        let down = local::down();
        if is_reading(down) {
            self.enter_handed(entry, outer, node, down);
        } else if current.is_some_and(Node::is_root) {
            self.enter_root_again(entry, outer, node);
        } else {
            self.enter_below_again(entry, outer, node, down);
        }
    }

    /// Starts the poll of a span at whose await the body around resumes: both start with one clock
    /// reading.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter_handed(&mut self, entry: &mut PollEntry, outer: &Waker, node: &'static Node, now: u64) {
        let parent = context::span();
        let Some(slot) = self.slot.filter(|slot| slot.parent() == parent) else {
            return self.enter_slow(entry, outer);
        };
        let start = PollStart::new(PollStartKind::Handed);
        entry.begun = PollStart { hands_on: true, goes_down: true, ..start };
        slot.start(now);
        context::set_span(slot.id());
        self.go_on(entry, node, now);
    }

    /// Starts a poll below another, with a clock reading of its own.
    #[inline(never)]
    fn enter_below_again(&mut self, entry: &mut PollEntry, outer: &Waker, node: &'static Node, down: u64) {
        if down != AGAIN && !local::is_via(node.via) {
            return self.enter_slow(entry, outer);
        }
        if down != 0 {
            local::hand_down(None, 0);
        }
        let before = self.before(|| true);
        #[cfg(feature = "tracing-layer")]
        let before = if node.parent.is_some_and(Node::is_traced) {
            super::traced::before_in_span(before, true)
        } else {
            before
        };
        entry.begin_below(node, before);
        let start = PollStart::new(PollStartKind::Below);
        entry.begun = PollStart { hands_on: down == DIRECT, goes_down: true, ..start };
        let now = self.begin(0);
        self.go_on(entry, node, now);
    }

    /// Starts the poll of a node that waited on the same path; the body resumes where it stopped.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn go_on(&self, entry: &mut PollEntry, node: &'static Node, now: u64) {
        if !self.resume_at(entry, node, now, entry.is_handed()) {
            self.resume_by_call(entry, node, now);
        }
    }

    /// Resumes in any other way.
    #[inline(never)]
    pub(super) fn resume_by_call(&self, entry: &mut PollEntry, node: &'static Node, now: u64) {
        entry.begun.goes_down = false;
        self.go_on_with(entry, node, self.state.wait(), now);
    }

    /// Resumes in one of the usual ways. Returns whether it is one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn resume_at(
        &self,
        entry: &mut PollEntry,
        node: &'static Node,
        now: u64,
        is_handed: bool,
    ) -> bool {
        match self.resume {
            Resume::InSpan => {
                self.go_in(node, now, is_handed);
                return true;
            }
            Resume::AtAwait => {
                let Some(at) = self.at else { return false };
                node.times.enter(now, Some(WaitAccount::Child));
                at.times.enter(now, Some(WaitAccount::Own));
                local::set_current(Some(at));
                local::polled_again(at);
                local::set_awaiting(Some(at), AwaitState::NONE.with_waited().with_depth(self.depth));
            }
            Resume::Alone => {
                node.times.enter(now, Some(WaitAccount::Own));
                local::set_current(Some(node));
                local::polled_again(node);
                local::set_awaiting(None, AwaitState::NONE);
                entry.begun.waited = true;
            }
            Resume::Around => {
                node.times.enter(now, Some(WaitAccount::Child));
                local::set_current(Some(node));
                local::set_awaiting(None, AwaitState::NONE);
            }
            _ => return false,
        }
        if is_handed {
            local::end_descent();
        }
        true
    }

    /// Continues to the await of a span, with the same reading.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn go_in(&self, node: &'static Node, now: u64, is_handed: bool) {
        node.times.enter(now, Some(WaitAccount::Child));
        let mut current = node;
        if let Some(at) = self.at {
            at.times.enter(now, Some(WaitAccount::Child));
            current = at;
        }
        local::set_current(Some(current));
        local::set_awaiting(self.at, AwaitState::SPAN.with_depth(self.depth));
        if !is_handed {
            local::hand_down(None, now);
            local::set_stopper(above(node));
        }
    }

    /// Returns whether the body has stopped where it resumed, with as many pending children.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn has_stayed(&self) -> bool {
        let (at, state) = local::awaiting();
        let is_there = match self.resume {
            Resume::AtAwait => at.is_some() && state.is_old(),
            Resume::Alone | Resume::Around => at.is_none() && state == AwaitState::NONE,
            _ => false,
        };
        is_there && local::pending_children() == 0
    }

    /// Ends a poll in which the body has stayed where it resumed.
    #[inline(never)]
    pub(super) fn leave_again(&mut self, entry: &mut PollEntry) {
        let task = match (entry.begun.how, self.root) {
            (PollStartKind::Outermost, Some(task)) if !ends_by_call() => Some(task),
            (PollStartKind::Handed, _) if local::stopper().is_none() => None,
            _ => return self.leave_by_call(entry),
        };
        let (Some(node), Some(now)) = (self.node, clock::read_counter()) else {
            return self.leave_by_call(entry);
        };
        match task {
            Some(task) => {
                self.end_stay(node, now, PassingChain::NONE);
                end_outermost(node, task, now);
            }
            None => {
                self.end_stay(node, now, PassingChain::through(None));
                local::hand_up(now, true);
            }
        }
    }

    /// Ends a poll in which the body has stayed if that needs a call of another function.
    #[inline(never)]
    fn leave_by_call(&mut self, entry: &mut PollEntry) {
        let Some(node) = self.node else { return };
        let now = clock::now();
        match entry.begun.how {
            PollStartKind::Outermost => {
                self.end_stay(node, now, PassingChain::NONE);
                local::hand_up(0, false);
                self.restore_outer(entry, node, now, true);
            }
            // Nothing has to be restored, because the bodies around only pass the `Pending` on and
            // read no state.
            PollStartKind::Handed => {
                self.end_stay(node, now, PassingChain::through(local::stopper()));
                return local::hand_up(now, true);
            }
            _ => {
                self.end_stay(node, now, PassingChain { is_through: false, stopper: entry.stopper(node) });
                entry.hand_up(now, false);
                self.restore_outer(entry, node, now, true);
            }
        }
        if let Some(task) = self.root {
            end_task_poll(task, node, now);
            entry.resume_outer_task();
            task.leave(now);
        }
    }

    /// Ends the polls of the body and of its await. `chain` belongs to the body.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end_stay(&self, node: &'static Node, now: u64, chain: PassingChain) {
        let of_body = if chain.is_through { chain } else { PassingChain::NONE };
        match self.at {
            Some(at) => at.leave_after(now, OWN_AGAIN, PassingChain::through(chain.stopper)),
            None if self.resume == Resume::Around => node.leave_after(now, CHILD_AGAIN, of_body),
            None => node.leave_after(now, OWN_AGAIN, of_body),
        };
        node.times.pass();
        if let Some(slot) = self.slot {
            slot.leave(now);
        }
    }
}
