//! All warnings: what may hang, seen without a proof.
//!
//! | kind | if | confidence |
//! |---|---|---|
//! | `driver_starved` | a timer is overdue by more than 1 s, and was not woken | likely |
//! | `spin`, `blocked_worker` | a poll has run, or slept, for 0.5 s, another task has waited for a thread for 0.25 s, and no worker is free | likely |
//! | `blocked_worker` | a thread has slept for 0.5 s in a wait for a task that is done | likely |
//! | `blocked_worker`, `spin` | a future in a `block_on` inside a poll has no budget left, and the poll has slept, or run, for 0.5 s | suspect |
//! | `lost_waker` | a hand-written future has waited for 1 s without a recorded wait, and something waits for its task | suspect |
//! | `blocked_worker` | a poll has slept for 1 s, and it is unknown what waits for its thread | suspect |
//! | `pool_exhausted` | all threads for blocking work sleep, and a job has waited for one for 1 s | suspect |
//! | `starved` | something waits for the end of a task that has awaited an unrecorded call like `recv()` for 1 s | suspect |
//! | `shutdown` | a runtime has waited for sleeping blocking work for 10 s; for any blocking work for 1 s | likely; suspect |
//! | `hazard` | a future was woken more than 1 s ago and is not polled, or holds what others have waited for as long | suspect |
//!
//! Tasks that are stuck for a known reason are left out.

use std::collections::{BTreeMap, BTreeSet};

use super::hazards::hazards;
use super::missed_wakes::{out_of_budget, sleep_after_join, unused_wakers};
use super::sleeping_threads::{full_pools, long_sleeps, words_of_poll};
use super::timers::overdue;
use super::unexplained::unexplained;
use crate::analysis::hangs::facts::{Facts, IdMap, STARVED_NS, has_waited_long, is_blocked};
use crate::analysis::hangs::system::Node;
use crate::analysis::hangs::verdict::{Confidence, Link, LinkRole, Verdict, VerdictKind};
use crate::analysis::hangs::words::at;
use crate::model::{RunState, Task, TaskKind, Wait, WaitMode};
use crate::units::{counted, time};

/// A longer poll keeps other tasks from running.
pub(crate) const LONG_POLL_NS: u64 = 500_000_000;
/// Blocking work that only finishes its writes takes less time, most likely.
const SLOW_JOB_NS: u64 = 10_000_000_000;
/// The minimum age of a suspicion.
pub(crate) const SUSPECT_NS: u64 = 1_000_000_000;

/// The name and number of a runtime.
pub(crate) type RuntimeKey<'a> = (&'a str, u64);

/// All warnings, apart from stuck tasks, by index, and from nodes that have a verdict.
pub(crate) fn warnings(
    facts: &Facts<'_>,
    stuck: &BTreeSet<usize>,
    verdict_of_node: &IdMap<Node, usize>,
) -> Vec<Verdict> {
    let mut warnings = Vec::new();
    warnings.extend(overdue(facts, stuck));
    warnings.extend(long_polls(facts, stuck));
    warnings.extend(facts.snapshot.waits.iter().filter_map(|wait| sleep_after_join(facts, wait)));
    warnings.extend(facts.snapshot.waits.iter().filter_map(|wait| out_of_budget(facts, wait)));
    warnings.extend(unused_wakers(facts, stuck));
    warnings.extend(facts.snapshot.waits.iter().filter_map(|wait| shutdown(facts, stuck, wait)));
    warnings.extend(hazards(facts, stuck, verdict_of_node));
    warnings.extend(unexplained(facts, stuck));
    warnings.extend(full_pools(facts, stuck));
    let mentioned: BTreeSet<u64> = warnings.iter().flat_map(|it| &it.chain).map(|link| link.id).collect();
    warnings.extend(long_sleeps(facts, stuck, &mentioned));
    warnings
}

/// A verdict without victims that no other verdict explains.
pub(crate) fn warning(
    kind: VerdictKind,
    confidence: Confidence,
    chain: Vec<Link>,
    sentence: String,
) -> Verdict {
    Verdict {
        kind,
        detail: None,
        confidence,
        root_cause: true,
        chain,
        sentence,
        victims: Vec::new(),
        behind: None,
    }
}

/// The runtime of a task.
pub(crate) fn runtime_key(task: &Task) -> RuntimeKey<'_> {
    (&task.runtime, task.runtime_number)
}

