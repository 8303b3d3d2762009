//! Questions about one task, wait, resource or text that need no other fact.

use crate::model::{Resource, ResourceKind, Role, RunState, Site, Snapshot, Task, Wait, WaitMode};

/// A task that has been ready for longer than this counts as starved.
pub(crate) const STARVED_NS: u64 = 250_000_000;

/// Returns whether the text of an await is that of `std::future::pending()`.
pub(crate) fn is_pending(text: &str) -> bool {
    let call = text.strip_suffix(".await").unwrap_or(text);
    // A simple search, because there may be a million spans.
    let mut call = call.find('<').map_or(call, |types| call[..types].trim_end_matches(':'));
    while let Some(function) = call.strip_suffix("()") {
        call = function;
    }
    call == "pending" || call.ends_with("future::pending")
}

/// The side of a channel's queue: 1 for receivers, 0 for all other waits.
pub(crate) fn queue_side(mode: WaitMode) -> usize {
    usize::from(matches!(mode, WaitMode::Receive | WaitMode::Closed))
}

/// Returns whether the task's polls reach this wait.
pub(crate) fn is_active(wait: &Wait) -> bool {
    if wait.is_indirect {
        !wait.is_wake_ignored && !wait.is_wake_lost
    } else {
        !wait.is_set_aside && !wait.is_wake_ignored
    }
}

/// Returns whether the wait is for a message, a notification or an arrival, rather than for
/// something that another task holds.
pub(crate) fn asks_for_signal(wait: &Wait) -> bool {
    matches!(
        wait.mode,
        WaitMode::Receive | WaitMode::Notified | WaitMode::Closed | WaitMode::Arrive | WaitMode::Custom
    )
}

/// Returns whether the task is inside a poll that sleeps in the kernel.
pub(crate) fn is_blocked(task: &Task) -> bool {
    task.state == RunState::Running && task.is_asleep == Some(true)
}

/// Returns whether tokio's `block_on` runs the task on the thread that called it. A block that a
/// function `main` spawns has the same name, but its runtime has given it an id.
pub(crate) fn is_block_on_main(snapshot: &Snapshot, task: &Task) -> bool {
    task.is_local && is_main(snapshot, task)
}

/// Returns whether a `block_on` of any library runs the task. Such a task has no handle.
pub(crate) fn is_main(snapshot: &Snapshot, task: &Task) -> bool {
    task.runtime_id.is_none() && snapshot.site(task.site).is_some_and(|site| site.name == "main")
}

/// Returns whether the task is in `block_in_place`: another thread has taken over its worker.
pub(crate) fn is_in_place(snapshot: &Snapshot, task: &Task) -> bool {
    let is_it = |site: &Site| site.is_blocking && site.name == "block_in_place";
    task.running.iter().any(|site| snapshot.site(*site).is_some_and(is_it))
}

/// Returns whether awaits of the task's handle are recorded. They are recorded for tokio only.
pub(crate) fn records_handles(task: &Task) -> bool {
    task.runtime == *"tokio"
}

/// The units that a wait asks for, at least 1.
pub(crate) fn units_asked(wait: &Wait) -> u64 {
    wait.units.max(1)
}

/// Returns whether the task has been queued for longer than [`STARVED_NS`].
pub(crate) fn has_waited_long(task: &Task) -> bool {
    task.state == RunState::Queued && task.since_ns > STARVED_NS
}

/// Returns whether an event ends the waits for this resource. Events are a notification, an
/// arrival, the closing of an empty task tracker, and the setting of a cell that no call
/// initializes.
pub(crate) fn waits_for_event(it: &Resource) -> bool {
    match it.kind {
        ResourceKind::Barrier | ResourceKind::Notify | ResourceKind::Condvar | ResourceKind::Cancellation => {
            true
        }
        ResourceKind::TaskTracker => !it.is_closed && !is_held(it),
        ResourceKind::OnceCell => !is_held(it),
        _ => false,
    }
}

fn is_held(it: &Resource) -> bool {
    it.holdings.iter().any(|holding| holding.role == Role::Holds)
}

/// Returns whether the wait ends once the resource is closed. A closed task tracker still waits for
/// its tasks. In channels of `futures`, a sender that closes the channel wakes no other sender, but
/// a receiver wakes all of them.
pub(crate) fn closing_ends(it: &Resource, wait: &Wait) -> bool {
    let is_send = buffers_messages(it.kind) && wait.mode == WaitMode::Send;
    it.kind != ResourceKind::TaskTracker && !(is_send && it.library == *"futures")
}

/// Returns whether a pending send that is not polled delays no other sender: the receiver takes its
/// message anyway, or wakes the next sender.
pub(crate) fn forwards_unpolled(it: &Resource) -> bool {
    buffers_messages(it.kind) && it.library != *"tokio"
}

/// Returns whether the channel buffers messages until a receiver takes them.
pub(crate) fn buffers_messages(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::Mpsc | ResourceKind::Mpmc)
}

/// Returns whether the resource is a semaphore that has lost permits, or never had as many permits
/// as the wait asks for.
pub(crate) fn exceeds_permits(it: &Resource, wait: &Wait) -> bool {
    let is_too_much = it.capacity.is_some_and(|all| units_asked(wait) > all);
    it.kind == ResourceKind::Semaphore && (it.forgotten > 0 || is_too_much)
}

/// Returns whether the wait completes regardless of any task, such as a timer or a wait that was
/// woken.
pub(crate) fn completes_by_itself(wait: &Wait) -> bool {
    let gives_up = wait.thread_id.is_some() && wait.due_ns.is_some();
    let is_over = wait.is_unstable || wait.woken_ns.is_some() || wait.is_granted || wait.is_forced;
    is_over || gives_up || wait.mode == WaitMode::Timer
}

/// Returns whether nothing can wake the wait any more.
pub(crate) fn has_no_waker(wait: &Wait) -> bool {
    let is_future = wait.thread_id.is_none() && wait.mode != WaitMode::Timer;
    is_future && wait.wakers == 0 && wait.woken_ns.is_none() && !wait.is_granted
}
