//! Finds late polls and late queued tasks in a snapshot, if they are new.
//!
//! ```text
//! late     a future that runs, or is in the queue of its runtime, for the threshold or longer;
//!          not one inside `block_in_place`, which is made for that
//! blocked  every worker of a runtime is in a late poll
//! uneven   a task is late in the queue, and a worker of its runtime is parked: only one other
//!          worker can take the task
//! starved  any other task that is late in the queue, if a thread runs its executor; a task not
//!          spawned through this crate, or of a `LocalSet`, counts only while a recorded poll is late,
//!          so an unannotated hog can starve it unnoticed
//! ```
//! Each task in a poll is reported once, and so is each task in the queue. All workers together are
//! reported once for the same polls.

use std::collections::{HashMap, HashSet};

use diagnose_reports::Snapshot;
use diagnose_reports::model::{RunState, Runtime, Site, Task, TaskId, TaskKind, Worker};
use diagnose_reports::ordered::OrderedSet;
use diagnose_reports::sort::sort_by_key;

#[derive(Debug, PartialEq)]
pub(super) enum Finding<'a> {
    /// A poll that does not return.
    LongPoll(&'a Task),
    /// Each worker of a runtime is in a poll that does not return.
    Blocked {
        runtime: &'a Runtime,
        /// One per worker, the longest first.
        polls: Vec<&'a Task>,
        /// The tasks that are queued during these polls, oldest first.
        queued: Vec<&'a Task>,
    },
    /// A worker is parked, and tasks of its runtime are late in the queue.
    Uneven {
        runtime: &'a Runtime,
        parked: Vec<&'a Worker>,
        /// Oldest first.
        queued: Vec<&'a Task>,
    },
    /// Tasks that are late in the queue, oldest first.
    Starved(Vec<&'a Task>),
}

impl<'a> Finding<'a> {
    /// The tasks that it is about: in polls, or else in the queue.
    pub(super) fn tasks(&self) -> &[&'a Task] {
        match self {
            Self::LongPoll(task) => std::slice::from_ref(task),
            Self::Blocked { polls: tasks, .. }
            | Self::Uneven { queued: tasks, .. }
            | Self::Starved(tasks) => tasks,
        }
    }
}

/// The findings so far, so that each is reported once.
#[derive(Debug, Default)]
pub(super) struct Looks {
    /// Reported tasks: task, number of its poll, state.
    reported: HashSet<(TaskId, u64, RunState)>,
    /// By runtime, the polls that its workers were in: task and number of the poll.
    blocked: HashMap<u64, HashSet<(TaskId, u64)>>,
}

impl Looks {
    /// Returns the findings that are new since the last look.
    pub(super) fn look<'a>(&mut self, snapshot: &'a Snapshot, threshold_ns: u64) -> Vec<Finding<'a>> {
        let futures = || snapshot.tasks.iter().filter(|task| task.kind == TaskKind::Future);
        let is_late = |task: &&Task| task.since_ns >= threshold_ns;
        let polls: Vec<&Task> =
            futures().filter(|task| task.state == RunState::Running).filter(is_late).collect();
        let queued: Vec<&Task> = oldest_first(futures().filter(|task| is_queued(task)));
        let is_expected = |task: &&Task| !is_known_from_polls(task) || !polls.is_empty();
        let late: Vec<&Task> = queued.iter().copied().filter(is_late).filter(is_expected).collect();

        let mut findings: Vec<Finding<'a>> = Vec::new();
        let polls: Vec<&Task> = polls.into_iter().filter(|task| !has_left(snapshot, task)).collect();
        findings.extend(polls.iter().filter(|task| self.is_new(task)).map(|task| Finding::LongPoll(task)));
        let mut explained = OrderedSet::new();
        for runtime in &snapshot.runtimes {
            let of = |tasks: &[&'a Task]| {
                tasks.iter().copied().filter(|task| task.runtime_number == runtime.number).collect::<Vec<_>>()
            };
            let polls = on_workers(snapshot, runtime, &polls);
            let late = of(&late);
            if runtime.workers > 0 && polls.len() as u64 >= runtime.workers {
                explained.insert(runtime.number);
                for task in late {
                    self.is_new(task);
                }
                let queued = of(&queued);
                // A single blocked worker is worth a report only if it keeps other tasks waiting.
                let is_worth = runtime.workers > 1 || !queued.is_empty();
                let numbers = polls.iter().map(|task| (task.id, task.polls)).collect();
                if is_worth && self.blocked.get(&runtime.number) != Some(&numbers) {
                    self.blocked.insert(runtime.number, numbers);
                    findings.push(Finding::Blocked { runtime, polls, queued });
                }
                continue;
            }
            self.blocked.remove(&runtime.number);
            let own = |worker: &&Worker| worker.runtime_number == runtime.number && worker.parked;
            let is_idle = |worker: &&Worker| worker.since_ns >= threshold_ns;
            let parked: Vec<&Worker> = snapshot.workers.iter().filter(own).filter(is_idle).collect();
            if parked.is_empty() || runtime.workers < 2 {
                continue;
            }
            let queued: Vec<&Task> = late.into_iter().filter(|task| self.is_new(task)).collect();
            if !queued.is_empty() {
                findings.push(Finding::Uneven { runtime, parked, queued });
            }
        }
        let is_starved =
            |task: &&Task| !explained.contains(&task.runtime_number) && is_driven(snapshot, task, &polls);
        let starved = late.into_iter().filter(is_starved);
        let starved: Vec<&Task> = starved.filter(|task| self.is_new(task)).collect();
        if !starved.is_empty() {
            findings.push(Finding::Starved(starved));
        }
        self.forget(snapshot);
        findings
    }

    /// Returns the finding again at the next look, if it lasts.
    pub(super) fn look_again(&mut self, finding: &Finding<'_>) {
        let mut tasks = finding.tasks();
        if let Finding::Blocked { runtime, queued, .. } = finding {
            self.blocked.remove(&runtime.number);
            tasks = queued;
        }
        for task in tasks {
            self.reported.remove(&(task.id, task.polls, task.state));
        }
    }

    /// Returns whether this state is new, and marks it as reported.
    fn is_new(&mut self, task: &Task) -> bool {
        self.reported.insert((task.id, task.polls, task.state))
    }

    /// Forgets findings that are over.
    fn forget(&mut self, snapshot: &Snapshot) {
        let polls: HashSet<(TaskId, u64)> = snapshot.tasks.iter().map(|task| (task.id, task.polls)).collect();
        self.reported.retain(|(id, poll, _)| polls.contains(&(*id, *poll)));
        self.blocked.retain(|number, _| snapshot.runtimes.iter().any(|runtime| runtime.number == *number));
    }
}

