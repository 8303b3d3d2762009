//! Threads that sleep in user code without a known hang: pools, blocking work, long polls.

use super::warning::{SUSPECT_NS, warning};
use crate::analysis::hangs::facts::{Facts, is_block_on_main, is_blocked, is_in_place, step};
use crate::analysis::hangs::stuck::has_to_end;
use crate::analysis::hangs::verdict::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictKind};
use crate::analysis::hangs::words::{NamedCallers, acquired_words, at, link};
use crate::model::{BlockingPool, Role, RunState, Task, TaskId, TaskKind, Wait, WaitMode};
use crate::ordered::OrderedSet;
use crate::sort::sort_by_key;
use crate::units::time;

/// Maximum number of jobs of a pool that are shown.
const MAX_JOBS: usize = 8;

/// Pools for blocking work whose threads all sleep while jobs wait for a thread.
pub(crate) fn full_pools(facts: &Facts<'_>, stuck: &OrderedSet<usize>) -> Vec<Verdict> {
    let pools = facts.snapshot.blocking_pools.iter();
    pools.filter_map(|pool| full_pool(facts, stuck, pool)).collect()
}

fn full_pool(facts: &Facts<'_>, stuck: &OrderedSet<usize>, pool: &BlockingPool) -> Option<Verdict> {
    let jobs = facts.snapshot.tasks.iter().enumerate();
    let is_own = |task: &Task| task.kind == TaskKind::Blocking && task.runtime_number == pool.runtime_number;
    let jobs: Vec<(usize, &Task)> =
        jobs.filter(|(index, task)| is_own(task) && !stuck.contains(index)).collect();
    let (queued, mut running): (Vec<_>, Vec<_>) =
        jobs.into_iter().partition(|(_, job)| job.state == RunState::Unpolled);
    let longest_ns = queued.iter().map(|(_, job)| job.since_ns).max()?;
    let is_full = running.len() as u64 >= pool.threads && running.iter().all(|(_, job)| is_blocked(job));
    if longest_ns < SUSPECT_NS || !is_full {
        return None;
    }
    sort_by_key(&mut running, |(_, job)| (std::cmp::Reverse(job.since_ns), job.id));
    let &(first, job) = running.first()?;
    let place = facts.place_of_site(job.site);
    let link = |&(index, job): &(usize, &Task)| {
        facts.task_link(index, facts.place_of_site(job.site).as_ref(), LinkRole::Blocked, job.since_ns)
    };
    let chain = running.iter().take(MAX_JOBS).map(link).collect();
    let (threads, longest) = match running.len() {
        1 => ("the only blocking thread is sleeping".to_owned(), ""),
        many => (format!("all {many} blocking threads are sleeping"), ", the longest"),
    };
    let sentence = format!(
        "{threads}{longest} in {}{} ({}); {} queued for a thread ({}{})",
        facts.task_words(facts.snapshot.tasks[first].id),
        at(place.as_ref()),
        time(job.since_ns),
        if queued.len() == 1 { "1 job is".to_owned() } else { format!("{} jobs are", queued.len()) },
        if queued.len() == 1 { "" } else { "longest " },
        time(longest_ns),
    );
    let mut verdict = warning(VerdictKind::PoolExhausted, Confidence::Suspect, chain, sentence);
    verdict.victims = queued.iter().map(|(_, job)| job.id).collect();
    Some(verdict)
}

