//! Calls that are ready at their first poll, mostly those from code that is not annotated.
//!
//! Such a root runs outside every other poll. Its task is the thread's spare record, which it
//! leaves unchanged. As in `resume_root`, the usual start and end of its poll call no function.

use std::task::Waker;

use super::enter::begin_new;
use super::first_poll;
use super::local;
use super::poll_entry::{PollEntry, PollStartKind, leave_outermost};
use super::resume_root::ends_by_call;
use super::root::{end_lent, enter_spawned};
use super::span::{Span, SpanState};
use crate::clock;
use crate::context;
use crate::live::{self, Promoted, Task};
use crate::sync::add;
use crate::tree::{Node, NodeKey, PassingChain};

impl Span {
    /// Starts the first poll of a root outside of every other poll, so nothing has to be saved.
    #[inline(never)]
    pub(super) fn enter_first_outermost(
        &mut self,
        entry: &mut PollEntry,
        outer: &Waker,
        tree: &'static Node,
    ) {
        // A future that was created in a poll, or with a clock reading, may have waited since.
        if self.made != 0 || context::task() != 0 || context::is_end_due() || local::spawned().is_some() {
            return self.enter_first_by_call(entry, outer, tree);
        }
        let node = tree.recent_child(NodeKey { site: self.site, label: self.label, via: None });
        let (Some(node), Some(task)) = (node, live::spare_root()) else {
            return self.enter_first_by_call(entry, outer, tree);
        };
        let (Some((span, id)), Some(now)) = (context::next_ids(), clock::read_counter()) else {
            return self.enter_first_by_call(entry, outer, tree);
        };
        context::set_stamp(now);
        context::set_span(span);
        entry.begin_outermost(false);
        node.times.enter(now, None);
        local::set_current(Some(node));
        add(&node.calls, 1);
        self.node = Some(node);
        task.begin_root(id, self.site, self.label, (now, span));
        self.root = Some(task);
        task.forward().lend(outer);
        entry.begin_lent(task);
    }

    /// Starts the first poll of such a root if that needs a call of another function.
    #[inline(never)]
    fn enter_first_by_call(&mut self, entry: &mut PollEntry, outer: &Waker, tree: &'static Node) {
        let key = NodeKey { site: self.site, label: self.label, via: None };
        // If a task is current, it is known from a runtime's hooks, or is a blocking closure.
        let is_inside = context::task() != 0;
        let Some(node) = tree.child(key).filter(|_| !is_inside) else {
            return self.enter_slow(entry, outer);
        };
        let now = begin_new();
        entry.begin_outermost(false);
        node.times.enter(now, None);
        local::set_current(Some(node));
        let spawned = local::spawned();
        self.count_call(node, now, spawned);
        self.node = Some(node);
        let task = match spawned {
            Some(task) => {
                local::set_spawned(None);
                enter_spawned(task, node, now);
                task
            }
            None => self.begin_spare_root(node, now),
        };
        self.root = Some(task);
        entry.begin_task(task, outer);
    }

    /// Takes the thread's spare record for a root called from code that is not annotated. A root
    /// that is ready at once leaves the record with the thread, including the fields that the next
    /// one shares.
    fn begin_spare_root(&self, node: &'static Node, now: u64) -> &'static Task {
        let task = live::spare_root().unwrap_or_else(|| {
            local::note_task();
            live::new_spare(node.tree)
        });
        task.begin_root(context::new_task(), self.site, self.label, (now, context::span()));
        task
    }

    /// Ends a call in its first poll, the usual case. The call is as long as the poll.
    #[inline(never)]
    pub(super) fn leave_once(&mut self, entry: &PollEntry) {
        let (Some(node), Some(task), PollStartKind::Outermost) = (self.node, self.root, entry.begun.how)
        else {
            return self.leave_once_by_call(entry);
        };
        if self.slot.is_some() || local::awaiting().0.is_some() || ends_by_call() {
            return self.leave_once_by_call(entry);
        }
        if !live::is_unused_spare(task) {
            return self.leave_once_by_call(entry);
        }
        let (Some(next), Some(now)) = (node.next_completed(), clock::read_counter()) else {
            return self.leave_once_by_call(entry);
        };
        local::hand_up(0, false);
        leave_outermost(node);
        context::set_stamp(0);
        let length = node.leave_after(now, (None, None), PassingChain::NONE);
        next.count(length);
        self.state = SpanState::Done;
        // Between its polls, and so before the first one, a task has no wait to be charged.
        first_poll::end_polled();
        end_lent(task);
        self.root = None;
        task.forget();
        next.fold_if_due();
    }

    /// Ends a call in its first poll if that needs a call of another function.
    #[inline(never)]
    fn leave_once_by_call(&mut self, entry: &PollEntry) {
        let Some(node) = self.node else { return };
        let now = self.begin_end(entry, node);
        let length = node.leave_after(now, (None, None), PassingChain::NONE);
        node.complete(length);
        self.state = SpanState::Done;
        self.unlist();
        self.leave_root(entry, node, false, now);
    }
}
