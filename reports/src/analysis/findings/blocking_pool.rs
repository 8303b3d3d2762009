//! The rule `blocking_pool`: all threads for blocking jobs are busy, and jobs keep coming.
//!
//! ```text
//! thread 1   |██ job ██|██ job ██|
//! thread 2   |███ job ███|██ job █|
//! job                  ·············|     spawned, waits for a thread
//! ```
//! A batch of jobs may wait in turn by design: it is spawned at once, or by few tasks.

use super::facts::{Facts, per_mille};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use crate::model::{BlockingPool, RunState, SiteIndex, Task, TaskId, TaskKind};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::units::{count, time};

/// The fewest waiting jobs, and the fewest tasks that have spawned them.
const MIN_JOBS: usize = 10;
const MIN_SPAWNERS: usize = 4;
/// The least wait of the oldest. People notice it.
const MIN_WAIT_NS: u64 = 100_000_000;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    facts.snapshot.blocking_pools.iter().filter_map(|pool| of_pool(facts, pool)).collect()
}

fn of_pool(facts: &Facts<'_>, pool: &BlockingPool) -> Option<Finding> {
    let is_own = |task: &&Task| {
        task.kind == TaskKind::Blocking
            && task.runtime_number == pool.runtime_number
            && !facts.stuck_tasks.contains(&task.id)
    };
    let jobs = facts.snapshot.tasks.iter().filter(is_own);
    let (waiting, running): (Vec<&Task>, Vec<&Task>) = jobs.partition(|job| job.state == RunState::Unpolled);
    let spawners: OrderedSet<TaskId> = waiting.iter().filter_map(|job| job.spawned_by).collect();
    if waiting.len() < MIN_JOBS || spawners.len() < MIN_SPAWNERS || (running.len() as u64) < pool.threads {
        return None;
    }
    let waits = || waiting.iter().map(|job| job.since_ns);
    let (youngest_ns, oldest_ns) = (waits().min()?, waits().max()?);
    if oldest_ns < MIN_WAIT_NS || youngest_ns > oldest_ns / 2 {
        return None;
    }
    let site = most_frequent(&running)?;
    let threads = match running.len() as u64 {
        1 => "the only thread for blocking jobs is busy with".to_owned(),
        many => format!("all {} threads for blocking jobs are busy, most with", count(many)),
    };
    let sentence = format!(
        "{threads} {}; {} more jobs wait for one, the oldest for {}",
        facts.name_and_line(site),
        count(waiting.len() as u64),
        time(oldest_ns),
    );
    let next =
        "make these jobs shorter, raise `max_blocking_threads`, or admit fewer of them with a `Semaphore`";
    let mut finding = Finding::new(Rule::BlockingPool, Severity::Slow, &sentence, next);
    finding.place = facts.place(site);
    finding.explains_ns = facts.sum(site, |node| node.busy_ns);
    finding.per_mille = Some(per_mille(waiting.len() as u64, (waiting.len() + running.len()) as u64));
    finding.evidence.sites.push(site);
    finding.evidence.set_tasks(running.iter().chain(&waiting).map(|job| job.id));
    Some(finding)
}

fn most_frequent(jobs: &[&Task]) -> Option<SiteIndex> {
    let mut numbers = OrderedMap::new();
    for job in jobs {
        *numbers.entry(job.site).or_insert(0_u64) += 1;
    }
    numbers.into_iter().max_by_key(|&(site, number)| (number, std::cmp::Reverse(site))).map(|(site, _)| site)
}