/// Polls that keep other tasks of their runtime from running.
fn long_polls(facts: &Facts<'_>, stuck: &BTreeSet<usize>) -> Vec<Verdict> {
    let snapshot = facts.snapshot;
    let mut starved: BTreeMap<RuntimeKey<'_>, Vec<&Task>> = BTreeMap::new();
    let is_starved = |task: &&Task| {
        let waits = matches!(task.state, RunState::Queued | RunState::Unpolled) && task.since_ns > STARVED_NS;
        waits && task.kind == TaskKind::Future && !task.runtime.is_empty() && !task.is_unstable
    };
    for task in snapshot.tasks.iter().filter(is_starved) {
        starved.entry(runtime_key(task)).or_default().push(task);
    }
    // Even beside a free worker, a task waits if the worker that woke it keeps it in its LIFO slot.
    let is_kept = |task: &&Task| {
        let by = task.woken_by.and_then(|id| facts.task(id)).map(|by| &snapshot.tasks[by]);
        has_waited_long(task) && by.is_some_and(|by| is_long(by) && by.since_ns >= task.since_ns)
    };
    for worker in snapshot.workers.iter().filter(|worker| worker.parked) {
        if let Some(tasks) = starved.get_mut(&(worker.runtime.as_str(), worker.runtime_number)) {
            tasks.retain(is_kept);
        }
    }
    starved.retain(|_, tasks| !tasks.is_empty());
    let is_free = |runtime: RuntimeKey<'_>| {
        let mut parked = snapshot.workers.iter().filter(|worker| worker.parked);
        parked.any(|worker| (worker.runtime.as_str(), worker.runtime_number) == runtime)
    };
    let mut long_polls: BTreeMap<(RuntimeKey<'_>, bool), Vec<usize>> = BTreeMap::new();
    for (index, task) in snapshot.tasks.iter().enumerate() {
        if let (true, Some(is_asleep)) = (is_long(task) && task.kind == TaskKind::Future, task.is_asleep) {
            let keeps = |starved: &Vec<&Task>| {
                !is_free(runtime_key(task)) || starved.iter().any(|it| it.woken_by == Some(task.id))
            };
            if !stuck.contains(&index) && starved.get(&runtime_key(task)).is_some_and(keeps) {
                long_polls.entry((runtime_key(task), is_asleep)).or_default().push(index);
            }
        }
    }
    let verdict = |((runtime, is_asleep), long_polls): (_, Vec<usize>)| {
        long_poll(facts, &long_polls, is_asleep, &starved[&runtime])
    };
    long_polls.into_iter().map(verdict).collect()
}

/// Whether the task has been in one poll for long.
pub(crate) fn is_long(task: &Task) -> bool {
    task.state == RunState::Running && task.since_ns > LONG_POLL_NS && !task.is_unstable
}

fn long_poll(facts: &Facts<'_>, long_polls: &[usize], is_asleep: bool, starved: &[&Task]) -> Verdict {
    let mut chain = Vec::new();
    let mut words = Vec::new();
    for &index in long_polls {
        words.push(words_of_poll(facts, index, &mut chain));
    }
    let longest_ns = starved.iter().map(|task| task.since_ns).max().unwrap_or(0);
    let sentence = format!(
        "{}; {} of its runtime could run and {} had no thread for {}",
        words.join(", "),
        counted(starved.len() as u64, "other task"),
        if starved.len() == 1 { "has" } else { "have" },
        time(longest_ns)
    );
    let kind = if is_asleep { VerdictKind::BlockedWorker } else { VerdictKind::Spin };
    let mut verdict = warning(kind, Confidence::Likely, chain, sentence);
    verdict.victims = starved.iter().map(|task| task.id).collect();
    verdict.victims.sort_unstable();
    verdict
}

/// A runtime that shuts down while blocking work does not end.
fn shutdown(facts: &Facts<'_>, stuck: &BTreeSet<usize>, wait: &Wait) -> Option<Verdict> {
    let (mut tasks, known) = (wait.tasks.iter(), |id: &u64| facts.task(*id));
    if wait.mode != WaitMode::Shutdown
        || wait.is_unstable
        || wait.tasks.iter().filter_map(known).any(|task| stuck.contains(&task))
    {
        return None;
    }
    let job = tasks.find_map(known)?;
    let it = &facts.snapshot.tasks[job];
    let confidence = match is_blocked(it) {
        true if wait.since_ns.min(it.since_ns) >= SLOW_JOB_NS => Confidence::Likely,
        _ if wait.since_ns >= SUSPECT_NS => Confidence::Suspect,
        _ => return None,
    };
    let place = facts.place_of(wait);
    let waiter = match facts.task_of(wait) {
        Some(task) => facts.task_link(task, place.as_ref(), LinkRole::Blocked, wait.since_ns),
        None => crate::analysis::hangs::words::link(
            crate::analysis::hangs::verdict::LinkNode::Thread,
            wait.thread_id.unwrap_or(wait.id),
            String::new(),
            place.as_ref(),
            LinkRole::Blocked,
            wait.since_ns,
        ),
    };
    let spawned = facts.place_of_site(it.site);
    let link = facts.task_link(job, spawned.as_ref(), LinkRole::Running, it.since_ns);
    let sentence = format!(
        "the runtime that was built{} goes away, and has waited for {} for blocking {}, which has run for {}",
        at(place.as_ref()),
        time(wait.since_ns),
        facts.task_words(it.id),
        time(it.since_ns)
    );
    Some(warning(VerdictKind::Shutdown, confidence, vec![waiter, link], sentence))
}
