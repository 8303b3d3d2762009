//! Finds wakes that reached no task, because a future was polled with a foreign waker.
//!
//! An example is `now_or_never()`: its future has been granted the resource, but its task does not
//! poll it. A combinator with wakers of its own forwards a wake to its task at once, and so does an
//! executor inside the task.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{RunState, TaskId};

use super::numbers::Table;

/// Minimum age of a wake that reached no task: a younger one may still be on its way.
const YOUNG_NS: u64 = 200_000_000;

/// Marks waits that were woken through a waker other than their task's, while their task waits and
/// was not woken since.
pub(super) fn mark(snapshot: &mut Snapshot) {
    let is_it = |wait: &diagnose_reports::model::Wait| {
        wait.is_indirect
            && !wait.is_wake_ignored
            && wait.woken_ns.is_some_and(|woken_ns| woken_ns >= YOUNG_NS)
    };
    if !snapshot.waits.iter().any(is_it) {
        return;
    }
    let tasks: Table<TaskId, (RunState, Option<u64>)> =
        snapshot.tasks.iter().map(|task| (task.id, (task.state, task.woken_ns))).collect();
    for wait in snapshot.waits.iter_mut().filter(|wait| is_it(wait)) {
        let Some((state, task_woken_ns)) = wait.task.and_then(|id| tasks.get(&id)) else { continue };
        let was_passed_on =
            task_woken_ns.is_some_and(|task_ns| wait.woken_ns.is_some_and(|ns| task_ns <= ns));
        if *state == RunState::Waiting && !was_passed_on {
            wait.is_wake_lost = true;
        }
    }
}
