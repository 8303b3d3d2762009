//! Awaited tasks that were never polled: no thread is known to run their `LocalSet` or runtime.
//!
//! Tasks of runtimes that were not built through this crate are left out: their workers are
//! unknown.

use std::cell::LazyCell;

use super::long_polls::is_long;
use super::timers::has_worker;
use super::warning::{SUSPECT_NS, runtime_key, warning};
use crate::analysis::hangs::facts::{Facts, is_active, step};
use crate::analysis::hangs::verdict::{Confidence, LinkRole, Verdict, VerdictDetail, VerdictKind};
use crate::analysis::hangs::words::at;
use crate::model::{ResourceKind, Role, RunState, Task, TaskId, TaskKind};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::units::time;

/// Returns one verdict per awaited task that no thread polls. Returns none while any task is in a
/// long poll, because that poll may occupy the thread.
pub(crate) fn undriven(facts: &Facts<'_>, stuck: &OrderedSet<usize>) -> Vec<Verdict> {
    let tasks = &facts.snapshot.tasks;
    let is_new = |task: &usize| is_left_alone(facts, &tasks[*task]) && !stuck.contains(task);
    let mut unpolled = (0..tasks.len()).filter(is_new).peekable();
    if unpolled.peek().is_none() || tasks.iter().any(is_long) {
        return Vec::new();
    }
    let trackers = LazyCell::new(|| trackers(facts));
    let wait_for = |task: usize| {
        let join = facts.join_wait(task);
        join.or_else(|| facts.waits_of_resource[*trackers.get(&tasks[task].id)?].iter().next().copied())
    };
    unpolled.filter_map(|task| verdict(facts, task, wait_for(task)?)).collect()
}

/// By tracked task: the index of its task tracker.
fn trackers(facts: &Facts<'_>) -> OrderedMap<TaskId, usize> {
    let resources = facts.snapshot.resources.iter().enumerate().inspect(|_| step());
    let trackers = resources.filter(|(_, it)| it.kind == ResourceKind::TaskTracker);
    let tracked = trackers.flat_map(|(index, it)| {
        let tasks = it.holdings.iter().filter(|holding| holding.role == Role::Holds && !holding.is_movable);
        tasks.filter_map(move |holding| Some((holding.task?, index)))
    });
    tracked.collect()
}

fn is_left_alone(facts: &Facts<'_>, task: &Task) -> bool {
    let is_old = task.state == RunState::Unpolled && task.since_ns >= SUSPECT_NS && !task.is_unstable;
    let has_executor = task.kind == TaskKind::Future && !task.is_unspawned;
    let has_no_worker = || task.runtime_number != 0 && !has_worker(facts, runtime_key(task));
    is_old && has_executor && (task.is_local || has_no_worker())
}

fn verdict(facts: &Facts<'_>, task: usize, wait: usize) -> Option<Verdict> {
    let it = &facts.snapshot.tasks[task];
    let wait = &facts.snapshot.waits[wait];
    let waiter = facts.task_of(wait).filter(|_| is_active(wait) && wait.since_ns >= SUSPECT_NS)?;
    let place = facts.place_of(wait);
    let executor = if it.is_local { "`LocalSet`" } else { "runtime" };
    let sentence = format!(
        "{} is waiting for {} to finish{} ({}); that task was spawned{} {} ago and never polled: no thread is \
         known to run its {executor}",
        facts.task_words(facts.snapshot.tasks[waiter].id),
        facts.task_words(it.id),
        at(place.as_ref()),
        time(wait.since_ns),
        at(it.spawned_at.as_ref()),
        time(it.since_ns),
    );
    let chain = vec![
        facts.task_link(waiter, place.as_ref(), LinkRole::Waits, wait.since_ns),
        facts.task_link(task, it.spawned_at.as_ref(), LinkRole::Queued, it.since_ns),
    ];
    let mut verdict = warning(VerdictKind::DriverStarved, Confidence::Suspect, chain, sentence);
    verdict.detail = Some(VerdictDetail::Undriven);
    Some(verdict)
}
