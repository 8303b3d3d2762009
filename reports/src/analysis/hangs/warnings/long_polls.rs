//! Polls that do not end while other tasks of their runtime wait for a thread.

use super::sleeping_threads::words_of_poll;
use super::warning::{LONG_POLL_NS, RuntimeKey, runtime_key, warning};
use crate::analysis::hangs::facts::{Facts, STARVED_NS, has_waited_long, is_in_place, is_main};
use crate::analysis::hangs::verdict::{Confidence, Verdict, VerdictKind};
use crate::model::{RunState, Task, TaskKind};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::sort::sort;
use crate::units::{counted, time};

/// Maximum number of threads that are assumed to share a CPU.
const MOST_THREADS: u64 = 50;
/// Maximum factor by which such threads are assumed to prolong a poll.
const MOST_STRETCH: u64 = 10;

/// Polls that keep other tasks of their runtime from running.
pub(super) fn long_polls(facts: &Facts<'_>, stuck: &OrderedSet<usize>) -> Vec<Verdict> {
    let snapshot = facts.snapshot;
    let mut starved: OrderedMap<Executor<'_>, Vec<&Task>> = OrderedMap::new();
    let is_starved = |task: &&Task| {
        let waits = matches!(task.state, RunState::Queued | RunState::Unpolled) && task.since_ns > STARVED_NS;
        // A set that no thread runs yet.
        let is_undriven = task.is_local && executor(facts, task).1.is_none();
        let is_known = !task.runtime.is_empty() && !task.is_unstable && !is_undriven;
        waits && task.kind == TaskKind::Future && is_known
    };
    for task in snapshot.tasks.iter().filter(is_starved) {
        starved.entry(executor(facts, task)).or_default().push(task);
    }
    // Even if another worker is free, a task has to wait while it is in the LIFO slot of the worker
    // that woke it.
    let is_in_lifo_slot = |task: &&Task| {
        let by = task.woken_by.and_then(|id| facts.task(id)).map(|by| &snapshot.tasks[by]);
        has_waited_long(task) && by.is_some_and(|by| is_long(by) && by.since_ns >= task.since_ns)
    };
    for worker in snapshot.workers.iter().filter(|worker| worker.parked) {
        if let Some(tasks) = starved.get_mut(&((worker.runtime.as_str(), worker.runtime_number), None)) {
            tasks.retain(is_in_lifo_slot);
        }
    }
    let is_free = |runtime: RuntimeKey<'_>| {
        let mut parked = snapshot.workers.iter().filter(|worker| worker.parked);
        parked.any(|worker| (worker.runtime.as_str(), worker.runtime_number) == runtime)
    };
    let mut long_polls: OrderedMap<(Executor<'_>, bool, Confidence), Vec<usize>> = OrderedMap::new();
    for (index, task) in snapshot.tasks.iter().enumerate() {
        if let (true, Some(is_asleep)) = (is_long(task) && task.kind == TaskKind::Future, task.is_asleep) {
            let starves = |starved: &Vec<&Task>| {
                let is_woken_here = || starved.iter().any(|it| it.woken_by == Some(task.id));
                !starved.is_empty() && (!is_free(runtime_key(task)) || is_woken_here())
            };
            let is_in_the_way = !stuck.contains(&index) && !is_in_place(snapshot, task);
            if is_in_the_way && starved.get(&executor(facts, task)).is_some_and(starves) {
                let is_unsure = may_end_by_itself(task) || !is_asleep && !uses_cpu(facts, task);
                let confidence = if is_unsure { Confidence::Suspect } else { Confidence::Likely };
                long_polls.entry((executor(facts, task), is_asleep, confidence)).or_default().push(index);
            }
        }
    }
    let verdict = |((executor, is_asleep, confidence), long_polls): (_, Vec<usize>)| {
        long_poll(facts, &long_polls, is_asleep, confidence, &starved[&executor])
    };
    long_polls.into_iter().map(verdict).collect()
}

