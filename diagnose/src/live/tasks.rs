//! The registry of tasks: every one that was spawned, or is a root that waits, and is not done.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::task::{Task, TaskState};
use super::task_origin::TaskOrigin;
use crate::context;
use crate::pool::{self, Pooled};

/// Whether roots get a waker of their own.
static WAKERS: AtomicBool = AtomicBool::new(true);
static LEAF_WAKERS: AtomicBool = AtomicBool::new(true);

/// The tick of the last reset; zero if there was none.
static RESET: AtomicU64 = AtomicU64::new(0);

/// What was spent in the queue counts from here on.
pub(crate) fn note_reset(tick: u64) {
    RESET.store(tick, Relaxed);
}

/// From when time in the queue counts.
pub(crate) fn last_reset() -> u64 {
    RESET.load(Relaxed)
}

/// A new task, listed from now on.
pub(crate) fn add_task(origin: &TaskOrigin) -> &'static Task {
    context::count(|counts| &counts.spawns);
    let task = take();
    task.occupy(context::new_task(), origin);
    task
}

/// A record of nobody's.
pub(super) fn take() -> &'static Task {
    pool::take().unwrap_or_else(|| Box::leak(Box::new(Pooled::free())))
}

/// The task is done.
#[inline]
pub(crate) fn remove_task(task: &'static Task) {
    if task.vacate() {
        pool::put(task);
    }
}

/// All tasks that there are or were.
pub(crate) fn all_tasks() -> impl Iterator<Item = &'static Task> {
    pool::all()
}

/// All tasks that there are or were, in chunks. A chunk keeps its tasks and its place; new chunks come at the end.
pub(crate) fn task_parts() -> Vec<&'static [Task]> {
    pool::chunks()
}

/// Whether the task of that number is in the poll that comes after so many.
pub(crate) fn is_in_poll(id: u64, polls: u64) -> bool {
    let is_it = |task: &&'static Task| task.id() == id;
    let task = all_tasks().find(is_it);
    task.is_some_and(|task| {
        task.doing().0 == TaskState::Running && task.polls.load(Relaxed) == polls && is_it(&task)
    })
}

/// Whether roots are to get a waker of their own.
#[inline]
pub(crate) fn has_wakers() -> bool {
    WAKERS.load(Relaxed)
}

/// Whether what waits for a lock, a channel or the like is to get one.
#[inline]
pub(crate) fn has_leaf_wakers() -> bool {
    LEAF_WAKERS.load(Relaxed)
}

/// Roots get a waker of their own from their next poll on, or none; leaves from their first `Pending` on.
pub(crate) fn set_wakers(roots: bool, leaves: bool) {
    WAKERS.store(roots, Relaxed);
    LEAF_WAKERS.store(leaves, Relaxed);
}
