//! Questions about one task, wait or text that need no other fact.

use crate::model::{RunState, Snapshot, Task, Wait, WaitMode};

/// Whoever has waited longer for a thread does not get one.
pub(crate) const STARVED_NS: u64 = 250_000_000;

/// Whether the text of an await is that of `std::future::pending()`.
pub(crate) fn is_pending(text: &str) -> bool {
    let call = text.strip_suffix(".await").unwrap_or(text);
    let call = call.split("::<").next().unwrap_or(call).trim_end_matches("()");
    call == "pending" || call.ends_with("future::pending")
}

/// Who takes out, and all others.
pub(crate) fn queue_side(mode: WaitMode) -> usize {
    usize::from(matches!(mode, WaitMode::Receive | WaitMode::Closed))
}

/// Whether its task, when it is polled for this, polls this.
pub(crate) fn is_active(wait: &Wait) -> bool {
    if wait.is_indirect {
        !wait.is_wake_ignored && !wait.is_wake_lost
    } else {
        !wait.is_parked && !wait.is_wake_ignored
    }
}

/// Whether the task is inside a poll that sleeps in the kernel.
pub(crate) fn is_blocked(task: &Task) -> bool {
    task.state == RunState::Running && task.is_asleep == Some(true)
}

/// Whether the task is what tokio's `block_on` runs on the thread that has called it. A block that is spawned in a function
/// `main` has that name too, but it has a number of the runtime.
pub(crate) fn is_block_on_main(snapshot: &Snapshot, task: &Task) -> bool {
    let is_main = || snapshot.sites.get(task.site).is_some_and(|site| site.name == "main");
    task.is_local && task.runtime_id.is_none() && is_main()
}

/// The units that a wait asks for.
pub(crate) fn units_asked(wait: &Wait) -> u64 {
    wait.units.max(1)
}

/// Whether a task could have run for long.
pub(crate) fn has_waited_long(task: &Task) -> bool {
    task.state == RunState::Queued && task.since_ns > STARVED_NS
}
