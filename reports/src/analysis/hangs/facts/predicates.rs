//! Questions about one task, wait or text that need no other fact.

use crate::model::{RunState, Snapshot, Task, Wait, WaitMode};

/// A task that has waited longer than this for a thread does not get one.
pub(crate) const STARVED_NS: u64 = 250_000_000;

/// Whether the text of an await is that of `std::future::pending()`.
pub(crate) fn is_pending(text: &str) -> bool {
    let call = text.strip_suffix(".await").unwrap_or(text);
    let call = call.split("::<").next().unwrap_or(call).trim_end_matches("()");
    call == "pending" || call.ends_with("future::pending")
}

/// The side of a channel's queue: 1 for receivers, 0 for all other waits.
pub(crate) fn queue_side(mode: WaitMode) -> usize {
    usize::from(matches!(mode, WaitMode::Receive | WaitMode::Closed))
}

/// Whether the task's polls reach this wait.
pub(crate) fn is_active(wait: &Wait) -> bool {
    if wait.is_indirect {
        !wait.is_wake_ignored && !wait.is_wake_lost
    } else {
        !wait.is_parked && !wait.is_wake_ignored
    }
}

/// Whether the wait is only for a message, a notification or an arrival, and not for something that
/// another task holds.
pub(crate) fn asks_for_signal(wait: &Wait) -> bool {
    matches!(
        wait.mode,
        WaitMode::Receive | WaitMode::Notified | WaitMode::Closed | WaitMode::Arrive | WaitMode::Custom
    )
}

/// Whether the task is inside a poll that sleeps in the kernel.
pub(crate) fn is_blocked(task: &Task) -> bool {
    task.state == RunState::Running && task.is_asleep == Some(true)
}

/// Whether tokio's `block_on` runs the task on the thread that called it. A block spawned in a
/// function `main` has the same name, but also an id of the runtime.
pub(crate) fn is_block_on_main(snapshot: &Snapshot, task: &Task) -> bool {
    let is_main = || snapshot.site(task.site).is_some_and(|site| site.name == "main");
    task.is_local && task.runtime_id.is_none() && is_main()
}

/// The units that a wait asks for, at least 1.
pub(crate) fn units_asked(wait: &Wait) -> u64 {
    wait.units.max(1)
}

/// Whether the task has been ready to run for long.
pub(crate) fn has_waited_long(task: &Task) -> bool {
    task.state == RunState::Queued && task.since_ns > STARVED_NS
}
