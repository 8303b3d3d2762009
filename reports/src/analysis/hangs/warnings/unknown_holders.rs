//! Waits for locks that un-annotated code holds, while no known code could release them.
//!
//! ```text
//! a task that is not on record  ├ lock().await   its guard has no task
//!                               └ incr().await ┤ a task of its own on record: waits for that lock
//! ```
//! A guard that borrows its lock stays where it was acquired. If every task of the runtime is on
//! record, the unrecorded code that holds the guard awaits an unspawned root. Such a root is an
//! annotated function whose first record was a poll. So the holder can continue if any unspawned
//! root can.

use super::sleeping_threads::may_never_end;
use super::warning::{SUSPECT_NS, warning};
use crate::analysis::hangs::facts::{Facts, is_active, step};
use crate::analysis::hangs::stuck::has_to_end;
use crate::analysis::hangs::verdict::{Confidence, LinkNode, LinkRole, Verdict, VerdictKind};
use crate::analysis::hangs::words::{NamedCallers, at, link};
use crate::model::{Holding, ResourceKind, Role, RunState, Task, TaskId, Wait};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::units::time;

/// Returns one verdict per such lock for which a task that has to end waits.
pub(crate) fn unknown_holders(facts: &Facts<'_>, stuck: &OrderedSet<usize>) -> Vec<Verdict> {
    let snapshot = facts.snapshot;
    if snapshot.foreign_threads > 0 || snapshot.are_threads_unknown || snapshot.unrecorded_tasks > 0 {
        return Vec::new();
    }
    let mut locks: OrderedMap<usize, Vec<(usize, &Wait)>> = OrderedMap::new();
    for wait in snapshot.waits.iter().inspect(|_| step()).filter(|wait| wait.since_ns >= SUSPECT_NS) {
        let Some((task, lock)) = facts.task_of(wait).zip(facts.resource_of(wait)) else { continue };
        let is_alone = is_active(wait) && facts.waits_of_task[task].len() == 1;
        if is_alone && waits_for_others(facts, task) && !stuck.contains(&task) {
            locks.entry(lock).or_default().push((task, wait));
        }
    }
    let goes_on = |(index, task): (usize, &Task)| {
        task.is_unspawned && !stuck.contains(&index) && !waits_for_others(facts, index)
    };
    if locks.is_empty() || snapshot.tasks.iter().enumerate().inspect(|_| step()).any(goes_on) {
        return Vec::new();
    }
    locks.into_iter().filter_map(|(lock, waits)| verdict(facts, lock, &waits)).collect()
}

/// Returns whether all waits of the task end only through other code, and nothing unrecorded can
/// wake the task.
fn waits_for_others(facts: &Facts<'_>, index: usize) -> bool {
    let task = &facts.snapshot.tasks[index];
    let mut waits = facts.waits_of_task[index].iter().inspect(|_| step());
    let is_waiting = task.state == RunState::Waiting && task.opaque_wakers == Some(0);
    is_waiting && !task.is_unstable && waits.all(|&wait| may_never_end(&facts.snapshot.waits[wait]))
}

fn verdict(facts: &Facts<'_>, lock: usize, waits: &[(usize, &Wait)]) -> Option<Verdict> {
    let it = &facts.snapshot.resources[lock];
    let is_lock = matches!(it.kind, ResourceKind::Mutex | ResourceKind::RwLock);
    let (first, wait) = *waits.iter().find(|(task, _)| has_to_end(facts, *task)).filter(|_| is_lock)?;
    let held = || it.holdings.iter().inspect(|_| step()).filter(|holding| holding.role == Role::Holds);
    let is_around = |holding: &Holding| holding.task.is_none() && !holding.is_movable;
    let holding = held().next().filter(|holding| holding.since_ns >= wait.since_ns)?;
    let thread = holding.thread_id.filter(|_| held().all(is_around))?;
    let sentence = format!(
        "{} {}; code without annotation acquired it{} ({} ago): if that code awaits this task, neither can \
         continue",
        facts.waiter_words(wait),
        facts.waits_words(wait, &mut NamedCallers::default()),
        at(holding.place.as_ref()),
        time(holding.since_ns),
    );
    let mut chain =
        vec![facts.task_link(first, facts.place_of(wait).as_ref(), LinkRole::Waits, wait.since_ns)];
    chain.extend(facts.resource_link(lock));
    let place = holding.place.as_ref();
    chain.push(link(LinkNode::Thread, thread, String::new(), place, LinkRole::Holds, holding.since_ns));
    let mut verdict = warning(VerdictKind::Starved, Confidence::Suspect, chain, sentence);
    let id = |&(task, _): &(usize, &Wait)| facts.snapshot.tasks[task].id;
    let others: OrderedSet<TaskId> = waits.iter().filter(|(task, _)| *task != first).map(id).collect();
    verdict.victims = others.into_iter().collect();
    Some(verdict)
}
