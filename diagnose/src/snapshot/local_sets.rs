//! Tasks that run a `LocalSet`, and wait for the tasks in it.
//!
//! A set keeps one clone of the waker of the task that polled it last. That clone wakes the task
//! when a task of the set is woken or spawned. No record says which set a task is in, but the
//! thread of both is known.

use diagnose_reports::model::{TaskId, Wait};

use super::capture_context::CaptureContext;
use super::task_copy::TaskCopy;
use crate::waits::{WaitCopy, WaitMode};

/// Removes the waits for sets if a set may have unrecorded tasks: then the clone of the waker that
/// a set keeps counts as unrecorded too. Called after the waits were read, so that a task that is
/// spawned later has woken its set since.
pub(super) fn keep_known(waits: &mut Vec<WaitCopy>) {
    let is_of_set = |wait: &WaitCopy| wait.mode == WaitMode::LocalSet;
    if waits.iter().any(is_of_set) && has_unknown_spawns() {
        waits.retain(|wait| !is_of_set(wait));
    }
}

/// Adds the tasks that may be in the set that a wait is for: all local tasks of its thread, except
/// those of a `block_on`. Returns `false` if there are none, and so nothing in the set that can
/// wake its task.
pub(super) fn add_tasks(built: &mut Wait, wait: &WaitCopy, capture: &CaptureContext<'_>) -> bool {
    let is_in_set = |known: &&TaskCopy| {
        known.id != wait.polled.task && !known.is_block_on() && known.task.may_be_in_set_on(wait.thread)
    };
    let tasks = capture.tasks.all.iter().filter(is_in_set);
    built.tasks = tasks.map(|known| TaskId::new(known.id)).collect();
    !built.tasks.is_empty()
}

/// Returns whether tokio has spawned anything that is not on record. Sets do not count their tasks,
/// so it may be in any of them.
#[cfg(feature = "tokio")]
fn has_unknown_spawns() -> bool {
    crate::tokio::task::ids::unrecorded() != Some(0)
}

/// Without the feature `tokio`, no set is recorded.
#[cfg(not(feature = "tokio"))]
fn has_unknown_spawns() -> bool {
    false
}

/// Returns whether a set in a `block_on` may have unrecorded tasks. The waker of the set's task
/// `main` is another one, and does not show such tasks.
pub(super) fn has_unknown_tasks() -> bool {
    is_any_entered() && has_unknown_spawns()
}

/// Returns whether a thread is in a `block_on` of a set.
#[cfg(feature = "tokio")]
pub(super) fn is_any_entered() -> bool {
    crate::tokio::task::local_set::is_any_entered()
}

/// Without the feature `tokio`, no set is recorded.
#[cfg(not(feature = "tokio"))]
pub(super) fn is_any_entered() -> bool {
    false
}
