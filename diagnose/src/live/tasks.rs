//! The registry of tasks: every one that was spawned, or is a root that waits, and is not done.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::current;
use super::origin::{Home, Origin, Runtime, Work};
use super::task::{Doing, Task};
use crate::context;
use crate::label::Label;
use crate::pool::{self, Pooled};
use crate::site::Site;

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
pub(crate) fn add_task(origin: &Origin) -> &'static Task {
    let task: &'static Task = pool::take().unwrap_or_else(|| Box::leak(Box::new(Pooled::free())));
    task.occupy(context::new_task(), origin);
    task
}

/// A root that is met: an annotated function that is called from code which is not. It is a task for the length of its first
/// poll, so that a thread that is blocked in it is known, and afterwards if it waits. Most are ready, and leave the record as
/// it was, at hand for the next.
#[inline]
pub(crate) fn meet(site: &'static Site, label: Label, entered: u64, span: u64, thread: u32) -> &'static Task {
    let task: &'static Task = pool::take().unwrap_or_else(|| Box::leak(Box::new(Pooled::free())));
    // A task of a runtime that tells of it only from outside: what is known of that is known of this.
    let (around, runtime_id) = current::registered().and_then(Task::hooked).unzip();
    let number = around.map_or(0, |around| around.home.number);
    let home = Home { number, ..Runtime::Unknown.into() };
    let (spawned_at, spawned_by) = around.map_or((None, 0), |around| (around.spawned_at, around.spawned_by));
    let work = Work::Future;
    let origin = Origin { work, site, label, home, spawned_at, spawned_by, made: entered };
    task.occupy(context::new_task(), &origin);
    if let Some(runtime_id) = runtime_id {
        task.runtime_id.store(runtime_id, Relaxed);
    }
    task.begin_met(entered, span, thread);
    task
}

thread_local! {
    /// The record that the next root which is met outside of every poll is given.
    static SPARE: Cell<Option<&'static Task>> = const { Cell::new(None) };
}

/// A root that is met outside of every poll of the thread, which `thread` is the tree of. Most are ready at once, and leave their
/// record as it was: it stays with the thread, with all in it that is the same for the next. Also returns whether it is new there.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn meet_outermost(
    site: &'static Site,
    label: Label,
    entered: u64,
    span: u64,
    thread: u32,
) -> (&'static Task, bool) {
    let (task, is_new) = match SPARE.with(Cell::get) {
        Some(task) => (task, false),
        None => (spare(thread), true),
    };
    task.meet(context::new_task(), site, label, (entered, span));
    (task, is_new)
}

#[cold]
#[inline(never)]
fn spare(thread: u32) -> &'static Task {
    let task: &'static Task = pool::take().unwrap_or_else(|| Box::leak(Box::new(Pooled::free())));
    task.begin_spare(thread);
    SPARE.with(|spare| spare.set(Some(task)));
    task
}

/// The thread ends: others can use what it has at hand.
#[cold]
pub(crate) fn give_back_spare() {
    if let Some(task) = SPARE.with(Cell::take) {
        pool::put(task);
    }
}

/// The poll is over that began at `entered`, and the task waits.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn leave_task(task: &'static Task, entered: u64, left: u64) {
    take_spare(task);
    task.leave(left, left.saturating_sub(entered));
}

/// The task is done with its poll.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn end_task(task: &'static Task) {
    if is_spare(task) && task.is_untouched() {
        return task.forget();
    }
    take_spare(task);
    remove_task(task);
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn is_spare(task: &'static Task) -> bool {
    SPARE.with(Cell::get).is_some_and(|spare| std::ptr::eq(spare, task))
}

/// If it is the spare one, it is not any more.
#[cfg_attr(not(debug_assertions), inline(always))]
fn take_spare(task: &'static Task) {
    if is_spare(task) {
        SPARE.with(|spare| spare.set(None));
    }
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

/// Whether the task of that number is in the poll that comes after so many.
pub(crate) fn is_in_poll(id: u64, polls: u64) -> bool {
    let is_it = |task: &&'static Task| task.id() == id;
    let task = all_tasks().find(is_it);
    task.is_some_and(|task| {
        task.doing().0 == Doing::Running && task.polls.load(Relaxed) == polls && is_it(&task)
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
