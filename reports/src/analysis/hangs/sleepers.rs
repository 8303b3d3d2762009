//! Threads that sleep in user code, although nothing is known to hang: a full pool, a long poll.

use std::collections::BTreeSet;

use super::facts::{Facts, is_blocked};
use super::remarks::{SUSPECT_NS, remark};
use super::verdict::{Confidence, LinkRole, Verdict, VerdictKind};
use super::words::at;
use crate::export::units::{counted, time};
use crate::model::{BlockingPool, State, Task, TaskKind};

/// So many jobs of a pool are shown.
const MAX_JOBS: usize = 8;

/// Pools for blocking work whose threads all sleep, while other work waits for one of them.
pub(super) fn full_pools(facts: &Facts<'_>, stuck: &BTreeSet<usize>) -> Vec<Verdict> {
    let pools = facts.snapshot.blocking_pools.iter();
    pools.filter_map(|pool| full_pool(facts, stuck, pool)).collect()
}

fn full_pool(facts: &Facts<'_>, stuck: &BTreeSet<usize>, pool: &BlockingPool) -> Option<Verdict> {
    let jobs = facts.snapshot.tasks.iter().enumerate();
    let is_own = |task: &Task| task.kind == TaskKind::Blocking && task.runtime_number == pool.runtime_number;
    let jobs: Vec<(usize, &Task)> =
        jobs.filter(|(index, task)| is_own(task) && !stuck.contains(index)).collect();
    let (queued, mut running): (Vec<_>, Vec<_>) =
        jobs.into_iter().partition(|(_, job)| job.state == State::Unpolled);
    let longest_ns = queued.iter().map(|(_, job)| job.since_ns).max()?;
    let is_full = running.len() as u64 >= pool.threads && running.iter().all(|(_, job)| is_blocked(job));
    if longest_ns < SUSPECT_NS || !is_full {
        return None;
    }
    running.sort_by_key(|(_, job)| (std::cmp::Reverse(job.since_ns), job.id));
    let &(first, job) = running.first()?;
    let place = facts.place_of_site(job.site);
    let link = |&(index, job): &(usize, &Task)| {
        facts.task_link(index, facts.place_of_site(job.site).as_ref(), LinkRole::Blocked, job.since_ns)
    };
    let chain = running.iter().take(MAX_JOBS).map(link).collect();
    let sentence = format!(
        "all {} for blocking work sleep, the longest in {}{} for {}; {} waited for a thread for up to {}",
        counted(running.len() as u64, "thread"),
        facts.task_words(facts.snapshot.tasks[first].id),
        at(place.as_ref()),
        time(job.since_ns),
        if queued.len() == 1 { "1 job has".to_owned() } else { format!("{} jobs have", queued.len()) },
        time(longest_ns),
    );
    let mut verdict = remark(VerdictKind::PoolExhausted, Confidence::Suspect, chain, sentence);
    verdict.victims = queued.iter().map(|(_, job)| job.id).collect();
    Some(verdict)
}

/// Polls that have slept for long, apart from those of tasks that `said` names already.
pub(super) fn long_sleeps(facts: &Facts<'_>, stuck: &BTreeSet<usize>, said: &BTreeSet<u64>) -> Vec<Verdict> {
    let tasks = facts.snapshot.tasks.iter().enumerate();
    let is_long = |(index, task): &(usize, &Task)| {
        let is_sleep = is_blocked(task) && task.kind == TaskKind::Future && !task.is_unstable;
        is_sleep && task.since_ns > SUSPECT_NS && !stuck.contains(index) && !said.contains(&task.id)
    };
    let verdict = |(index, task): (usize, &Task)| {
        let site = task.running.last().copied().unwrap_or(task.site);
        // Its worker has handed the other tasks on.
        let is_in_place = facts.snapshot.sites.get(site).is_some_and(|site| site.name == "block_in_place");
        let place = facts.place_of_site(site);
        let link = facts.task_link(index, place.as_ref(), LinkRole::Blocked, task.since_ns);
        let sentence = format!(
            "{} sleeps in one poll{} for {}: nothing else can run on its thread",
            facts.task_words(task.id),
            at(place.as_ref()),
            time(task.since_ns)
        );
        let verdict = remark(VerdictKind::BlockedWorker, Confidence::Suspect, vec![link], sentence);
        (!is_in_place).then_some(verdict)
    };
    tasks.filter(is_long).filter_map(verdict).collect()
}
