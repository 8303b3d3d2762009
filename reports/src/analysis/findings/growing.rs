//! The rule `growing`: tasks of one place become more and more, and none of them ends.
//!
//! ```text
//! start                                             now
//!   | · · ·· · ·  · | ·· ·  · · | · ·· · · · | · · ·· |    one dot per task, when it was spawned
//!     quarters: each has its share, the last too: it goes on
//! ```
//! Many healthy tasks look like that for a while: connections while clients arrive, jobs that take
//! longer than the recording. So a finding needs [`Evidence`] that fits what the tasks do.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Facts, ended, line, per_mille};
use super::finding::{Finding, MAX_IDS, Severity};
use super::rule::Rule;
use super::waiting::{Waiting, WaitingTasks, are_recorded};
use crate::model::{Place, SiteIndex, Task, TaskId, TaskKind};
use crate::units::{count, time};

/// How many tasks there must be at least.
const MIN_TASKS: usize = 10;
/// The greatest share of ended calls, in thousandths.
const MAX_ENDED: u64 = 20;
/// The least share of tasks in each quarter of the time, in thousandths: even growth has 250.
const MIN_QUARTER: u64 = 80;
/// The least time that the growth has to last: for tasks that wait for nothing that can come soon,
/// and for any others.
const SHORT_NS: u64 = 1_000_000_000;
const LONG_NS: u64 = 30_000_000_000;

/// The tasks of one spawn.
#[derive(Debug)]
struct Group<'a> {
    /// The site of their root spans.
    site: SiteIndex,
    at: Option<&'a Place>,
    tasks: Vec<&'a Task>,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let waiting = WaitingTasks::new(facts);
    let found = groups(facts).into_iter().filter_map(|group| {
        let growth = Growth::of(facts, &group)?;
        let evidence_ns = evidence_ns(facts, &waiting, &group)?;
        (growth.span_ns >= evidence_ns).then(|| of_group(facts, &waiting, &group, &growth))
    });
    found.collect()
}

fn groups<'a>(facts: &Facts<'a>) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(SiteIndex, Option<&Place>), Vec<&Task>> = BTreeMap::new();
    // A root that was first seen in a poll, such as a handler in a connection of a library, is part
    // of a task that is not on record.
    for task in facts.snapshot.tasks.iter().filter(|task| !task.is_unspawned) {
        groups.entry((facts.root_site(task), task.spawned_at.as_ref())).or_default().push(task);
    }
    groups.into_iter().map(|((site, at), tasks)| Group { site, at, tasks }).collect()
}

/// How a group has grown.
#[derive(Debug)]
struct Growth {
    /// ns since its first task.
    span_ns: u64,
    /// Tasks alive, more than in the earlier snapshot.
    more: Option<u64>,
}

impl Growth {
    /// `None` if it does not grow, or some of its tasks end.
    fn of(facts: &Facts<'_>, group: &Group<'_>) -> Option<Self> {
        let alive = group.tasks.len();
        if alive < MIN_TASKS {
            return None;
        }
        let roots = facts.nodes_of_site(group.site).iter().map(|&node| facts.node(node));
        let ended = roots.filter(|node| node.parent.is_none()).map(ended).fold(0, u64::saturating_add);
        if per_mille(ended, ended.saturating_add(alive as u64)) > MAX_ENDED {
            return None;
        }
        let more = match facts.earlier {
            None => None,
            Some(earlier) => {
                let is_its = |task: &&Task| task.spawned_at.as_ref() == group.at && group.at.is_some();
                let before = earlier.tasks.iter().filter(is_its).count();
                // Still as many: stable.
                Some(alive.checked_sub(before).filter(|more| *more >= MIN_TASKS)? as u64)
            }
        };
        let oldest_ns = group.tasks.iter().map(|task| task.age_ns).max()?;
        let mut quarters = [0_u64; 4];
        for task in &group.tasks {
            let quarter = u128::from(task.age_ns) * 4 / u128::from(oldest_ns.max(1));
            quarters[usize::try_from(quarter).unwrap_or(3).min(3)] += 1;
        }
        let is_even = quarters.iter().all(|&tasks| per_mille(tasks, alive as u64) >= MIN_QUARTER);
        is_even.then_some(Self { span_ns: oldest_ns, more })
    }
}

/// For how long a group has to grow before that is a finding; `None` if it never is.
fn evidence_ns(facts: &Facts<'_>, waiting: &WaitingTasks<'_>, group: &Group<'_>) -> Option<u64> {
    let is_stuck = |task: &&&Task| facts.stuck_tasks.contains(&task.id);
    if group.tasks.iter().filter(is_stuck).count() * 2 > group.tasks.len() {
        // A verdict says why they do not end.
        return None;
    }
    if group.tasks.iter().any(|task| task.kind == TaskKind::Blocking) {
        return Some(LONG_NS);
    }
    match waiting.of(&group.tasks) {
        Waiting::Ends => None,
        // Spawned by one task, they may be connections or actors: those stop to grow.
        Waiting::Dormant if is_spawned_by_many(&group.tasks) || are_recorded(&group.tasks) => Some(SHORT_NS),
        Waiting::Dormant | Waiting::Active => Some(LONG_NS),
    }
}

/// Whether different tasks have spawned them, as requests do.
fn is_spawned_by_many(tasks: &[&Task]) -> bool {
    let spawners: BTreeSet<TaskId> = tasks.iter().filter_map(|task| task.spawned_by).collect();
    spawners.len() * 2 >= tasks.len()
}

fn of_group(facts: &Facts<'_>, waiting: &WaitingTasks<'_>, group: &Group<'_>, growth: &Growth) -> Finding {
    let alive = group.tasks.len() as u64;
    let at = group.at.map(|at| format!(" (spawned at {})", line(at))).unwrap_or_default();
    let rate = u128::from(alive) * 1_000_000_000 / u128::from(growth.span_ns.max(1));
    let rate = match u64::try_from(rate).unwrap_or(u64::MAX) {
        0 => String::new(),
        rate => format!(", {} more each second", count(rate)),
    };
    let more = growth.more.map(|more| format!(", {} more than before", count(more))).unwrap_or_default();
    let place = waiting.place(&group.tasks);
    let waits = place.as_ref().map(|place| format!("; they wait at {}", line(place))).unwrap_or_default();
    let sentence = format!(
        "tasks of {}{at} become more: {} alive, the oldest {}{rate}{more}, none has ended{waits}",
        facts.name(group.site),
        count(alive),
        time(growth.span_ns),
    );
    let next = "give each of them an end: a shutdown signal, a timeout, or an abort when its owner goes away";
    let mut finding = Finding::new(Rule::Growing, Severity::Risk, &sentence, next);
    finding.place = group.at.cloned().or_else(|| facts.place(group.site));
    let ages = group.tasks.iter().map(|task| task.age_ns);
    finding.explains_ns = ages.fold(0, u64::saturating_add);
    finding.evidence.sites.push(group.site);
    finding.evidence.tasks = group.tasks.iter().map(|task| task.id).take(MAX_IDS).collect();
    finding
}
