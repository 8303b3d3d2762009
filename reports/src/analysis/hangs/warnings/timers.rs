//! Timers that no thread drives, and the tasks that block those threads.

use super::long_polls::{is_long, may_end_by_itself, uses_cpu};
use super::sleeping_threads::words_of_poll;
use super::warning::{RuntimeKey, runtime_key, warning};
use crate::analysis::hangs::facts::Facts;
use crate::analysis::hangs::verdict::{Confidence, Link, LinkRole, Verdict, VerdictKind};
use crate::analysis::hangs::words::at;
use crate::model::{RunState, Task, TaskId, TaskKind, Wait, WaitMode};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::sort::sort_by_key;
use crate::units::{counted, time};

/// The bound for the `due_ns` of a timer, in ns, below which it counts as not driven. It is
/// negative, because such a timer is overdue.
const OVERDUE_NS: i64 = -1_000_000_000;
/// Maximum number of tasks that block the threads of a timer and are named.
const MAX_NAMED: usize = 4;

/// ns until the timer is due (negative), the index of its task, and its wait.
type LateTimer<'a> = (i64, usize, &'a Wait);

/// One verdict per runtime with overdue timers.
pub(crate) fn overdue(facts: &Facts<'_>, stuck: &OrderedSet<usize>) -> Vec<Verdict> {
    let mut late: OrderedMap<RuntimeKey<'_>, Vec<LateTimer<'_>>> = OrderedMap::new();
    for wait in facts.snapshot.waits.iter().filter(|wait| wait.mode == WaitMode::Timer) {
        let Some(due_ns) = wait.due_ns.filter(|&due_ns| due_ns < OVERDUE_NS) else { continue };
        let Some(task) = facts.task_of(wait).filter(|task| !stuck.contains(task)) else { continue };
        let it = &facts.snapshot.tasks[task];
        if it.state == RunState::Waiting && wait.woken_ns.is_none() && !wait.is_unstable && !it.is_unstable {
            late.entry(runtime_key(it)).or_default().push((due_ns, task, wait));
        }
    }
    late.into_iter().filter_map(|(runtime, late)| verdict(facts, runtime, late)).collect()
}

fn verdict(facts: &Facts<'_>, runtime: RuntimeKey<'_>, mut late: Vec<LateTimer<'_>>) -> Option<Verdict> {
    sort_by_key(&mut late, |&(due_ns, task, _)| (due_ns, task));
    let &(due_ns, task, wait) = late.first()?;
    let place = facts.place_of(wait);
    let mut chain = vec![facts.task_link(task, place.as_ref(), LinkRole::Waits, wait.since_ns)];
    let others = late.len() as u64 - 1;
    let others = if others > 0 {
        format!("; {} {} overdue too", counted(others, "more timer"), if others == 1 { "is" } else { "are" })
    } else {
        String::new()
    };
    let threads = driving_threads(facts, runtime, &late);
    let blocking_tasks = blocking_tasks(facts, &threads);
    let has_worker = has_worker(facts, runtime);
    let is_late_itself = || lack_cpus(facts, runtime) || has_worker && have_polled_lately(facts, &threads);
    if blocking_tasks.is_empty() && is_late_itself() {
        return None;
    }
    // The program may run the runtime only now and then.
    let is_left_alone = blocking_tasks.is_empty() && !has_worker;
    let tasks = &facts.snapshot.tasks;
    // One free thread is enough to drive the timers. A thread that used no CPU time may have waited
    // for a CPU all the time, and may be about to sleep.
    let waits_for_cpu = |task: &Task| task.is_asleep != Some(true) && !uses_cpu(facts, task);
    let is_soon_driven =
        blocking_tasks.iter().any(|&task| may_end_by_itself(&tasks[task]) || waits_for_cpu(&tasks[task]));
    let confidence = if is_left_alone || is_soon_driven { Confidence::Suspect } else { Confidence::Likely };
    let reason = match runtime {
        (_, 1..) if is_left_alone => "no thread is in a `block_on` of its runtime",
        _ => "no thread drives the timers of its runtime",
    };
    let mut sentence = format!(
        "{} is waiting for a timer{} (due {} ago){others}: {reason}",
        facts.waiter_words(wait),
        at(place.as_ref()),
        time(due_ns.unsigned_abs()),
    );
    let mut words = Vec::new();
    for &blocking_task in blocking_tasks.iter().take(MAX_NAMED) {
        let thread = facts.snapshot.tasks[blocking_task].thread_id;
        let thread = thread.map(|thread| format!(" (thread {thread})")).unwrap_or_default();
        words.push(words_of_poll(facts, blocking_task, &mut chain) + &thread);
    }
    if !words.is_empty() {
        sentence = format!("{sentence}, because {}", words.join(", and "));
    }
    let mut verdict = warning(VerdictKind::DriverStarved, confidence, chain, sentence);
    let victims: OrderedSet<TaskId> = late.iter().skip(1).filter_map(|(_, _, wait)| wait.task).collect();
    verdict.victims = victims.into_iter().filter(|id| Some(*id) != wait.task).collect();
    Some(verdict)
}