/// Returns whether a thread runs the task's executor now, as far as is known. A runtime without
/// workers is driven only inside of `block_on`, and a `LocalSet` by a task that may do other
/// things: a late poll on its thread is what keeps its tasks waiting.
fn is_driven(snapshot: &Snapshot, task: &Task, late_polls: &[&Task]) -> bool {
    let number = task.runtime_number;
    let is_beside = |poll: &&Task| poll.thread_id.is_some() && poll.thread_id == task.thread_id;
    let is_its_worker = |worker: &Worker| worker.runtime_number == number;
    let is_future = |other: &Task| other.kind == TaskKind::Future && other.runtime_number == number;
    let runs = |other: &Task| is_future(other) && other.state == RunState::Running;
    match number {
        0 if task.is_local => late_polls.iter().any(is_beside),
        0 => task.state == RunState::Queued,
        _ => snapshot.workers.iter().any(is_its_worker) || snapshot.tasks.iter().any(runs),
    }
}

/// Returns whether the task waits for a worker.
fn is_queued(task: &Task) -> bool {
    task.state == RunState::Queued || (task.state == RunState::Unpolled && task.runtime_number != 0)
}

/// Returns whether the task is known only from its polls, without a spawn through this crate. An
/// unrecorded combinator may poll it, and leave woken futures unpolled while it waits for something
/// else. Such a future does not lack a thread.
fn is_known_from_polls(task: &Task) -> bool {
    task.runtime.is_empty()
}

fn oldest_first<'a>(tasks: impl Iterator<Item = &'a Task>) -> Vec<&'a Task> {
    let mut tasks: Vec<&Task> = tasks.collect();
    sort_by_key(&mut tasks, |task| (std::cmp::Reverse(task.since_ns), task.id));
    tasks
}

/// Returns the polls on workers of the runtime, one per worker, longest first.
fn on_workers<'a>(snapshot: &Snapshot, runtime: &Runtime, polls: &[&'a Task]) -> Vec<&'a Task> {
    let is_listed = |task: &Task| {
        let own =
            |worker: &Worker| worker.runtime_number == runtime.number && worker.thread_id == task.thread_id;
        task.thread_id.is_some() && snapshot.workers.iter().any(own)
    };
    let own = |task: &&&Task| task.runtime_number == runtime.number || is_listed(task);
    let own = polls.iter().filter(own).copied();
    let mut threads = HashSet::new();
    oldest_first(own).into_iter().filter(|task| threads.insert((task.thread_id, &task.thread))).collect()
}

/// Returns whether the task is in `block_in_place`: another thread has taken over the worker, and
/// the poll may take long.
fn has_left(snapshot: &Snapshot, task: &Task) -> bool {
    let is_it = |site: &Site| site.is_blocking && site.name == "block_in_place";
    task.running.iter().any(|site| snapshot.site(*site).is_some_and(is_it))
}

#[cfg(test)]
mod tests;
