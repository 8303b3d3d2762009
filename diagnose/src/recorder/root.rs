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

use std::sync::atomic::Ordering::Relaxed;
use std::task::Waker;

use super::local;
use crate::clock;
use crate::label::Label;
use crate::live::{self, Home, Origin, PollWaker, Runtime, Task, Work};
use crate::site::Site;
use crate::sync::{add, add_relaxed};
use crate::tree::Node;

/// The task of a root: the one that it was spawned as through this crate, or one that is met with its first poll.
#[cold]
pub(super) fn task_of(site: &'static Site, label: Label) -> &'static Task {
    let task = local::take_spawned().unwrap_or_else(|| {
        let work = Work::Future;
        let made = clock::now();
        // A task of a runtime that tells of it only from outside: what is known of that is known of this.
        let (around, runtime_id) = local::task().and_then(Task::hooked).unzip();
        let number = around.map_or(0, |around| around.home.number);
        let home = Home { number, ..Runtime::Unknown.into() };
        let (spawned_at, spawned_by) =
            around.map_or((None, 0), |around| (around.spawned_at, around.spawned_by));
        let origin = Origin { work, site, label, home, spawned_at, spawned_by, made };
        let task = live::add_task(origin);
        task.runtime_id.store(runtime_id.unwrap_or(0), Relaxed);
        task
    });
    task.span.store(local::id(), Relaxed);
    local::place().tree.note_task();
    task
}

/// A poll of a task that is running. Dropped without [`leave`](RootPoll::leave), it was ended by a panic.
#[derive(Debug)]
pub(crate) struct RootPoll {
    task: &'static Task,
    node: &'static Node,
    /// `None` if tasks are to have no waker of their own.
    waker: Option<PollWaker>,
    /// The task in whose poll this one runs.
    around: Option<&'static Task>,
    /// What is to be charged of that task's wait.
    waited_around: (u64, Option<&'static Node>),
    entered: u64,
    goes_on: bool,
}

impl RootPoll {
    #[inline]
    pub(super) fn enter(task: &'static Task, node: &'static Node, outer: &Waker) -> Self {
        let entered = node.times.entered();
        let around = local::replace_task(Some(task));
        let (waker, left, woken_at) = task.enter(entered, node.tree, outer);
        let mut waited = 0;
        if left != 0 {
            // Woken during the last poll, it has been in the queue since that poll's end.
            let woken_at = if woken_at == 0 { entered } else { woken_at.max(left) };
            add_relaxed(&task.queued, entered.saturating_sub(woken_at));
            // What was before a reset is not in the records any more.
            let left = left.max(live::last_reset());
            let woken_at = woken_at.max(left);
            add(&node.queued, entered.saturating_sub(woken_at));
            waited = woken_at.min(entered).saturating_sub(left);
        }
        let waited_around = local::replace_waited((waited, None));
        Self { task, node, waker, around, waited_around, entered, goes_on: false }
    }

    /// Nobody was ready, or nobody that is recorded: the wait is charged to the first that was polled.
    fn end_wait(&self) {
        let (waited, first_polled) = local::replace_waited(self.waited_around);
        if waited != 0 {
            add(&first_polled.unwrap_or(self.node).wall, waited);
        }
    }

    /// What the poll is given instead of the executor's waker.
    #[inline]
    pub(crate) fn waker(&self) -> Option<&Waker> {
        self.waker.as_ref().map(PollWaker::get)
    }

    /// The poll has returned `Pending`, and is in the books.
    #[inline]
    pub(super) fn leave(mut self) -> &'static Task {
        self.goes_on = true;
        let left = self.node.times.left();
        self.task.leave(left, left.saturating_sub(self.entered));
        self.task
    }
}

impl Drop for RootPoll {
    #[inline]
    fn drop(&mut self) {
        self.end_wait();
        local::replace_task(self.around);
        // Before the task can be used again.
        self.waker = None;
        if !self.goes_on {
            live::remove_task(self.task);
        }
    }
}