/// Blocking work that waits for another thread without a record, such as for a lock of std, while
/// no other code in the process makes progress. Nothing wakes such work, so it never ends. A job
/// that waits for work from a queue does so on purpose, unless a task that has to end awaits the
/// job.
pub(crate) fn sleeping_jobs(facts: &Facts<'_>, stuck: &OrderedSet<usize>) -> Option<Verdict> {
    let snapshot = facts.snapshot;
    let all = || snapshot.tasks.iter().enumerate().inspect(|_| step());
    let is_job = |task: &Task| task.kind == TaskKind::Blocking && task.waits_for_thread == Some(true);
    let is_asleep = |task: &Task| is_blocked(task) && is_job(task) && !task.is_unstable;
    let jobs: Vec<(usize, &Task)> =
        all().filter(|(index, task)| is_asleep(task) && !stuck.contains(index)).collect();
    let is_old = |(_, job): &&(usize, &Task)| job.since_ns >= SUSPECT_NS;
    let joiner = |(job, _): &(usize, &Task)| {
        let wait = &snapshot.waits[facts.join_wait(*job)?];
        let joiner = facts.task_of(wait).filter(|joiner| !stuck.contains(joiner))?;
        (wait.since_ns >= SUSPECT_NS && has_to_end(facts, joiner)).then_some((joiner, wait))
    };
    let (joiner, wait) = jobs.iter().filter(is_old).find_map(joiner)?;
    let is_recorded = |&(index, job): &(usize, &Task)| {
        wait_of_job(facts, job).is_some() || block_on_in_job(facts, index).is_some()
    };
    let goes_on = |(index, task): (usize, &Task)| {
        let waits_for_others = || {
            let mut waits = facts.waits_of_task[index].iter().map(|&wait| &snapshot.waits[wait]);
            let is_waiting = task.state == RunState::Waiting && task.opaque_wakers == Some(0);
            is_waiting && !task.is_unstable && waits.all(may_never_end)
        };
        !stuck.contains(&index) && !is_asleep(task) && !waits_for_others()
    };
    let is_all_known = snapshot.foreign_threads == 0 && snapshot.unrecorded_tasks == 0;
    if !is_all_known || jobs.iter().all(is_recorded) || all().any(goes_on) {
        return None;
    }
    let place = facts.place_of(wait);
    let mut chain = vec![facts.task_link(joiner, place.as_ref(), LinkRole::Waits, wait.since_ns)];
    let mut callers = NamedCallers::default();
    let mut words = vec![format!("{} {}", facts.waiter_words(wait), facts.waits_words(wait, &mut callers))];
    for &(index, job) in jobs.iter().take(MAX_JOBS) {
        let (who, inside) = (facts.task_words(job.id), block_on_in_job(facts, index));
        let wait = inside.and_then(|inside| facts.waits_of_task[inside].first()).copied();
        let wait = wait.map(|wait| &snapshot.waits[wait]).or_else(|| wait_of_job(facts, job));
        let place = wait.map_or_else(|| facts.place_of_site(job.site), |wait| facts.place_of(wait));
        let since_ns = wait.map_or(job.since_ns, |wait| wait.since_ns);
        chain.push(facts.task_link(index, place.as_ref(), LinkRole::Blocked, since_ns));
        words.push(match (wait, inside) {
            (Some(wait), Some(_)) => format!(
                "{who} is in a `block_on` of {}, which {}",
                facts.waiter_words(wait),
                facts.waits_words(wait, &mut callers)
            ),
            (Some(wait), None) => format!("{who} {}", facts.waits_words(wait, &mut callers)),
            (None, Some(inside)) => {
                format!("{who} is in a `block_on` of {}", facts.task_words(snapshot.tasks[inside].id))
            }
            (None, None) => format!(
                "blocking {who}{}, started {} ago, is sleeping until another thread wakes it, and no record \
                 explains the wait",
                at(place.as_ref()),
                time(since_ns),
            ),
        });
    }
    let mut verdict = warning(VerdictKind::Starved, Confidence::Suspect, chain, words.join("; "));
    verdict.victims = jobs.iter().skip(MAX_JOBS).map(|(_, job)| job.id).collect();
    Some(verdict)
}

/// The recorded wait that blocks the thread of a job.
fn wait_of_job<'a>(facts: &Facts<'a>, job: &Task) -> Option<&'a Wait> {
    let waits = facts.blocking_waits.get(&job.thread_id?)?;
    let mut waits = waits.iter().map(|&wait| &facts.snapshot.waits[wait]);
    waits.find(|wait| wait.task == Some(job.id))
}

/// The task that a job runs in a `block_on`.
fn block_on_in_job(facts: &Facts<'_>, job: usize) -> Option<usize> {
    let tasks = &facts.snapshot.tasks;
    let is_inside = |task: &Task| {
        let is_here = task.thread_id.is_some() && task.thread_id == tasks[job].thread_id;
        is_here && task.state == RunState::Waiting && is_block_on_main(facts.snapshot, task)
    };
    facts.spawned(job).iter().copied().find(|&task| is_inside(&tasks[task]))
}

/// Returns whether the wait ends only if other code ends it, and no code has done so yet.
pub(super) fn may_never_end(wait: &Wait) -> bool {
    let is_over = wait.woken_ns.is_some() || wait.is_granted || wait.is_unstable || wait.is_forced;
    !is_over && wait.mode != WaitMode::Timer && wait.due_ns.is_none()
}

