//! Whether a verdict that is only a suspicion is a finding: it stops calls that ended soon before.
//!
//! Suspicions rest on the age of a wait, and healthy services have old waits: a standby waits for
//! its leader, and a worker for its next job. So three tasks have to wait, in functions whose calls
//! have ended. If a runtime has no worker left, a timer that is late shows it. A call that blocks
//! its thread for a lock is enough by itself if the holder merely awaits something: no task runs on
//! that thread until it comes, and sockets are read by one thread at a time. So is a call that
//! sleeps in its poll for far longer than any before it, as in a `block_on`.

use super::facts::Facts;
use super::held::{is_acquisition, request};
use super::workers::CpuShare;
use crate::analysis::hangs::{Link, Verdict, VerdictKind};
use crate::model::{Holding, ResourceId, Role, RunState, Task, TaskId, Wait, WaitMode, Worker};
use crate::ordered::{OrderedMap, OrderedSet};

/// How long each of the waits must last, if CPUs are free.
const MIN_WAIT_NS: u64 = 1_000_000_000;
/// How many times as long as almost all waits that have ended.
const MIN_TIMES: u64 = 10;
/// How many tasks must wait.
const MIN_WAITING: usize = 3;
/// For how long each worker must have been in its poll: longer than a start.
const MIN_BLOCKED_NS: u64 = 5_000_000_000;

/// How many calls of the function whose poll sleeps must have ended, and how many times as long as
/// the longest of these the poll must be.
const MIN_ENDED: u64 = 20;
const MIN_CALLS: u64 = 20;

/// The tasks that wait for long in calls that usually end, grouped by what they wait for, each
/// group with as many tasks as a suspicion needs.
#[derive(Debug, Default)]
pub(super) struct StoppedRequests {
    at: OrderedMap<ResourceId, OrderedSet<TaskId>>,
    joining: OrderedMap<TaskId, OrderedSet<TaskId>>,
}

impl StoppedRequests {
    pub(super) fn new(facts: &Facts<'_>) -> Self {
        let least_ns = CpuShare::new(facts.snapshot).stretched(MIN_WAIT_NS);
        let mut stopped = Self::default();
        for wait in facts.snapshot.waits.iter().filter(|wait| !wait.is_granted) {
            let resource = wait.resource.and_then(|id| facts.snapshot.resource(id));
            let usual_ns = resource.map_or(0, |it| it.usage.wait.p99_ns);
            let is_long = wait.since_ns >= least_ns.max(usual_ns.saturating_mul(MIN_TIMES));
            let Some(task) = wait.task.filter(|_| is_long && request(facts, wait, 0).is_some()) else {
                continue;
            };
            match wait.resource {
                Some(id) => add(stopped.at.entry(id).or_default(), task),
                None => {
                    for &id in &wait.tasks {
                        add(stopped.joining.entry(id).or_default(), task);
                    }
                }
            }
        }
        stopped
    }

    /// Returns whether such calls wait for what the verdict is about, or for jobs that it mentions.
    fn are_behind(&self, verdict: &Verdict) -> bool {
        let jobs = verdict.chain.iter().filter_map(Link::task).chain(verdict.victims.iter().copied());
        let at = verdict.chain.iter().filter_map(Link::resource).filter_map(|id| self.at.get(&id));
        let waiting = at.chain(jobs.filter_map(|id| self.joining.get(&id))).flatten();
        let mut found = OrderedSet::new();
        waiting.into_iter().any(|&task| found.insert(task) && found.len() >= MIN_WAITING)
    }
}

fn add(tasks: &mut OrderedSet<TaskId>, task: TaskId) {
    if tasks.len() < MIN_WAITING {
        tasks.insert(task);
    }
}

/// Returns whether a suspicion has such evidence.
pub(super) fn is_evident(facts: &Facts<'_>, stopped: &StoppedRequests, verdict: &Verdict) -> bool {
    match verdict.kind {
        VerdictKind::Leak
        | VerdictKind::PoolExhausted
        | VerdictKind::Cycle
        | VerdictKind::SelfWait
        | VerdictKind::Futurelock => stopped.are_behind(verdict),
        VerdictKind::BlockedWorker => {
            stops_runtime(facts, verdict) || waits_for_waiting(facts, verdict) || is_of_call(facts, verdict)
        }
        _ => false,
    }
}

