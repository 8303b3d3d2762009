//! The rule `runtimes`: runtimes are built and shut down all the time, as for each request.
//!
//! Runtimes are numbered as they are built, and the snapshot lists those that are left.

use super::facts::{Facts, line};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use crate::model::{Place, Task, TaskKind};
use crate::ordered::OrderedMap;
use crate::units::{count, counted, time};

/// The fewest runtimes that have ended. Programs build some at their start, and in tools.
const MIN_ENDED: u64 = 50;
/// The fewest that were built in each minute.
const MIN_PER_MINUTE: u64 = 30;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    of_all(facts).into_iter().collect()
}

fn of_all(facts: &Facts<'_>) -> Option<Finding> {
    let snapshot = facts.snapshot;
    let newest = snapshot.runtimes.iter().max_by_key(|runtime| runtime.number)?;
    let before = facts.earlier.into_iter().flat_map(|earlier| &earlier.runtimes);
    let before = before.map(|runtime| runtime.number).max().unwrap_or(0);
    let period_ns = period_ns(facts);
    let built = newest.number.saturating_sub(before);
    let ended = built.saturating_sub(snapshot.runtimes.len() as u64);
    let per_minute = u128::from(built) * 60_000_000_000 / u128::from(period_ns.max(1));
    if ended < MIN_ENDED || per_minute < u128::from(MIN_PER_MINUTE) {
        return None;
    }
    let place = entered_at(facts);
    let entered = place.map(|at| format!(" and is entered at {}", line(at))).unwrap_or_default();
    let sentence = format!(
        "{} runtimes were built in {}, and {} of them have ended; the last one has {}{entered}",
        count(built),
        time(period_ns),
        count(ended),
        counted(newest.workers, "worker"),
    );
    // That of a thread which runs all of its tasks has no worker threads.
    let threads = if newest.threads > 0 { "starts and stops threads, and " } else { "" };
    let next = format!(
        "build one runtime, and reach it from other threads by its `Handle`: each one {threads}has its own timers and sockets"
    );
    let mut finding = Finding::new(Rule::Runtimes, Severity::Waste, &sentence, &next);
    finding.place = place.cloned();
    finding.evidence.set_tasks(entering(facts).map(|task| task.id));
    Some(finding)
}

/// The time in which they were built: since the earlier snapshot, or since the start. A reset
/// begins the recording anew, but not the numbers. An older task shows how long the process has
/// run.
fn period_ns(facts: &Facts<'_>) -> u64 {
    let snapshot = facts.snapshot;
    if let Some(earlier) = facts.earlier {
        return snapshot.captured_unix_ms.saturating_sub(earlier.captured_unix_ms).saturating_mul(1_000_000);
    }
    snapshot.tasks.iter().map(|task| task.age_ns).fold(snapshot.elapsed_ns, u64::max)
}

/// The tasks that a thread drives, rather than workers: those of `block_on`. The first is `main`.
fn entering<'a>(facts: &Facts<'a>) -> impl Iterator<Item = &'a Task> {
    let snapshot = facts.snapshot;
    let is_one = |task: &&Task| task.kind == TaskKind::Future && task.runtime_number == 0;
    snapshot.tasks.iter().filter(is_one).filter(|task| task.age_ns < snapshot.elapsed_ns / 2)
}

/// Where most of them began.
fn entered_at<'a>(facts: &Facts<'a>) -> Option<&'a Place> {
    let mut places: OrderedMap<&Place, u64> = OrderedMap::new();
    for place in entering(facts).filter_map(|task| task.spawned_at.as_ref()) {
        *places.entry(place).or_default() += 1;
    }
    places.into_iter().max_by_key(|(_, tasks)| *tasks).map(|(place, _)| place)
}
