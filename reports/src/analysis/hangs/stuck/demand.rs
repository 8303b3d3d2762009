//! Whether anybody wants a set of stuck tasks to go on.
//!
//! Two idle tasks that could only hear from each other are no hang: a service that nobody calls any more looks like this. They
//! are one if something that has to end waits behind them: a root task, such as `main`, or one that is joined. Whoever waits
//! for a lock, for a place, or for a task to end, and whose messages lie unread, wants it by that alone.

use crate::analysis::hangs::facts::{Facts, is_active};
use crate::analysis::hangs::system::Node;
use crate::model::{Snapshot, Task, WaitMode};

/// Whether those on the way have to go on.
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
    let waits = path.iter().any(|node| matches!(node, Node::Wait(_)));
    !waits || path.iter().any(is_at_work) || is_any_needed(facts, path.iter().copied(), &[])
}

/// Whether any of the tasks of a group, or of those behind it, has to go on.
pub(crate) fn is_any_needed(
    facts: &Facts<'_>,
    mut group: impl Iterator<Item = Node>,
    behind: &[usize],
) -> bool {
    let has_to_end = |task: usize| has_to_end(facts, task);
    let is_kept_up = |task: usize| facts.waits_of_task[task].iter().any(|&wait| needs_progress(facts, wait));
    behind.iter().any(|&task| has_to_end(task) || is_kept_up(task))
        || group.any(|node| node.task().is_some_and(has_to_end))
}

/// Whether that is polled, and waits for more than to hear from others.
fn needs_progress(facts: &Facts<'_>, wait: usize) -> bool {
    let wait = &facts.snapshot.waits[wait];
    let only_hears = matches!(
        wait.mode,
        WaitMode::Receive | WaitMode::Notified | WaitMode::Closed | WaitMode::Arrive | WaitMode::Custom
    );
    is_active(wait) && !only_hears
}

/// Whether the task has to end: a root task, or one that is joined.
pub(crate) fn has_to_end(facts: &Facts<'_>, task: usize) -> bool {
    is_root(facts.snapshot, &facts.snapshot.tasks[task]) || facts.is_joined[task]
}

/// Whether it is the root of the program, or of a thread: nobody has spawned it, or it is what a runtime runs as `main`.
fn is_root(snapshot: &Snapshot, task: &Task) -> bool {
    let is_main = || snapshot.sites.get(task.site).is_some_and(|site| site.name == "main");
    task.spawned_by.is_none() && (task.spawned_at.is_none() || is_main())
}