/// Polls that have slept for longer than [`SUSPECT_NS`], except those of tasks that other verdicts
/// mention. Among nested polls, only the innermost counts.
pub(crate) fn long_sleeps(
    facts: &Facts<'_>,
    stuck: &OrderedSet<usize>,
    mentioned: &OrderedSet<TaskId>,
) -> Vec<Verdict> {
    let tasks = facts.snapshot.tasks.iter().enumerate();
    let is_long = |(index, task): &(usize, &Task)| {
        let is_sleep = is_blocked(task) && task.kind == TaskKind::Future && !task.is_unstable;
        is_sleep && task.since_ns > SUSPECT_NS && !stuck.contains(index) && !mentioned.contains(&task.id)
    };
    let is_innermost = |(_, task): &(usize, &Task)| {
        let is_inside = |other: &Task| {
            let is_here = other.thread_id == task.thread_id && other.id != task.id;
            is_here && is_blocked(other) && (other.since_ns, task.id) < (task.since_ns, other.id)
        };
        task.thread_id.is_none() || !facts.snapshot.tasks.iter().any(is_inside)
    };
    let verdict = |(index, task): (usize, &Task)| {
        let mut chain = Vec::new();
        let sentence =
            format!("{}: no other task can run on its thread", words_of_poll(facts, index, &mut chain));
        let verdict = warning(VerdictKind::BlockedWorker, Confidence::Suspect, chain, sentence);
        // In place, the worker has handed its other tasks to another thread.
        (!is_in_place(facts.snapshot, task)).then_some(verdict)
    };
    tasks.filter(is_long).filter(is_innermost).filter_map(verdict).collect()
}

/// Describes a poll that does not end, and adds its links to the chain: the task, and the lock that
/// it waits for with its holder, if recorded.
pub(crate) fn words_of_poll(facts: &Facts<'_>, index: usize, chain: &mut Vec<Link>) -> String {
    let task = &facts.snapshot.tasks[index];
    let who = facts.task_words(task.id);
    let blocked = task.thread_id.and_then(|thread| facts.blocking_waits.get(&thread));
    let own = |wait: &&usize| facts.snapshot.waits[**wait].task == Some(task.id);
    if let Some(&wait) = blocked.and_then(|waits| waits.iter().find(own)) {
        let wait = &facts.snapshot.waits[wait];
        chain.push(facts.task_link(index, facts.place_of(wait).as_ref(), LinkRole::Blocked, wait.since_ns));
        let held = facts.resource_of(wait).and_then(|resource| held_words(facts, resource, chain));
        return format!(
            "{who} {}{}",
            facts.waits_words(wait, &mut NamedCallers::default()),
            held.unwrap_or_default()
        );
    }
    let place = task.running.last().and_then(|&site| facts.place_of_site(site));
    let place = place.or_else(|| facts.place_of_task(task)).or_else(|| facts.place_of_site(task.site));
    let (role, state) =
        if is_blocked(task) { (LinkRole::Blocked, "sleeping") } else { (LinkRole::Running, "running") };
    chain.push(facts.task_link(index, place.as_ref(), role, task.since_ns));
    format!("{who} has been {state} in one poll{} for {}", at(place.as_ref()), time(task.since_ns))
}

/// Describes the first holder of a lock, and adds the links of the lock and of the holder to the
/// chain.
fn held_words(facts: &Facts<'_>, resource: usize, chain: &mut Vec<Link>) -> Option<String> {
    chain.extend(facts.resource_link(resource));
    let holdings = &facts.snapshot.resources[resource].holdings;
    let holding = holdings.iter().find(|holding| holding.role == Role::Holds)?;
    let who = match (holding.task, holding.thread_id) {
        (Some(task), _) => facts.task_words(task),
        (None, Some(thread)) => format!("thread {thread}"),
        (None, None) => return None,
    };
    let (place, since_ns) = (holding.place.as_ref(), holding.since_ns);
    chain.push(match (holding.task.and_then(|task| facts.task(task)), holding.thread_id) {
        (Some(task), _) => facts.task_link(task, place, LinkRole::Holds, since_ns),
        (None, thread) => {
            let (node, id) = match holding.task {
                Some(task) => (LinkNode::Task, task.get()),
                None => (LinkNode::Thread, thread?),
            };
            link(node, id, String::new(), place, LinkRole::Holds, since_ns)
        }
    });
    Some(format!(
        ", which {who} has held for {}{}",
        time(since_ns),
        acquired_words("acquired", holding, &mut NamedCallers::default())
    ))
}
