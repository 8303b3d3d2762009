//! The rule `self_wake`: a task wakes itself again and again, and does next to nothing in between.
//!
//! A task that yields after each piece of work also wakes itself, as it should. So the polls have
//! to be too short for work, and the task has to be runnable most of its life.

use super::facts::{Facts, line, per_mille, percent};
use super::finding::{Finding, MAX_IDS, Severity};
use super::rule::Rule;
use crate::model::{Place, SiteIndex, Task, TaskKind};
use crate::ordered::OrderedMap;
use crate::units::{count, time};

/// A task that yields after so little work does no work: a turn of the executor takes about as
/// long.
const MAX_POLL_NS: u64 = 5_000;
/// The least share of wakes by the task itself, in thousandths.
const MIN_SELF_WAKES: u64 = 500;
/// The least share of its life in polls and in the queue, in thousandths.
const MIN_RUNNABLE: u64 = 500;
/// The least number of polls per second of its life: a task that merely retries is slower.
const MIN_RATE: u64 = 1_000;
/// The least age: shorter loops end by themselves.
const MIN_AGE_NS: u64 = 500_000_000;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let mut groups: OrderedMap<(SiteIndex, Option<&Place>), Vec<&Task>> = OrderedMap::new();
    for task in facts.snapshot.tasks.iter().filter(|task| spins(task)) {
        groups.entry((facts.root_site(task), task.spawned_at.as_ref())).or_default().push(task);
    }
    groups.into_iter().map(|((site, at), tasks)| of_tasks(facts, site, at, &tasks)).collect()
}

fn spins(task: &Task) -> bool {
    let runnable_ns = task.busy_ns.saturating_add(task.queued_ns);
    let rate = u128::from(task.polls) * 1_000_000_000;
    task.kind == TaskKind::Future
        && task.age_ns >= MIN_AGE_NS
        && per_mille(task.self_wakes, task.wakes) >= MIN_SELF_WAKES
        && per_mille(runnable_ns, task.age_ns) >= MIN_RUNNABLE
        && rate >= u128::from(MIN_RATE) * u128::from(task.age_ns)
        && task.busy_ns / task.polls.max(1) <= MAX_POLL_NS
}

fn of_tasks(facts: &Facts<'_>, site: SiteIndex, at: Option<&Place>, tasks: &[&Task]) -> Finding {
    let sum = |value: fn(&Task) -> u64| tasks.iter().map(|task| value(task)).fold(0, u64::saturating_add);
    let (polls, wakes, busy_ns) = (sum(|it| it.polls), sum(|it| it.wakes), sum(|it| it.busy_ns));
    let share = per_mille(sum(|it| it.self_wakes), wakes);
    let who = match tasks.len() {
        1 => format!("the task {}", facts.name_and_line(site)),
        many => format!("{} tasks {}", count(many as u64), facts.name_and_line(site)),
    };
    let spawned = at.map(|at| format!(", spawned at {}", line(at))).unwrap_or_default();
    let sentence = format!(
        "{who}{spawned}: {} of {} wakes came from the task itself, and a poll takes {} on average",
        percent(share),
        count(wakes),
        time(busy_ns / polls.max(1)),
    );
    let next = "wait for an event (`Notify`, a channel) instead of asking again, or sleep in between";
    let mut finding = Finding::new(Rule::SelfWake, Severity::Waste, &sentence, next);
    finding.place = facts.place(site).or_else(|| at.cloned());
    finding.explains_ns = busy_ns;
    finding.per_mille = Some(share);
    finding.evidence.sites.push(site);
    finding.evidence.tasks = tasks.iter().map(|task| task.id).take(MAX_IDS).collect();
    finding
}
