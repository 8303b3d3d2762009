//! A root: the recorder's part of a poll of a task, besides its span.

use std::sync::atomic::Ordering::Relaxed;
use std::task::Waker;

use super::local;
use crate::clock;
use crate::label::Label;
use crate::live::{self, Origin, PollWaker, Runtime, Task, Work};
use crate::site::Site;
use crate::sync::{add, add_relaxed};
use crate::tree::Node;

/// The task of a root: the one that it was spawned as through this crate, or one that is met with its first poll.
#[cold]
pub(super) fn task_of(site: &'static Site, label: Label) -> &'static Task {
    let task = local::take_spawned().unwrap_or_else(|| {
        let (work, runtime) = (Work::Future, Runtime::Unknown);
        let (spawned_at, spawned_by) = (None, 0);
        live::add_task(Origin { work, site, label, runtime, spawned_at, spawned_by, made: clock::now() })
    });
    task.span.store(local::id(), Relaxed);
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
    around: u64,
    entered: u64,
    goes_on: bool,
}

impl RootPoll {
    #[inline]
    pub(super) fn enter(task: &'static Task, node: &'static Node, outer: &Waker) -> Self {
        let entered = node.times.entered();
        let around = local::replace_task(task.id());
        let (waker, woken_at) = task.enter(entered, node.tree, outer);
        if woken_at != 0 {
            add_relaxed(&task.queued, entered.saturating_sub(woken_at));
            add(&node.queued, entered.saturating_sub(woken_at.max(live::last_reset())));
        }
        Self { task, node, waker, around, entered, goes_on: false }
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
        local::replace_task(self.around);
        if !self.goes_on {
            live::remove_task(self.task);
        }
    }
}
