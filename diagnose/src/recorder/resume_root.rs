//! Roots that resume where their last poll stopped, outside every other poll.
//!
//! The usual start and end of their polls call no function, so no register has to be saved. With
//! link-time optimization, that saves a tenth of the instructions of a poll. Without it, each
//! access to a thread-local is a call. Cases that need a call are checked first, and have functions
//! of their own, `…_by_call`.

use std::task::Waker;

use super::first_poll;
use super::local;
use super::poll_entry::{PollEntry, PollStartKind, leave_outermost};
use super::root::{begin_task_poll, charge_wait, end_lent};
use super::span::Span;
use crate::clock;
use crate::context;
use crate::live::{Promoted, Task};
use crate::tree::Node;

impl Span {
    /// Starts a later poll of a task by an executor.
    #[inline(never)]
    pub(super) fn enter_root_again(&mut self, entry: &mut PollEntry, outer: &Waker, node: &'static Node) {
        // A task that is known from a runtime's hooks, or a blocking closure, may be around it.
        let (Some(task), 0) = (self.root, context::task()) else {
            return self.enter_slow(entry, outer);
        };
        if context::is_end_due() || task.forward().stores_other(outer) {
            return self.enter_root_by_call(entry, outer, node);
        }
        let (Some(slot), Some(now)) = (self.slot, clock::read_counter()) else {
            return self.enter_root_by_call(entry, outer, node);
        };
        context::set_stamp(now);
        context::set_span(slot.enter(context::span(), now));
        entry.begin_outermost(true);
        task.forward().lend(outer);
        entry.begin_lent(task);
        begin_task_poll(task, node, now);
        if !self.resume_at(entry, node, now, false) {
            self.resume_by_call(entry, node, now);
        }
    }

    /// Starts the poll of a task if that needs a call of another function.
    #[inline(never)]
    fn enter_root_by_call(&mut self, entry: &mut PollEntry, outer: &Waker, node: &'static Node) {
        let Some(task) = self.root else { return };
        let now = self.begin(0);
        entry.begin_outermost(true);
        task.forward().borrow(outer);
        entry.begin_lent(task);
        begin_task_poll(task, node, now);
        self.go_on(entry, node, now);
    }

    /// Ends a poll of a root that only passed through, with the reading of the span inside.
    #[inline(never)]
    pub(super) fn end_through(&mut self, entry: &mut PollEntry, node: &'static Node, now: u64) {
        match (entry.begun.how, self.root) {
            (PollStartKind::Outermost, Some(task)) if !ends_by_call() => end_outermost(node, task, now),
            _ => self.end_through_by_call(entry, node, now),
        }
    }

    /// Ends a poll that only passed through if that needs a call of another function.
    #[inline(never)]
    fn end_through_by_call(&mut self, entry: &mut PollEntry, node: &'static Node, now: u64) {
        entry.hand_up(now, false);
        self.restore_outer(entry, node, now, true);
        self.leave_root(entry, node, true, now);
    }
}

/// Returns whether the end of a task's poll calls functions.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn ends_by_call() -> bool {
    context::is_end_due() || first_poll::leaves_unpolled()
}

/// Ends the poll of a root outside every other poll, after its span's accounting. The task waits.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn end_outermost(node: &'static Node, task: &'static Task, now: u64) {
    local::hand_up(0, false);
    leave_outermost(node);
    context::set_stamp(0);
    charge_wait(node);
    first_poll::end_polled();
    end_lent(task);
    task.leave(now);
}
