//! Compares the verdicts of a run with its outcome.

use std::collections::BTreeSet;

use diagnose::Snapshot;
use diagnose::model::{Confidence, Link, LinkRole, TaskId, Verdict, WaitMode};

use crate::program::Program;
use crate::run::{Look, Seen, run};
use crate::story::story;

/// The outcome of a fully recorded program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All tasks have ended.
    Ended,
    /// Some tasks never end, and each of them that is not idle has a verdict.
    Stuck,
    /// Some tasks never end, and all of those are idle: they only wait for messages, and nothing
    /// waits for them.
    Idle,
    /// A task that never ends has no verdict: the program and its verdicts.
    Missed(String),
    /// A task that was proven stuck has gone on: the program and its verdicts.
    Wrong(String),
}

/// Runs the program of a seed.
#[must_use]
pub fn check(seed: u64) -> Outcome {
    let program = Program::new(seed);
    let mut seen = run(&program);
    if let Some((task, number)) = wrong(&seen, Confidence::Proven) {
        return Outcome::Wrong(story(
            seed,
            &program,
            &seen.looks[number].snapshot,
            &format!("task {task} goes on"),
        ));
    }
    let Some(Look { snapshot: mut end, .. }) = seen.looks.pop() else { return Outcome::Ended };
    let stuck = unfinished(&end);
    if stuck.is_empty() {
        return Outcome::Ended;
    }
    age(&mut end);
    let verdicts = end.verdicts();
    let said = verdicts.iter().filter(|it| it.confidence <= Confidence::Likely);
    let found: BTreeSet<TaskId> = said.flat_map(|it| stuck_tasks(it, &end)).collect();
    let missed = |task: &&TaskId| !found.contains(task) && !is_idle(&end, **task);
    match stuck.iter().find(missed) {
        Some(&task) => Outcome::Missed(story(seed, &program, &end, &format!("task {task} never ends"))),
        None if stuck.iter().all(|task| !found.contains(task)) => Outcome::Idle,
        None => Outcome::Stuck,
    }
}

/// The outcome of a program with unrecorded steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suspicion {
    /// It ended, with no verdict above suspect.
    Quiet,
    /// It did not end.
    Stuck,
    /// A task with a likely verdict went on, and the program did not end.
    LikelyWrong(String),
    /// The program ended, and a task had a likely verdict.
    LikelyEnded(String),
    /// A task that was proven stuck went on, or was an unspawned root: the program and its
    /// verdicts.
    Wrong(String),
}

/// Runs the program of a seed, with unrecorded steps as well.
#[must_use]
pub fn check_unrecorded(seed: u64) -> Suspicion {
    let program = Program::unrecorded(seed);
    let mut seen = run(&program);
    let told = |(task, number): (TaskId, usize), seen: &Seen| {
        story(seed, &program, &seen.looks[number].snapshot, &format!("task {task} goes on"))
    };
    if let Some(wrong) = proven_of_met(&seen).or_else(|| wrong(&seen, Confidence::Proven)) {
        return Suspicion::Wrong(told(wrong, &seen));
    }
    seen.looks.iter_mut().for_each(|look| age(&mut look.snapshot));
    match (wrong(&seen, Confidence::Likely), seen.alive == 0) {
        (Some(likely), true) => Suspicion::LikelyEnded(told(likely, &seen)),
        (Some(likely), false) => Suspicion::LikelyWrong(told(likely, &seen)),
        (None, true) => Suspicion::Quiet,
        (None, false) => Suspicion::Stuck,
    }
}

/// A task that was proven stuck although its spawn is not on record, with the snapshot that says
/// so.
fn proven_of_met(seen: &Seen) -> Option<(TaskId, usize)> {
    let in_look = |(number, look): (usize, &Look)| {
        let verdicts = look.snapshot.verdicts();
        let proven = verdicts.iter().filter(|it| it.confidence == Confidence::Proven);
        let named: BTreeSet<TaskId> = proven.flat_map(|it| stuck_tasks(it, &look.snapshot)).collect();
        let met = look.snapshot.tasks.iter().filter(|task| task.is_unspawned).map(|task| task.id);
        met.into_iter().find(|id| named.contains(id)).map(|id| (id, number))
    };
    seen.looks.iter().enumerate().find_map(in_look)
}

/// A task with a verdict of this confidence that has gone on, with the snapshot that has the
/// verdict.
fn wrong(seen: &Seen, confidence: Confidence) -> Option<(TaskId, usize)> {
    let end = seen.looks.last()?;
    let stuck = unfinished(&end.snapshot);
    for (number, look) in seen.looks.iter().enumerate() {
        let verdicts = look.snapshot.verdicts();
        let proven = verdicts.iter().filter(|it| it.confidence == confidence);
        let proven: BTreeSet<TaskId> = proven.flat_map(|it| stuck_tasks(it, &look.snapshot)).collect();
        let place = |id: TaskId| {
            let task = look.snapshot.tasks.iter().find(|task| task.id == id)?;
            seen.ids.iter().position(|own| Some(*own) == task.runtime_id)
        };
        let goes_on = |id: &&TaskId| place(**id).is_some_and(|it| look.steps[it] != end.steps[it]);
        if let Some(&task) = proven.iter().find(|id| !stuck.contains(id) || goes_on(id)) {
            return Some((task, number));
        }
    }
    None
}

/// The tasks that a verdict names as stuck: those that wait, holders that are not done, and victims
/// behind them.
fn stuck_tasks(verdict: &Verdict, snapshot: &Snapshot) -> BTreeSet<TaskId> {
    use LinkRole::{Blocked, Holds, Queued, Waits};
    let is_alive = |id: TaskId| snapshot.tasks.iter().any(|task| task.id == id);
    let is_stuck = |link: &&Link| {
        let is_one = matches!(link.role, Waits | Queued | Blocked | Holds);
        is_one && link.task().is_some_and(is_alive)
    };
    let chain = verdict.chain.iter().filter(is_stuck).filter_map(Link::task);
    chain.chain(verdict.victims.iter().copied()).collect()
}

/// The tasks of the program that have not ended.
fn unfinished(snapshot: &Snapshot) -> BTreeSet<TaskId> {
    let is_own =
        |task: &&diagnose::model::Task| matches!(&*snapshot.sites[task.site].name, "task" | "program");
    snapshot.tasks.iter().filter(is_own).map(|task| task.id).collect()
}

/// Whether a task that never ends is idle and no hang, by the definition of `demand.rs`: nothing
/// waits for its end, and it only polls for messages of others. An example is a service that is no
/// longer called. If another task needs a guard or a channel end of it, a verdict has to name both.
fn is_idle(snapshot: &Snapshot, task: TaskId) -> bool {
    let is_root =
        snapshot.tasks.iter().any(|it| it.id == task && &*snapshot.sites[it.site].name == "program");
    let is_joined = snapshot.waits.iter().any(|wait| wait.tasks.contains(&task));
    let mut own = snapshot.waits.iter().filter(|wait| wait.task == Some(task) && !wait.is_set_aside);
    !is_root && !is_joined && own.all(|wait| matches!(wait.mode, WaitMode::Receive | WaitMode::Notified))
}

/// Adds ten seconds to all waits and states. The run takes no wall-clock time, and a young wait has
/// a verdict only if it is proven.
fn age(snapshot: &mut Snapshot) {
    const NS: u64 = 10_000_000_000;
    for wait in &mut snapshot.waits {
        wait.since_ns = wait.since_ns.saturating_add(NS);
    }
    for task in &mut snapshot.tasks {
        task.since_ns = task.since_ns.saturating_add(NS);
    }
}