/// Returns whether any thread is a worker of the runtime now.
pub(super) fn has_worker(facts: &Facts<'_>, (name, number): RuntimeKey<'_>) -> bool {
    let mut workers = facts.snapshot.workers.iter();
    workers.any(|worker| (worker.runtime.as_str(), worker.runtime_number) == (name, number))
}

/// Returns whether a worker of the runtime waits for a CPU or a disk, or all workers got less than
/// a tenth of the CPU time that they wanted. Then they may not have processed their timers yet.
fn lack_cpus(facts: &Facts<'_>, (name, number): RuntimeKey<'_>) -> bool {
    let workers = facts.snapshot.workers.iter();
    let mut own = workers.filter(|worker| (worker.runtime.as_str(), worker.runtime_number) == (name, number));
    let mut times = own.clone().filter_map(|worker| worker.cpu_ns.zip(worker.delayed_ns)).peekable();
    let is_delayed = own.any(|worker| worker.is_delayed);
    is_delayed || times.peek().is_some() && times.all(|(cpu_ns, delayed_ns)| delayed_ns / 9 > cpu_ns)
}

/// The threads that should drive the timers: the workers of the runtime, or the threads that polled
/// the waiting tasks.
fn driving_threads(
    facts: &Facts<'_>,
    (name, number): RuntimeKey<'_>,
    late: &[LateTimer<'_>],
) -> OrderedSet<u64> {
    let workers = facts.snapshot.workers.iter();
    let workers = workers
        .filter(|worker| number != 0 && (worker.runtime.as_str(), worker.runtime_number) == (name, number));
    let mut threads: OrderedSet<u64> = workers.filter_map(|worker| worker.thread_id).collect();
    if threads.is_empty() {
        threads.extend(late.iter().filter_map(|&(_, task, _)| facts.snapshot.tasks[task].thread_id));
    }
    threads
}

/// The tasks whose polls do not end on those threads.
fn blocking_tasks(facts: &Facts<'_>, threads: &OrderedSet<u64>) -> Vec<usize> {
    let snapshot = facts.snapshot;
    let is_blocking = |index: &usize| {
        let task = &snapshot.tasks[*index];
        let is_there = task.thread_id.is_some_and(|thread| threads.contains(&thread));
        is_there && is_long(task) && task.kind == TaskKind::Future
    };
    (0..snapshot.tasks.len()).filter(is_blocking).collect()
}

/// Returns whether a poll has begun or ended on any of those threads within the last second. A
/// worker that polls also reaches its timers.
fn have_polled_lately(facts: &Facts<'_>, threads: &OrderedSet<u64>) -> bool {
    facts.snapshot.tasks.iter().any(|task| {
        let is_there = task.thread_id.is_some_and(|thread| threads.contains(&thread));
        let is_polled = matches!(task.state, RunState::Running | RunState::Waiting);
        is_there && is_polled && task.kind == TaskKind::Future && task.since_ns < OVERDUE_NS.unsigned_abs()
    })
}

/// Makes verdicts about late timers follow the verdict that explains why their thread is blocked.
pub(crate) fn attach_timers_to_causes(verdicts: &mut [Verdict]) {
    let is_blocked = |link: &&Link| matches!(link.role, LinkRole::Blocked | LinkRole::Running);
    let causes: OrderedMap<u64, usize> = verdicts
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, verdict)| verdict.kind != VerdictKind::DriverStarved && verdict.root_cause)
        .flat_map(|(index, verdict)| {
            verdict.chain.iter().filter(is_blocked).map(move |link| (link.id, index))
        })
        .collect();
    for verdict in verdicts.iter_mut().filter(|it| it.kind == VerdictKind::DriverStarved) {
        let cause = verdict.chain.iter().filter(is_blocked).find_map(|link| causes.get(&link.id));
        if let Some(&cause) = cause {
            (verdict.root_cause, verdict.behind) = (false, Some(cause));
        }
    }
}
