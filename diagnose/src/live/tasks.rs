//! The registry of tasks: every one that was spawned or polled as a root, and is not done.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::origin::Origin;
use super::task::{Doing, Task};
use crate::sync::Mutex;

struct Tasks {
    all: Vec<&'static Task>,
    free: Vec<&'static Task>,
}

static TASKS: Mutex<Tasks> = Mutex::new(Tasks { all: Vec::new(), free: Vec::new() });
static NEXT: AtomicU64 = AtomicU64::new(1);

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
pub(crate) fn add_task(origin: Origin) -> &'static Task {
    let mut tasks = TASKS.lock();
    let task = tasks.free.pop().unwrap_or_else(|| {
        let task = Box::leak(Box::new(Task::new()));
        tasks.all.push(task);
        task
    });
    drop(tasks);
    task.occupy(NEXT.fetch_add(1, Relaxed), origin);
    task
}

/// The number of the next task.
pub(crate) fn next_task() -> u64 {
    NEXT.load(Relaxed)
}

/// The task is done.
pub(crate) fn remove_task(task: &'static Task) {
    if task.vacate() {
        free(task);
    }
}

/// Nobody keeps a waker of a task that is done: it can be used again.
pub(super) fn free(task: &'static Task) {
    TASKS.lock().free.push(task);
}

/// All tasks that there are or were.
pub(crate) fn all_tasks() -> Vec<&'static Task> {
    TASKS.lock().all.clone()
}

/// Whether the task of that number is in the poll that comes after so many.
pub(crate) fn is_in_poll(id: u64, polls: u64) -> bool {
    let is_it = |task: &&'static Task| task.id() == id;
    let task = all_tasks().into_iter().find(is_it);
    task.is_some_and(|task| {
        task.doing().0 == Doing::Running && u64::from(task.polls.load(Relaxed)) == polls && is_it(&task)
    })
}

/// Whether roots are to get a waker of their own.
pub(crate) fn has_wakers() -> bool {
    WAKERS.load(Relaxed)
}

/// Whether what waits for a lock, a channel or the like is to get one.
pub(crate) fn has_leaf_wakers() -> bool {
    LEAF_WAKERS.load(Relaxed)
}

/// Roots get a waker of their own from their next poll on, or none; leaves from their first `Pending` on.
pub(crate) fn set_wakers(roots: bool, leaves: bool) {
    WAKERS.store(roots, Relaxed);
    LEAF_WAKERS.store(leaves, Relaxed);
}