/// Returns whether the task that blocks its thread waits for a lock that a waiting task holds, for
/// far longer than any hold that has ended, in a function whose calls have ended.
fn waits_for_waiting(facts: &Facts<'_>, verdict: &Verdict) -> bool {
    let blocked = verdict.chain.iter().find_map(Link::task);
    let resources: OrderedSet<ResourceId> = verdict.chain.iter().filter_map(Link::resource).collect();
    let least_ns = CpuShare::new(facts.snapshot).stretched(MIN_WAIT_NS);
    let is_waiting = |holding: &Holding| {
        let task = holding.task.and_then(|id| facts.task(id));
        holding.role == Role::Holds && task.is_some_and(|task| task.state == RunState::Waiting)
    };
    let waits = facts.snapshot.waits.iter().filter(|wait| wait.task.is_some() && wait.task == blocked);
    waits.filter(|wait| is_acquisition(wait) && request(facts, wait, 0).is_some()).any(|wait| {
        let resource = wait.resource.filter(|id| resources.contains(id));
        let Some(resource) = resource.and_then(|id| facts.snapshot.resource(id)) else { return false };
        let longest_ns = resource.usage.holders.iter().map(|row| row.longest_ns).max().unwrap_or(0);
        longest_ns > 0
            && wait.since_ns >= least_ns.max(longest_ns.saturating_mul(MIN_TIMES))
            && resource.holdings.iter().any(is_waiting)
    })
}

/// Returns whether the poll that sleeps is in a call for which others wait: many calls of the
/// function have ended, in no time compared to this poll.
fn is_of_call(facts: &Facts<'_>, verdict: &Verdict) -> bool {
    let task = verdict.chain.iter().find_map(Link::task).and_then(|id| facts.task(id));
    task.is_some_and(|task| {
        let (totals, root) = (facts.totals(facts.root_site(task)), facts.root_site(task));
        task.is_asleep == Some(true)
            && facts.has_ends(root)
            && totals.ended >= MIN_ENDED
            && totals.longest_ns > 0
            && task.since_ns >= MIN_BLOCKED_NS.max(totals.longest_ns.saturating_mul(MIN_CALLS))
    })
}

/// Returns whether all workers of the runtime sleep in polls, and a timer or a task there is late.
fn stops_runtime(facts: &Facts<'_>, verdict: &Verdict) -> bool {
    let snapshot = facts.snapshot;
    let Some(task) = verdict.chain.iter().find_map(Link::task).and_then(|id| facts.task(id)) else {
        return false;
    };
    let Some(worker) =
        snapshot.workers.iter().find(|it| it.thread_id.is_some() && it.thread_id == task.thread_id)
    else {
        return false;
    };
    let workers = || snapshot.workers.iter().filter(|it| it.runtime_number == worker.runtime_number);
    let sleeps = |task: &&Task| {
        task.state == RunState::Running && task.is_asleep == Some(true) && task.since_ns >= MIN_BLOCKED_NS
    };
    let blocked: OrderedSet<u64> =
        snapshot.tasks.iter().filter(sleeps).filter_map(|task| task.thread_id).collect();
    let is_blocked = |worker: &Worker| worker.thread_id.is_some_and(|thread| blocked.contains(&thread));
    let runtime = snapshot.runtimes.iter().find(|it| it.number == worker.runtime_number);
    let is_all =
        runtime.is_some_and(|it| it.workers == workers().count() as u64) && workers().all(is_blocked);
    let is_own = |task: &Task| {
        task.runtime_number == worker.runtime_number || task.is_local && task.thread_id == worker.thread_id
    };
    let late_ns = i64::try_from(MIN_WAIT_NS).unwrap_or(i64::MAX);
    let is_late = |wait: &Wait| {
        let due = wait.mode == WaitMode::Timer && wait.due_ns.is_some_and(|ns| ns <= -late_ns);
        due && wait.task.and_then(|id| facts.task(id)).is_some_and(is_own)
    };
    let is_queued =
        |task: &Task| task.state == RunState::Queued && task.since_ns >= MIN_WAIT_NS && is_own(task);
    is_all && (snapshot.waits.iter().any(is_late) || snapshot.tasks.iter().any(is_queued))
}
