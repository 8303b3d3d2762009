//! Polls that resume where the last one stopped, the common case by far.
//!
//! ```text
//! InSpan   ├─ body ─ its await ─ the span awaited there ┄     passes through
//! AtAwait  ├─ body ─ its await: code that is not annotated    both have the readings of the poll
//! ```
//! Between two such polls nothing changes but times and counts. So their starts and ends decide
//! nothing: they check that the poll comes from where the last one came, and that the body has
//! stopped where it resumed. Everything else is in `enter` and `running_poll`.

use std::task::Waker;

use super::await_state::AwaitState;
use super::local::{self, is_reading};
use super::poll_entry::PollEntry;
use super::root::{begin_task_poll, end_task_poll};
use super::span::Span;
use crate::clock;
use crate::context;
use crate::live;
use crate::tree::{Node, PassingChain, WaitAccount};

/// How a pending span resumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resume {
    /// Not as below.
    Unknown,
    /// At the await of a span, and waits for that alone.
    InSpan,
    /// At an await without annotated children.
    AtAwait,
}

impl Span {
    /// How the next poll begins, after one that returned `Pending` and began `wait`.
    pub(super) fn resume_after(&self, wait: WaitAccount) -> Resume {
        if wait == WaitAccount::Own || self.slot().is_none() {
            return Resume::Unknown;
        }
        match self.at.map(|_| self.await_wait()) {
            None | Some(WaitAccount::Child) if self.is_in_child => Resume::InSpan,
            Some(WaitAccount::Own) if !self.is_in_child => Resume::AtAwait,
            _ => Resume::Unknown,
        }
    }

    /// Starts the poll of a span that resumes as in the last poll, if it comes from where that came.
    #[inline(never)]
    pub(super) fn enter_again(&mut self, entry: &mut PollEntry, outer: &Waker) {
        if !self.site.is_still_on() {
            return self.enter_unsure(entry, outer);
        }
        let (Some(current), Some(node)) = (local::current(), self.node) else {
            return self.enter_other(entry, outer);
        };
        let down = local::down();
        if !node.is_child_of(Some(current)) {
            self.enter_other(entry, outer);
        } else if is_reading(down) {
            self.enter_handed(entry, outer, node, down);
        } else if current.is_root() {
            self.enter_root_again(entry, outer, node);
        } else {
            self.enter_other(entry, outer);
        }
    }

    /// The body around resumes at the await of this span: both start with one reading.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter_handed(&mut self, entry: &mut PollEntry, outer: &Waker, node: &'static Node, now: u64) {
        let parent = context::span();
        let Some(slot) = self.slot().filter(|slot| slot.parent() == parent) else {
            return self.enter_other(entry, outer);
        };
        let levels = entry.begin_handed(parent, true).levels + 1;
        slot.start(now);
        context::set_span(slot.id());
        node.times.enter(now, Some(WaitAccount::Child));
        self.go_in(node, now, levels);
    }

    /// An executor polls a task.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter_root_again(&mut self, entry: &mut PollEntry, outer: &Waker, node: &'static Node) {
        let (Some(task), Some(slot), None) = (self.root, self.slot(), live::current::registered()) else {
            return self.enter_other(entry, outer);
        };
        let now = clock::now();
        context::note_reading(now, false);
        entry.begin_outermost(true);
        slot.start(now);
        context::set_span(slot.id());
        node.times.enter(now, Some(WaitAccount::Child));
        begin_task_poll(task, node, now);
        entry.begin_task(task, outer);
        self.go_in(node, now, 1);
        if self.resume == Resume::InSpan {
            local::hand_down(None, now);
            local::set_stopper(None);
        }
    }

    /// Continues from the body to its await, where `levels` polls have one reading.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn go_in(&self, node: &'static Node, now: u64, levels: u32) {
        if self.resume == Resume::AtAwait {
            let Some(at) = self.at else { return };
            at.times.enter(now, Some(WaitAccount::Own));
            local::set_current(Some(at));
            local::polled_again(at);
            local::set_awaiting(Some(at), AwaitState::NONE.with_waited().with_depth(self.depth));
            return local::hand_down(None, 0);
        }
        local::set_awaiting(self.at, AwaitState::SPAN.with_depth(self.depth));
        let Some(at) = self.at else {
            local::set_current(Some(node));
            return local::set_levels(levels);
        };
        at.times.enter(now, Some(WaitAccount::Child));
        local::set_current(Some(at));
        local::set_levels(levels + 1);
    }

    /// Whether the body has stopped at the await where it resumed, and no child became pending.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn has_stayed(&self) -> bool {
        let (at, state) = local::awaiting();
        self.resume == Resume::AtAwait && at.is_some() && state.is_old() && local::pending_children() == 0
    }

    /// Ends a poll in which the body has stayed at its await.
    #[inline(never)]
    pub(super) fn leave_again(&mut self, entry: &mut PollEntry) {
        let (Some(node), Some(at), Some(slot)) = (self.node, self.at, self.slot()) else { return };
        let now = clock::now();
        let PassingChain { levels, stopper } = entry.chain();
        at.leave_again(now, WaitAccount::Own, PassingChain { levels: levels + 1, stopper });
        node.times.pass();
        slot.leave(now);
        entry.hand_up(now, levels);
        // The bodies around that pass it on read nothing that would have to be restored.
        if levels != 0 {
            return;
        }
        entry.restore_outer(node, now, true);
        if let (Some(task), true) = (self.root, entry.begun.is_root) {
            end_task_poll(task, node, now);
            entry.resume_around();
            task.leave(now);
        }
    }
}
