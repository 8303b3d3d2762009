//! Wakes that reached no task: a future was polled with a waker that leads nowhere, as by `now_or_never()`.
//!
//! Such a future has what it was handed, and nobody polls it. A combinator with wakers of its own passes a wake on to its task
//! at once; so does an executor inside the task.

use diagnose_reports::Snapshot;
use diagnose_reports::model::RunState;

use super::numbers::Table;

/// A wake that is younger may be on its way.
const YOUNG_NS: u64 = 200_000_000;

/// Marks the waits that were woken by a waker which is not their task's, while their task waits and was not woken since.
pub(super) fn mark(snapshot: &mut Snapshot) {
    let is_it = |wait: &diagnose_reports::model::Wait| {
        wait.is_indirect
            && !wait.is_wake_ignored
            && wait.woken_ns.is_some_and(|woken_ns| woken_ns >= YOUNG_NS)
    };
    if !snapshot.waits.iter().any(is_it) {
        return;
    }
    let tasks: Table<u64, (RunState, Option<u64>)> =
        snapshot.tasks.iter().map(|task| (task.id, (task.state, task.woken_ns))).collect();
    for wait in snapshot.waits.iter_mut().filter(|wait| is_it(wait)) {
        let Some((state, task_woken_ns)) = wait.task.and_then(|id| tasks.get(&id)) else { continue };
        let was_passed_on =
            task_woken_ns.is_some_and(|task_ns| wait.woken_ns.is_some_and(|ns| task_ns <= ns));
        wait.is_wake_lost = *state == RunState::Waiting && !was_passed_on;
    }
}
