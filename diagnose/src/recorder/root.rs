//! A root: the recorder's part of a poll of a task, besides its span.
//!
//! The wall time of a task stays exact here. The time between two polls of a task is charged to one
//! path, however many futures waited in it at once:
//! ```text
//! join!(a, b)    ├ poll ┤┈┈┈┈┈ waited ┈┈┈┈┈├┈ queued ┈├ poll ┤
//! a              ├┤┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈├┤ Pending
//! b                ├┤┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈├┤ Ready: the wait is b's
//! ```
//! The wait goes to the first path that had waited by itself and is ready in the next poll. If no
//! path is ready, it goes to the first one polled. If the task is dropped, see `last_wait`. The
//! time from the wake to the poll is the task's time in the queue.
//!
//! A root that no wrapper spawned is a task too: see [`take_root`](crate::live::take_root).

use std::sync::atomic::Ordering::Relaxed;
use std::task::Waker;

use super::first_poll::{self, TaskPoll};
use super::local;
use super::poll_entry::{PollEntry, PollStartKind};
use super::span::{Span, SpanState};
use crate::context;
use crate::live::{self, PollWaker, Promoted, Task};
use crate::site::SiteKind;
use crate::sync::{add, add_relaxed};
use crate::tree::Node;

/// The poll of a task in which another task's poll runs, through a nested executor.
#[derive(Debug)]
pub(super) struct OuterPoll {
    task: Option<&'static Task>,
    /// Ticks and node of that task's wait, as in [`local::waited`].
    waited: (u64, Option<&'static Node>),
    poll: TaskPoll,
}

impl OuterPoll {
    /// Suspends the poll, so that the nested one starts in the state between polls.
    #[cold]
    #[inline(never)]
    pub(super) fn leave() -> Self {
        let poll = first_poll::suspend_poll();
        let around = Self { task: live::current::registered(), waited: local::waited(), poll };
        local::set_waited((0, None));
        around
    }

    #[cold]
    #[inline(never)]
    pub(super) fn go_on(&self) {
        live::current::replace(self.task);
        local::set_waited(self.waited);
        first_poll::resume_poll(self.poll);
    }
}

impl PollEntry {
    /// Makes the task the running one, and lends its waker for the poll, if it has one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_task(&mut self, task: &'static Task, outer: &Waker) {
        self.begin_lent(task);
        task.forward().borrow(outer);
    }

    /// Makes the task the running one. The executor's waker has been lent to the task already.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_lent(&mut self, task: &'static Task) {
        live::current::replace(Some(task));
        first_poll::begin_poll();
        if live::has_wakers() {
            self.waker = Some(PollWaker::of(task));
        }
    }
}

impl Span {
    /// Starts the poll of a root in the rare cases, such as inside another poll.
    #[cold]
    #[inline(never)]
    pub(super) fn enter_root(&mut self, entry: &mut PollEntry, outer: &Waker, entered: u64) {
        let Some(node) = self.node else { return };
        entry.suspend_outer_task();
        let task = match self.root {
            Some(task) => {
                note_wait(task, node, entered, task.enter(entered, node.tree));
                task
            }
            None => self.enter_new(node, entered),
        };
        self.root = Some(task);
        entry.begin_task(task, outer);
    }

    /// The task of a root that is polled for the first time.
    fn enter_new(&self, node: &'static Node, entered: u64) -> &'static Task {
        if let Some(task) = local::set_spawned(None) {
            enter_spawned(task, node, entered);
            return task;
        }
        local::note_task();
        node.note_unspawned();
        live::take_root(self.site, self.label, entered, context::span(), node.tree)
    }

    /// Ends the poll of a root, after its span's accounting.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn leave_root(&mut self, entry: &PollEntry, node: &'static Node, is_pending: bool, left: u64) {
        let Some(task) = self.root else { return };
        end_task_poll(task, node, left);
        entry.resume_outer_task();
        if is_pending && matches!(self.state, SpanState::Waiting(_)) {
            live::leave_task(task, left);
        } else {
            self.root = None;
            // The first root that begins on a thread takes a new record, and notes the thread.
            let keeps = entry.begun.how == PollStartKind::Outermost && local::runs_tasks();
            live::end_task(task, keeps.then_some(node.tree));
        }
    }
}

/// Starts a later poll of a task.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn begin_task_poll(task: &'static Task, node: &'static Node, entered: u64) {
    note_wait(task, node, entered, task.enter_again(entered));
}

/// Ends the running poll of a task at `left`, whatever the task does next.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn end_task_poll(task: &'static Task, node: &'static Node, left: u64) {
    charge_wait(node);
    first_poll::end_poll(node, left);
    end_lent(task);
}

/// Charges the task's wait to the first path polled, if no recorded path was ready.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn charge_wait(node: &'static Node) {
    let (waited, first_polled) = local::waited();
    if waited != 0 {
        local::add_wait(first_polled.unwrap_or(node), waited);
        local::set_waited((0, None));
    }
}

/// Ends the task's turn as the running one, and the loan of its executor's waker.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn end_lent(task: &'static Task) {
    live::current::replace(None);
    task.forward().give_back();
}

/// Starts the first poll of a spawned task.
pub(super) fn enter_spawned(task: &Task, node: &'static Node, entered: u64) {
    local::note_task();
    // A block without a name is called `{block}`.
    if node.site.kind == SiteKind::Block && !node.site.name.starts_with('{') {
        task.take_name(node.site);
    }
    task.span.store(context::span(), Relaxed);
    task.enter(entered, node.tree);
}

/// Notes the ticks that the task has waited since its last poll, and adds its time in the queue.
/// `left` and `woken_at` are those of [`Task::enter`].
#[cfg_attr(not(debug_assertions), inline(always))]
fn note_wait(task: &Task, node: &'static Node, entered: u64, (left, woken_at): (u64, u64)) {
    if left == 0 {
        return;
    }
    // Time before a reset is no longer in the records.
    let from = left.max(live::last_reset());
    let mut until = entered;
    if woken_at != 0 {
        // Woken during its last poll, the task has been in the queue since that poll's end.
        let queued = entered.saturating_sub(woken_at);
        add_relaxed(&task.queued, queued);
        add(&node.queued, queued.min(entered.saturating_sub(from)));
        until = woken_at.min(entered);
    }
    let waited = until.saturating_sub(from);
    if waited != 0 {
        local::set_waited((waited, None));
    }
}
