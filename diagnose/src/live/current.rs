//! The task whose poll is running on this thread.

use std::cell::Cell;
use std::task::Waker;

use super::task::Task;
use crate::context::{self, Context};

thread_local! {
    static TASK: Cell<Option<&'static Task>> = const { Cell::new(None) };
}

/// What runs on a thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurrentPoll {
    /// The number of the task; zero outside of tasks.
    pub(crate) task: u64,
    /// The task itself.
    pub(crate) registered: Option<&'static Task>,
    /// The number of the span; zero between polls.
    pub(crate) span: u64,
    /// The last reading of the clock in the running poll; zero between polls.
    pub(crate) stamp: u64,
    /// The number of the thread's tree.
    pub(crate) thread: Option<u32>,
}

/// What runs on this thread.
#[inline]
pub(crate) fn current_poll() -> CurrentPoll {
    let Context { span, stamp, tree } = context::context();
    CurrentPoll { task: context::task(), registered: registered(), span, stamp, thread: tree }
}

/// The task whose poll is running on this thread.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn registered() -> Option<&'static Task> {
    TASK.with(Cell::get)
}

/// The poll of a task begins, or that of one around it goes on. Returns what was running before.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn replace(task: Option<&'static Task>) -> Option<&'static Task> {
    context::replace_task(task.map_or(0, Task::id));
    TASK.with(|cell| cell.replace(task))
}

/// Whether that is the waker of the task whose poll is running on this thread.
pub(crate) fn is_waker(waker: &Waker) -> bool {
    registered().is_some_and(|task| task.is_waker(waker))
}

/// The running task spawns something, and may give away what it has.
pub(crate) fn count_spawn() {
    if let Some(task) = registered() {
        task.count_spawn();
    }
}

/// The running task sends something that can carry away what it has, as the message of that number of a resource.
#[inline]
pub(crate) fn count_send(resource: u64, message: u64) {
    if let Some(task) = registered() {
        task.count_send(resource, message, context::stamp());
    }
}
