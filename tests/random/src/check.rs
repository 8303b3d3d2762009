//! What the verdicts said against what came of it.

use std::collections::BTreeSet;

use diagnose::{Confidence, LinkNode, LinkRole, Snapshot, Verdict};

use crate::program::Program;
use crate::run::{Seen, run};

/// How a run went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All tasks have ended.
    Ended,
    /// Some never do, and verdicts say so of each.
    Stuck,
    /// Some never do, and of one no verdict says so.
    Missed,
}

/// Runs the program of a seed.
///
/// # Errors
/// What was wrong: a task that was proven to be stuck and has ended.
pub fn check(seed: u64) -> Result<Outcome, String> {
    let program = Program::new(seed);
    let Seen { looks, end } = run(&program);
    let stuck = end.as_ref().map(unfinished).unwrap_or_default();
    for (number, look) in looks.iter().enumerate() {
        for verdict in look.verdicts() {
            if verdict.confidence != Confidence::Proven {
                continue;
            }
            if let Some(wrong) = stuck_tasks(&verdict).difference(&stuck).next() {
                return Err(format!(
                    "seed {seed}, look {number}: task {wrong} was proven to be stuck, and it has ended: {}\n{program:#?}\n{}",
                    verdict.sentence,
                    look.tree(),
                ));
            }
        }
    }
    let Some(end) = end else { return Ok(Outcome::Ended) };
    let mut end = end;
    for wait in &mut end.waits {
        // No time has passed on the clock on the wall.
        wait.since_ns = wait.since_ns.saturating_add(10_000_000_000);
    }
    let found: BTreeSet<u64> = end
        .verdicts()
        .iter()
        .filter(|it| it.confidence <= Confidence::Likely)
        .flat_map(stuck_tasks)
        .collect();
    if stuck.difference(&found).next().is_some() {
        return Ok(Outcome::Missed);
    }
    Ok(Outcome::Stuck)
}

/// The tasks that a verdict says are stuck.
fn stuck_tasks(verdict: &Verdict) -> BTreeSet<u64> {
    let waits = |role| matches!(role, LinkRole::Waits | LinkRole::Queued | LinkRole::Blocked);
    let chain = verdict.chain.iter().filter(|link| link.node == LinkNode::Task && waits(link.role));
    chain.map(|link| link.id).chain(verdict.victims.iter().copied()).collect()
}

/// The tasks of the program that have not ended.
fn unfinished(snapshot: &Snapshot) -> BTreeSet<u64> {
    let is_own = |task: &&diagnose::Task| matches!(&*snapshot.sites[task.site].name, "task" | "tasks");
    snapshot.tasks.iter().filter(is_own).map(|task| task.id).collect()
}
