//! A root: the recorder's part of a poll of a task, besides its span.
//!
//! Here the wall time of a task is kept exact: what it has waited between two polls goes to one path, however many
//! futures waited in it at the same time:
//! ```text
//! join!(a, b)    ├ poll ┤┈┈┈┈┈ waited ┈┈┈┈┈├┈ queued ┈├ poll ┤
//! a              ├┤┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈├┤ Pending
//! b                ├┤┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈├┤ Ready: the wait is b's
//! ```
//! The first that had waited by itself and is ready in the next poll has ended the wait; if none is, the first that is
//! polled. The part from the wake to the poll is the task's time in the queue.
//!
//! A root that is only met is a task too: see [`meet`](crate::live::meet).

use std::sync::atomic::Ordering::Relaxed;
use std::task::Waker;

use super::local;
use super::made::{self, Poll};
use super::running::{Entry, Running};
use super::span::{Span, State};
use crate::context;
use crate::live::{self, PollWaker, Task};
use crate::sync::{add, add_relaxed};
use crate::tree::Node;

/// A poll of a task that is running.
#[derive(Debug)]
pub(super) struct RootPoll {
    task: &'static Task,
    /// `None` if tasks are to have no waker of their own.
    waker: Option<PollWaker>,
    /// The task in whose poll this one runs.
    around: Option<&'static Task>,
    /// What is to be charged of that task's wait.
    waited_around: (u64, Option<&'static Node>),
    poll_around: Poll,
    entered: u64,
}

impl RootPoll {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn waker(&self) -> Option<&Waker> {
        self.waker.as_ref().map(PollWaker::get)
    }
}

impl Span {
    /// The poll of a root begins.
    pub(super) fn enter_root(&mut self, entry: &mut Entry, outer: &Waker) {
        let Some(node) = self.node else { return };
        let entered = node.times.entered();
        let (task, waited) = match self.root {
            Some(task) => (task, enter_task(task, node, entered)),
            None => {
                local::note_task();
                match local::take_spawned() {
                    Some(task) => {
                        task.span.store(context::span(), Relaxed);
                        (task, enter_task(task, node, entered))
                    }
                    None => (live::meet(self.site, self.label, entered, context::span(), node.tree), 0),
                }
            }
        };
        self.root = Some(task);
        entry.root = Some(RootPoll {
            task,
            waker: live::has_wakers().then(|| PollWaker::of(task, outer)),
            around: live::current::replace(Some(task)),
            waited_around: local::replace_waited((waited, None)),
            poll_around: made::begin_poll(),
            entered,
        });
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn enter_task(task: &Task, node: &'static Node, entered: u64) -> u64 {
    let (left, woken_at) = task.enter(entered, node.tree);
    note_wait(task, node, entered, left, woken_at)
}

/// What the task has waited, and been in the queue, between its last poll and this one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn note_wait(task: &Task, node: &'static Node, entered: u64, left: u64, woken_at: u64) -> u64 {
    if left == 0 {
        return 0;
    }
    // Woken during the last poll, it has been in the queue since that poll's end.
    let woken_at = if woken_at == 0 { entered } else { woken_at };
    add_relaxed(&task.queued, entered.saturating_sub(woken_at));
    // What was before a reset is not in the records any more.
    let left = left.max(live::last_reset());
    let woken_at = woken_at.max(left);
    add(&node.queued, entered.saturating_sub(woken_at));
    woken_at.min(entered).saturating_sub(left)
}

impl Running<'_> {
    /// The poll of a root is over, and accounted for.
    pub(super) fn leave_root(&mut self, is_pending: bool, left: u64) {
        let Some(node) = self.span.node else { return };
        let Some(root) = &mut self.entry.root else { return };
        // Nobody was ready, or nobody that is recorded: the wait is charged to the first that was polled.
        let (waited, first_polled) = local::replace_waited(root.waited_around);
        if waited != 0 {
            add(&first_polled.unwrap_or(node).wall, waited);
        }
        made::end_poll(node, root.poll_around, left);
        let (task, entered) = (root.task, root.entered);
        live::Promoted::forward(task).give_back();
        live::current::replace(root.around);
        self.entry.root = None;
        if is_pending && matches!(self.span.state, State::Waiting(_)) {
            task.leave(left, left.saturating_sub(entered));
        } else {
            self.span.root = None;
            live::remove_task(task);
        }
    }
}
