//! Whether anything needs a set of stuck tasks to make progress.
//!
//! Two idle tasks that only wait for messages from each other are not a hang: a service without
//! clients looks like this. They hang if a task that has to end waits behind them: a root task such
//! as `main`, or a joined task. They also hang if one of them waits for a lock, for capacity or for
//! the end of a task, or if a message is unread.

use crate::analysis::hangs::facts::{Facts, UnrecordedAwait, asks_for_signal, is_active, waits_for_event};
use crate::analysis::hangs::system::Node;
use crate::model::{Snapshot, Task, Wait, WaitMode};

/// Returns whether the nodes on the path have to make progress.
pub(crate) fn is_needed(facts: &Facts<'_>, path: &[Node]) -> bool {
    let snapshot = facts.snapshot;
    let is_at_work = |node: &Node| match *node {
        Node::Wait(wait) => needs_progress(facts, wait),
        Node::Holding(resource, number) => {
            let inside = snapshot.resources[resource].holdings[number].in_channel;
            inside.and_then(|id| facts.resource(id)).is_some_and(|index| snapshot.resources[index].filled > 0)
        }
        Node::FreeWorker(_) | Node::FreePoolThread(_) | Node::Thread(_) => true,
        _ => false,
    };
    // The entry point of a program often ends with an un-annotated `pending()`.
    let may_be_idle = |node: &Node| match *node {
        Node::Wait(_) => true,
        Node::Woken(task) => {
            facts.waits_of_task[task].is_empty() && facts.unrecorded_awaits[task] == UnrecordedAwait::Unknown
        }
        _ => false,
    };
    !path.iter().any(may_be_idle)
        || path.iter().any(is_at_work)
        || is_any_needed(facts, path.iter().copied(), &[])
}

/// Returns whether any task of a component, or any task behind it, has to make progress.
pub(crate) fn is_any_needed(
    facts: &Facts<'_>,
    mut group: impl Iterator<Item = Node>,
    behind: &[usize],
) -> bool {
    let has_to_end = |task: usize| has_to_end(facts, task);
    let is_held_up = |task: usize| {
        let is_polled = has_active(facts, task);
        let waits = facts.waits_of_task[task].iter().map(|&wait| &facts.snapshot.waits[wait]);
        waits.into_iter().any(|wait| (is_active(wait) || !is_polled) && !is_idle(facts, wait))
    };
    behind.iter().any(|&task| has_to_end(task) || is_held_up(task))
        || group.any(|node| node.task().is_some_and(has_to_end))
}

/// Returns whether the wait is polled, and is for more than a message or a notification. An
/// unpolled wait counts if its task polls none of its waits.
fn needs_progress(facts: &Facts<'_>, wait: usize) -> bool {
    let wait = &facts.snapshot.waits[wait];
    let is_left = || facts.task_of(wait).is_none_or(|task| !has_active(facts, task));
    !is_idle(facts, wait) && (is_active(wait) || is_left())
}

/// Returns whether the wait is for a message or a notification, or for a cell that no call
/// initializes.
fn is_idle(facts: &Facts<'_>, wait: &Wait) -> bool {
    let is_unset =
        || facts.resource_of(wait).is_some_and(|it| waits_for_event(&facts.snapshot.resources[it]));
    asks_for_signal(wait) || wait.mode == WaitMode::Initialize && is_unset()
}

fn has_active(facts: &Facts<'_>, task: usize) -> bool {
    facts.waits_of_task[task].iter().any(|&wait| is_active(&facts.snapshot.waits[wait]))
}

/// Returns whether the task has to end, because it is a root task or a joined task.
pub(crate) fn has_to_end(facts: &Facts<'_>, task: usize) -> bool {
    is_root(facts.snapshot, &facts.snapshot.tasks[task]) || facts.is_joined[task]
}

/// Returns whether the task is the root of the program or of a thread: no task spawned it, and it
/// has no spawn site unless it is `main`.
fn is_root(snapshot: &Snapshot, task: &Task) -> bool {
    let is_main = || snapshot.site(task.site).is_some_and(|site| site.name == "main");
    task.spawned_by.is_none() && (task.spawned_at.is_none() || is_main())
}
