//! A root that is met: an annotated function that is called from code which is not. It is a task for the length of its first poll,
//! so that a thread that is blocked in it is known, and afterwards if it waits. Most are ready, and leave the record as it was, at
//! hand for the next.

use std::cell::Cell;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::fence;

use super::current;
use super::task::{RUNNING, Task};
use super::task_origin::{SpawnRuntime, SpawnTarget, TaskKind, TaskOrigin};
use super::tasks::{self, remove_task};
use crate::context;
use crate::label::Label;
use crate::pool;
use crate::site::Site;

thread_local! {
    /// The record that the next root which is met outside of every poll is given.
    static SPARE: Cell<Option<&'static Task>> = const { Cell::new(None) };
}

/// The record of a root that is met inside of another poll, or for the first time on its path.
#[inline]
pub(crate) fn meet(site: &'static Site, label: Label, entered: u64, span: u64, thread: u32) -> &'static Task {
    let task = tasks::take();
    // This root runs inside a task that only the runtime's hooks report: it takes over what they have reported of that task.
    let (around, runtime_id) = current::registered().and_then(Task::hooked).unzip();
    let number = around.map_or(0, |around| around.home.number);
    let home = SpawnTarget { number, ..SpawnRuntime::Unknown.into() };
    let (spawned_at, spawned_by) = around.map_or((None, 0), |around| (around.spawned_at, around.spawned_by));
    let work = TaskKind::Future;
    let origin = TaskOrigin { work, site, label, home, spawned_at, spawned_by, made: entered };
    task.occupy(context::new_task(), &origin);
    if let Some(runtime_id) = runtime_id {
        task.runtime_id.store(runtime_id, Relaxed);
    }
    task.begin_met(entered, span, thread);
    task
}

/// A root that is met outside of every poll of the thread, which `thread` is the tree of. If it is ready at once, its record stays
/// with the thread, with all in it that is the same for the next. Also returns whether the record is new there.
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
    let task = tasks::take();
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

impl Task {
    /// It has become a task in its first poll.
    pub(super) fn begin_met(&self, entered: u64, span: u64, thread: u32) {
        self.span.store(span, Relaxed);
        self.thread.store(thread, Relaxed);
        self.since.store(entered << 2 | RUNNING, Relaxed);
    }

    /// It is nobody's yet, and will be that of roots which are met on that thread.
    pub(super) fn begin_spare(&self, thread: u32) {
        self.spawned_at.put(None);
        self.origin.store(0, Relaxed);
        self.thread.store(thread, Relaxed);
    }

    /// It becomes that of a root which is met, and runs.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn meet(&self, id: u64, site: &'static Site, label: Label, (entered, span): (u64, u64)) {
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

    /// Whether nothing has been noted of it, and nobody keeps its waker, in the poll in which it was met.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_untouched(&self) -> bool {
        let words = [&self.woken_at, &self.woken_by, &self.runtime_id];
        self.forward.is_unused()
            && self.given.get().is_none()
            && words.iter().fold(0, |all, word| all | word.load(Relaxed)) == 0
    }

    /// It is nobody's any more, and nothing was noted of it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn forget(&self) {
        self.id.store(0, Relaxed);
    }
}