/// The runtime of tasks that run on the same threads, and the thread if it is a single one.
type Executor<'a> = (RuntimeKey<'a>, Option<u64>);

/// The executor that polls the task. All `LocalSet`s, and all `block_on`s outside of a runtime's
/// workers, have the runtime number 0. A task that was not polled yet is on its spawner's thread.
fn executor<'a>(facts: &Facts<'a>, task: &'a Task) -> Executor<'a> {
    let snapshot = facts.snapshot;
    let is_of_a_thread = task.runtime_number == 0 && (task.is_local || is_main(snapshot, task));
    let of_spawner = || {
        let spawner = &snapshot.tasks[facts.task(task.spawned_by?)?];
        // A `block_on` need not run the set yet.
        spawner.thread_id.filter(|_| spawner.is_local && !is_main(snapshot, spawner))
    };
    (runtime_key(task), task.thread_id.or_else(of_spawner).filter(|_| is_of_a_thread))
}

/// Returns whether the task has been in one poll for longer than [`LONG_POLL_NS`].
pub(crate) fn is_long(task: &Task) -> bool {
    task.state == RunState::Running && task.since_ns > LONG_POLL_NS && !task.is_unstable
}

/// Returns whether the poll sleeps with a time limit, or until an event outside of the process. It
/// may sleep like that again and again.
pub(crate) fn may_end_by_itself(task: &Task) -> bool {
    task.is_asleep == Some(true) && task.waits_for_thread == Some(false)
}

/// Returns whether the thread of a running task may have used a CPU for long during the poll. On a
/// machine that is busy with other work, a thread may wait that long for a CPU before it sleeps or
/// ends the poll.
pub(super) fn uses_cpu(facts: &Facts<'_>, task: &Task) -> bool {
    let mut workers = facts.snapshot.workers.iter();
    let own = workers.find(|worker| worker.thread_id.is_some() && worker.thread_id == task.thread_id);
    let Some((worker, cpu_ns)) = own.and_then(|worker| Some((worker, worker.cpu_ns?))) else { return true };
    // Scales the length of the poll by the share of the wanted CPU time that the thread has
    // received.
    let wanted_ns = cpu_ns.saturating_add(worker.delayed_ns.unwrap_or(0)).max(1);
    let on_cpu_ns = u128::from(task.since_ns) * u128::from(cpu_ns) / u128::from(wanted_ns);
    let on_cpu_ns = on_cpu_ns.max(u128::from(task.since_ns / MOST_STRETCH));
    // CPU times count from a reset, and the length of the poll from its start.
    let recorded_ns = task.since_ns.min(facts.snapshot.elapsed_ns);
    cpu_ns >= recorded_ns / MOST_THREADS && on_cpu_ns > u128::from(LONG_POLL_NS)
}

fn long_poll(
    facts: &Facts<'_>,
    long_polls: &[usize],
    is_asleep: bool,
    confidence: Confidence,
    starved: &[&Task],
) -> Verdict {
    let mut chain = Vec::new();
    let mut words = Vec::new();
    for &index in long_polls {
        words.push(words_of_poll(facts, index, &mut chain));
    }
    let longest_ns = starved.iter().map(|task| task.since_ns).max().unwrap_or(0);
    let sentence = format!(
        "{}; {} of its runtime {} queued for a thread ({}{})",
        words.join("; "),
        counted(starved.len() as u64, "other task"),
        if starved.len() == 1 { "is" } else { "are" },
        if starved.len() == 1 { "" } else { "longest " },
        time(longest_ns)
    );
    let kind = if is_asleep { VerdictKind::BlockedWorker } else { VerdictKind::Spin };
    let mut verdict = warning(kind, confidence, chain, sentence);
    verdict.victims = starved.iter().map(|task| task.id).collect();
    sort(&mut verdict.victims);
    verdict
}
