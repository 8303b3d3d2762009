//! The registry of tasks: spawned tasks and waiting roots, until they are done.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::live_slot::RunState;
use super::task::Task;
use super::task_origin::TaskOrigin;
use crate::context;
use crate::pool;

/// Whether roots get a waker of their own.
static WAKERS: AtomicBool = AtomicBool::new(true);
static WAIT_WAKERS: AtomicBool = AtomicBool::new(true);

/// The tick of the last reset; zero if there was none.
static RESET: AtomicU64 = AtomicU64::new(0);

/// Records a reset: time in the queue counts from `tick` on.
pub(crate) fn note_reset(tick: u64) {
    RESET.store(tick, Relaxed);
}

/// The tick from which time in the queue counts.
pub(crate) fn last_reset() -> u64 {
    RESET.load(Relaxed)
}

/// Lists a new task.
pub(crate) fn add_task(origin: &TaskOrigin) -> &'static Task {
    context::count(|counts| &counts.spawns);
    let task = take();
    task.occupy(context::new_task(), origin);
    task
}

/// Takes a free record.
pub(super) fn take() -> &'static Task {
    pool::take().unwrap_or_else(|| Box::leak(Box::default()))
}

/// Ends a task, and frees its record if no clone of its waker is left.
#[inline]
pub(crate) fn remove_task(task: &'static Task) {
    if task.vacate() {
        pool::put(task);
    }
}

/// All task records, in use or free.
pub(crate) fn all_tasks() -> impl Iterator<Item = &'static Task> {
    pool::all()
}

/// All task records, in chunks. A chunk keeps its tasks and its place; new chunks come at the end.
pub(crate) fn task_parts() -> Vec<&'static [Task]> {
    pool::chunks()
}

/// Returns whether the task `id` is in the poll that follows `polls` finished ones.
pub(crate) fn is_in_poll(id: u64, polls: u64) -> bool {
    let is_it = |task: &&'static Task| task.id() == id;
    let task = all_tasks().find(is_it);
    task.is_some_and(|task| {
        task.doing().0 == RunState::Running && task.polls.load(Relaxed) == polls && is_it(&task)
    })
}

#[inline]
pub(crate) fn has_wakers() -> bool {
    WAKERS.load(Relaxed)
}

/// Returns whether waits for a lock, a channel or another resource get a waker of their own.
#[inline]
pub(crate) fn has_wait_wakers() -> bool {
    WAIT_WAKERS.load(Relaxed)
}

/// Sets whether roots get a waker of their own, from their next poll on, and waits from their first
/// `Pending` on.
pub(crate) fn set_wakers(roots: bool, waits: bool) {
    WAKERS.store(roots, Relaxed);
    WAIT_WAKERS.store(waits, Relaxed);
}
