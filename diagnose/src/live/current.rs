//! The task whose poll is running on this thread.

use std::cell::Cell;
use std::task::Waker;

use super::task::Task;
use super::waker;
#[cfg(feature = "tokio")]
use super::waker::Promoted;
use crate::context::{self, Context};

thread_local! {
    static TASK: Cell<Option<&'static Task>> = const { Cell::new(None) };
}

/// The task, span and tree of the poll that a thread is running.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurrentPoll {
    /// The id of the task; zero outside of tasks.
    pub(crate) task: u64,
    /// The task itself; `None` outside of tasks.
    pub(crate) registered: Option<&'static Task>,
    /// The id of the span; zero between polls.
    pub(crate) span: u64,
    /// The tick of the last clock reading in the running poll; zero between polls.
    pub(crate) stamp: u64,
    /// The number of the thread's tree; `None` if it has none.
    pub(crate) thread: Option<u32>,
}

#[inline]
pub(crate) fn current_poll() -> CurrentPoll {
    let Context { span, stamp, tree } = context::context();
    CurrentPoll { task: context::task(), registered: registered(), span, stamp, thread: tree }
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn registered() -> Option<&'static Task> {
    TASK.with(Cell::get)
}

/// Sets the running task, or restores the one around it. Returns the previous one.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn replace(task: Option<&'static Task>) -> Option<&'static Task> {
    context::replace_task(task.map_or(0, Task::id));
    TASK.with(|cell| cell.replace(task))
}

/// Returns whether `waker` is the waker of the task whose poll is running on this thread.
#[inline]
pub(crate) fn is_waker(waker: &Waker) -> bool {
    registered().is_some_and(|task| waker::is_waker(task, waker))
}

/// Records that the running task yields through `waker`, which the executor wakes after the poll.
/// Another waker than the task's need not wake the task.
#[cfg(feature = "tokio")]
pub(crate) fn note_yield(waker: &Waker) {
    if let Some(task) = registered().filter(|task| waker::is_waker(*task, waker)) {
        task.note_own_wake();
    }
}

/// Counts a spawn by the running task: its guards may move to the new task.
pub(crate) fn count_spawn() {
    if let Some(task) = registered() {
        task.count_spawn();
    }
}

/// Counts a send by the running task: the message may contain its guards. `message` is its number
/// in `resource`.
#[inline]
pub(crate) fn count_send(resource: u64, message: u64) {
    if let Some(task) = registered() {
        task.count_send(resource, message, context::stamp());
    }
}
