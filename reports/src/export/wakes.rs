//! The chain of wakes of a task: its waker, the waker of that task, and so on.
//!
//! ```text
//! woken 12.0 ms ago by task 4 producer, itself woken 12.1 ms ago by task 2 main
//! ```
//! Only the last wake of each task is known. So the chain ends at a task that was woken again after
//! it caused the wake.

use std::fmt::Write as _;

use crate::index::TasksById;
use crate::model::{RunState, Task};
use crate::units::time;

/// Maximum number of wakes that are shown.
const MAX_LINKS: usize = 4;

/// The chain as text, with a leading comma. It is empty for a task that was never woken. For a task
/// that is not queued, the last wake is shown only if another task caused it.
pub(crate) fn chain(task: &Task, tasks: &TasksById<'_>, name: impl Fn(&Task) -> String) -> String {
    let mut text = String::new();
    let mut woken = task;
    while let Some(woken_ns) = woken.woken_ns {
        let waker = woken.woken_by.filter(|_| text.matches("woken ").count() < MAX_LINKS);
        if waker.is_none() && (!text.is_empty() || task.state != RunState::Queued) {
            break;
        }
        let itself = if text.is_empty() { "" } else { "itself " };
        // Writing to a string cannot fail.
        let _ = write!(text, ", {itself}woken {} ago by ", time(woken_ns));
        let Some(waker) = waker else {
            text.push_str("a thread outside of all tasks");
            break;
        };
        let Some(known) = tasks.get(waker) else {
            let _ = write!(text, "task {waker}, which is done");
            break;
        };
        if waker == woken.id {
            text.push_str("itself");
            break;
        }
        let _ = write!(text, "task {waker} {}", name(known));
        if known.woken_ns.is_none_or(|before_ns| before_ns < woken_ns) {
            break;
        }
        woken = known;
    }
    text
}
