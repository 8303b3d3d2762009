//! Unspawned roots: annotated functions called from code that is not annotated.
//!
//! An unspawned root is a task from its first poll on, so that a thread blocked in it is known.
//! Most are ready at once, and leave their record unchanged with the thread, for the next root. The
//! thread also keeps the record of a root that has waited.

use std::cell::Cell;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::fence;

use super::current;
use super::live_slot::RUNNING;
use super::task::Task;
use super::task_origin::{PackedOrigin, SpawnRuntime, SpawnTarget, TaskKind, TaskOrigin};
use super::tasks;
use crate::context;
use crate::label::Label;
use crate::pool;
use crate::site::Site;

thread_local! {
    /// The record for the next unspawned root outside every poll.
    static SPARE: Cell<Option<&'static Task>> = const { Cell::new(None) };
}

/// Takes a record for a root inside another poll, or for the first root on its path.
#[inline]
pub(crate) fn take_root(
    site: &'static Site,
    label: Label,
    entered: u64,
    span: u64,
    thread: u32,
) -> &'static Task {
    let task = tasks::take();
    // If the root runs inside a task known only from the runtime's hooks, it takes over that task's
    // origin.
    let (around, runtime_id) = current::registered().and_then(Task::hooked).unzip();
    let number = around.map_or(0, |around| around.target.number);
    let target = SpawnTarget { number, ..SpawnRuntime::Unknown.into() };
    let (spawned_at, spawned_by) = around.map_or((None, 0), |around| (around.spawned_at, around.spawned_by));
    let work = TaskKind::Future;
    let origin = TaskOrigin {
        work,
        site,
        is_named: false,
        has_output: true,
        label,
        target,
        spawned_at,
        spawned_by,
        made: entered,
    };
    task.occupy(context::new_task(), &origin);
    if let Some(runtime_id) = runtime_id {
        task.runtime_id.store(runtime_id, Relaxed);
    }
    task.span.store(span, Relaxed);
    task.run(entered, thread);
    task
}

/// The thread's spare record; `None` before the first root, and while one waits that took it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn spare_root() -> Option<&'static Task> {
    SPARE.with(Cell::get)
}

/// Makes a new record the thread's spare one. `thread` is the number of the thread's tree.
#[cold]
#[inline(never)]
pub(crate) fn new_spare(thread: u32) -> &'static Task {
    let task = tasks::take();
    task.keep_spare(thread);
    task
}

/// Replaces the spare record. Returns the previous one.
pub(crate) fn replace_spare(spare: Option<&'static Task>) -> Option<&'static Task> {
    SPARE.with(|kept| kept.replace(spare))
}

/// Puts the spare record back into the pool, because the thread ends.
#[cold]
pub(crate) fn give_back_spare() {
    if let Some(task) = SPARE.with(Cell::take) {
        pool::put(task);
    }
}

/// Ends a poll of a root; the task waits.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn leave_task(task: &'static Task, left: u64) {
    take_spare(task);
    task.leave(left);
}

/// Ends the task with its poll. The thread keeps the record for its next root, if it has no spare
/// record and no capture needs the content of this one. `keeper` is the number of the thread's
/// tree; `None` if the thread must not keep a record.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn end_task(task: &'static Task, keeper: Option<u32>) {
    if is_unused_spare(task) {
        return task.forget();
    }
    take_spare(task);
    if !task.vacate() {
        return;
    }
    let may_keep = || spare_root().is_none() && task.transfers.get().is_none() && !task.hands_over();
    match keeper.filter(|_| may_keep()) {
        Some(thread) => task.keep_spare(thread),
        None => pool::put(task),
    }
}

/// Returns whether the running root leaves the thread's spare record unchanged so far.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn is_unused_spare(task: &'static Task) -> bool {
    is_spare(task) && task.is_untouched()
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn is_spare(task: &'static Task) -> bool {
    spare_root().is_some_and(|spare| std::ptr::eq(spare, task))
}

/// Takes the record out of `SPARE`, if it is there.
#[cfg_attr(not(debug_assertions), inline(always))]
fn take_spare(task: &'static Task) {
    if is_spare(task) {
        SPARE.with(|spare| spare.set(None));
    }
}

impl Task {
    /// Makes a free record the spare one of this thread, whose tree has the number `thread`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn keep_spare(&'static self, thread: u32) {
        // Pairs with the Acquire fence in `origin`: the record had no id before.
        fence(Release);
        self.spawned_at.put(None);
        self.origin.store(PackedOrigin::UNSPAWNED.0, Relaxed);
        self.memory.store(0, Relaxed);
        self.thread.store(thread, Relaxed);
        SPARE.with(|spare| spare.set(Some(self)));
    }

    /// Turns the spare record into a running root.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn begin_root(&self, id: u64, site: &'static Site, label: Label, (entered, span): (u64, u64)) {
        // Pairs with the Acquire fence in `origin`, as in `occupy`.
        fence(Release);
        self.site.set(site);
        self.set_label(label);
        self.made.store(entered, Relaxed);
        self.since.store(entered << 2 | RUNNING, Relaxed);
        self.span.store(span, Relaxed);
        // Release pairs with the Acquire of `origin`, as in `occupy`.
        self.id.store(id, Release);
    }

    /// Returns whether the first poll changed nothing in the record, and left no clone of its
    /// waker.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_untouched(&self) -> bool {
        let words = [&self.woken_at, &self.woken_by, &self.runtime_id];
        self.forward.is_unused()
            && self.transfers.get().is_none()
            && words.iter().fold(0, |all, word| all | word.load(Relaxed)) == 0
    }

    /// Frees the unchanged record.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn forget(&self) {
        self.id.store(0, Relaxed);
    }
}
