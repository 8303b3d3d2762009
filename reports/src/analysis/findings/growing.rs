//! The rule `growing`: tasks of one place become more and more, and none of them ends.
//!
//! ```text
//! start                                             now
//!   | · · ·· · ·  · | ·· ·  · · | · ·· · · · | · · ·· |    one dot per task, when it was spawned
//!     quarters: the last and at least two of the others have their share
//! ```
//! Many healthy tasks look like that for a while: connections while clients arrive, jobs that take
//! longer than the recording. So it has to go on for a time that fits what the tasks do.

use super::facts::{Facts, ended, line, per_mille, root_site};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::waiting::{Waiting, WaitingTasks};
use crate::model::{Node, Place, RunState, SiteIndex, Task, TaskId, TaskKind};
use crate::names::UNNAMED;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::units::{count, time};

/// How many tasks there must be at least.
pub(super) const MIN_TASKS: usize = 10;
/// The greatest share of ended calls, in thousandths.
pub(super) const MAX_ENDED: u64 = 20;
/// If more have ended: the minimum age of a task that never ends, as a multiple of the longest
/// ended call.
const MIN_OUTLIVED: u64 = 10;
/// The least share of tasks in each quarter of the time, in thousandths: even growth has 250.
const MIN_QUARTER: u64 = 80;
/// The least time that the growth has to last, for tasks of many spawners whose waits cannot end
/// soon.
const SHORT_NS: u64 = 1_000_000_000;
/// The least time that the growth has to last, for tasks that may be slow jobs.
pub(super) const LONG_NS: u64 = 30_000_000_000;
/// This many tasks or more that sleep again and again are most likely not slow jobs.
pub(super) const MANY_TASKS: usize = 200;
/// From this many tasks on, if code without annotation has spawned them: a loop that spawns slow
/// jobs would be on record.
const SOME_TASKS: usize = 50;
/// The least time that their growth has to last.
const MANY_NS: u64 = 10_000_000_000;
/// The least time that the growth has to last, and how many times as long as the longest ended
/// call, if others of the place end: for tasks of many spawners whose waits cannot end soon.
const OUTLIVING_NS: u64 = 5_000_000_000;
pub(super) const OUTLIVED: u64 = 300;
/// The least time that the growth has to last, for jobs that block a large share of the threads for
/// blocking code: the pool is full before long.
const POOL_NS: u64 = 5_000_000_000;
/// That share, in thousandths of the pool's threads.
const MIN_POOL: u64 = 250;
/// The least time that the growth has to last, for connections and actors, which arrive for minutes
/// after a start.
pub(super) const ARRIVALS_NS: u64 = 600_000_000_000;
/// How many subscriptions a connection may have.
const MAX_SUBSCRIPTIONS: usize = 3;

/// The tasks of one spawn.
#[derive(Debug)]
struct GrowingGroup<'a> {
    /// The site of their root spans.
    site: SiteIndex,
    at: Option<&'a Place>,
    tasks: Vec<&'a Task>,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let waiting = WaitingTasks::new(facts);
    let found = groups(facts).into_iter().filter_map(|group| {
        let growth = Growth::of(facts, &group)?;
        let evidence_ns = growth.evidence_ns(facts, &waiting)?;
        (growth.span_ns >= evidence_ns).then(|| of_group(facts, &waiting, &group, &growth))
    });
    found.collect()
}

fn groups<'a>(facts: &Facts<'a>) -> Vec<GrowingGroup<'a>> {
    let mut groups: OrderedMap<(SiteIndex, Option<&Place>), Vec<&Task>> = OrderedMap::new();
    for task in &facts.snapshot.tasks {
        groups.entry((facts.root_site(task), task.spawned_at.as_ref())).or_default().push(task);
    }
    groups.into_iter().map(|((site, at), tasks)| GrowingGroup { site, at, tasks }).collect()
}

/// How a group has grown.
#[derive(Debug)]
struct Growth<'a> {
    /// The tasks that do not end.
    tasks: Vec<&'a Task>,
    /// The age of the oldest, in ns, and for how many ns they have grown.
    oldest_ns: u64,
    span_ns: u64,
    /// How many other calls ended.
    ended: u64,
    /// The longest of them in ns, if many did.
    longest_ns: Option<u64>,
    /// Tasks alive, more than in the earlier snapshot.
    more: Option<u64>,
}

impl<'a> Growth<'a> {
    /// `None` if it does not grow, or its tasks end.
    fn of(facts: &Facts<'_>, group: &GrowingGroup<'a>) -> Option<Self> {
        let (ended, longest_ns) = ended_calls(facts, group);
        let share = per_mille(ended, ended.saturating_add(group.tasks.len() as u64));
        let longest_ns = (share > MAX_ENDED).then_some(longest_ns);
        let youngest_ns = longest_ns.map_or(0, |longest_ns| longest_ns.saturating_mul(MIN_OUTLIVED));
        let mut tasks = group.tasks.clone();
        tasks.retain(|task| task.age_ns >= youngest_ns);
        if tasks.len() < MIN_TASKS {
            return None;
        }
        let more = match facts.earlier {
            None => None,
            Some(earlier) => {
                let own = facts.place(group.site);
                let is_its = |task: &&Task| {
                    let root = || earlier.site(root_site(earlier, task)).map(|site| &site.place);
                    // Without a place of the spawn: by the function.
                    task.spawned_at.as_ref() == group.at && (group.at.is_some() || root() == own.as_ref())
                };
                let before = earlier.tasks.iter().filter(is_its).count();
                // Still as many: stable.
                Some(group.tasks.len().checked_sub(before).filter(|more| *more >= MIN_TASKS)? as u64)
            }
        };
        let oldest_ns = tasks.iter().map(|task| task.age_ns).max()?;
        let span_ns = oldest_ns - youngest_ns;
        let ages = tasks.iter().map(|task| task.age_ns - youngest_ns);
        let is_even = goes_on(ages, span_ns);
        is_even.then_some(Self { tasks, oldest_ns, span_ns, ended, longest_ns, more })
    }

    /// The time after which the growth is a finding; `None` if it never is.
    fn evidence_ns(&self, facts: &Facts<'_>, waiting: &WaitingTasks<'_, '_>) -> Option<u64> {
        let is_stuck = |task: &&&Task| facts.stuck_tasks.contains(&task.id);
        if self.tasks.iter().filter(is_stuck).count() * 2 > self.tasks.len() {
            // A verdict says why they do not end.
            return None;
        }
        if self.tasks.iter().any(|task| task.kind == TaskKind::Blocking) {
            let fills = |threads| per_mille(self.tasks.len() as u64, threads) >= MIN_POOL;
            return Some(if pool(facts, &self.tasks).is_some_and(fills) { POOL_NS } else { LONG_NS });
        }
        let spawners: OrderedSet<TaskId> = self.tasks.iter().filter_map(|task| task.spawned_by).collect();
        let least_ns = match waiting.of(&self.tasks) {
            Waiting::Ends => return None,
            // Spawned by code that is not recorded: whether for a request or a connection is
            // unknown.
            _ if self.tasks.iter().any(|task| task.is_unspawned) => ARRIVALS_NS,
            // One or two of each live task, since its start: they belong to a connection.
            _ if spawners.len() * 2 >= self.tasks.len() && waiting.are_of_live_tasks(&self.tasks) => {
                ARRIVALS_NS
            }
            // A subscription may last far longer than others: as long as its client.
            Waiting::Dormant | Waiting::Active
                if spawners.len() > 1 && waiting.are_subscribed(&self.tasks) =>
            {
                let is_of_few = spawners.len() * MAX_SUBSCRIPTIONS < self.tasks.len();
                let is_left = !waiting.have_live_spawners(&self.tasks);
                let is_leak = if waiting.are_recorded(&self.tasks) {
                    is_left || is_of_few
                } else {
                    is_left && spawners.len() * 2 >= self.tasks.len()
                };
                match is_leak {
                    true if self.tasks.len() >= MANY_TASKS => MANY_NS,
                    true => LONG_NS,
                    false => ARRIVALS_NS,
                }
            }
            // Not for a client.
            Waiting::Dormant if waiting.are_recorded(&self.tasks) => match self.longest_ns {
                // A timer ends them, far from now.
                _ if spawners.len() <= 1 || waiting.timer_due_ns(&self.tasks).is_some() => {
                    let is_many =
                        self.tasks.len() >= if spawners.is_empty() { SOME_TASKS } else { MANY_TASKS };
                    if is_many { MANY_NS } else { LONG_NS }
                }
                None if waiting.are_behind_first_holds(&self.tasks) => LONG_NS,
                None => SHORT_NS,
                Some(longest_ns) => return Some(OUTLIVING_NS.max(longest_ns.saturating_mul(OUTLIVED))),
            },
            // Spawned by requests, not by one that accepts connections.
            Waiting::Dormant if spawners.len() * 2 >= self.tasks.len() => LONG_NS,
            // Requests left them behind, and they sleep again and again: retries, heartbeats.
            Waiting::Active
                if spawners.len() * 2 >= self.tasks.len() && waiting.are_recorded(&self.tasks) =>
            {
                if self.tasks.len() >= MANY_TASKS { MANY_NS } else { LONG_NS }
            }
            Waiting::Active | Waiting::Served | Waiting::Dormant => ARRIVALS_NS,
        };
        // If calls are either short or long, all long ones may have just begun.
        Some(if self.longest_ns.is_some() { least_ns.max(LONG_NS) } else { least_ns })
    }
}

/// Returns whether the growth over `span_ns` goes on, and is not new. Clients may have paused in
/// between. `ages` have their shares in the last quarter of it, and in at least two of the others.
pub(super) fn goes_on(ages: impl Iterator<Item = u64>, span_ns: u64) -> bool {
    let mut quarters = [0_u64; 4];
    for age_ns in ages {
        let quarter = u128::from(age_ns) * 4 / u128::from(span_ns.max(1));
        quarters[usize::try_from(quarter).unwrap_or(3).min(3)] += 1;
    }
    let all = quarters.iter().sum();
    let has_share = |part: &&u64| per_mille(**part, all) >= MIN_QUARTER;
    let (recent, before) = quarters.split_at(1);
    recent.iter().all(|part| has_share(&part)) && before.iter().filter(has_share).count() >= 2
}

/// How many calls ended, and the longest of them in ns.
fn ended_calls(facts: &Facts<'_>, group: &GrowingGroup<'_>) -> (u64, u64) {
    let nodes = facts.nodes_of_site(group.site).iter().map(|&node| facts.node(node));
    let roots: Vec<&Node> = nodes.filter(|node| node.parent.is_none()).collect();
    let count = roots.iter().copied().map(ended).fold(0, u64::saturating_add);
    let longest = |node: &&Node| node.latency.completed.longest_ns.max(node.latency.cancelled.longest_ns);
    let longest_ns = roots.iter().map(longest).max().unwrap_or(0);
    // Without a recorded length, no task counts as older.
    (count, if longest_ns == 0 { u64::MAX } else { longest_ns })
}

/// The size of the pool with the threads that the tasks block; `None` if they block none.
fn pool(facts: &Facts<'_>, tasks: &[&Task]) -> Option<u64> {
    let is_running = |task: &&Task| task.kind == TaskKind::Blocking && task.state == RunState::Running;
    let runtime = tasks.first().filter(|_| tasks.iter().all(is_running))?.runtime_number;
    let pools = &facts.snapshot.blocking_pools;
    pools.iter().find(|pool| pool.runtime_number == runtime).map(|pool| pool.threads)
}

fn of_group(
    facts: &Facts<'_>,
    waiting: &WaitingTasks<'_, '_>,
    group: &GrowingGroup<'_>,
    growth: &Growth<'_>,
) -> Finding {
    let alive = growth.tasks.len() as u64;
    let place = waiting.place(&growth.tasks);
    let waits = place.as_ref().map(|place| format!("; they wait at {}", line(place))).unwrap_or_default();
    let threads = pool(facts, &growth.tasks);
    let threads = threads.map(|all| {
        format!("; {} threads for blocking code run them, of at most {}", count(alive), count(all))
    });
    let threads = threads.unwrap_or_default();
    let more = growth.more.map(|more| format!(", {} more than before", count(more))).unwrap_or_default();
    let others = match (growth.ended, growth.longest_ns) {
        (0, _) => "none has ended".to_owned(),
        (1, None) => "one other has ended".to_owned(),
        (ended, None) => format!("{} others have ended", count(ended)),
        (ended, Some(longest_ns)) => {
            format!("while {} others ended within {}", count(ended), time(longest_ns))
        }
    };
    let sentence = format!(
        "{} pile up: {} alive, the oldest {}, {}{more}, {others}{waits}{threads}",
        group_words(facts, group),
        count(alive),
        time(growth.oldest_ns),
        rate_words(alive, growth.span_ns),
    );
    let (ends, next) = match waiting.timer_due_ns(&growth.tasks) {
        Some(due_ns) => (
            format!("; timers end them, the first in {}", time(due_ns)),
            "if they need not wait that long, end them earlier: abort each when its owner goes away",
        ),
        None => (
            String::new(),
            "give each of them an end: a shutdown signal, a timeout, or an abort when its owner goes away",
        ),
    };
    let sentence = sentence + &ends;
    let mut finding = Finding::new(Rule::Growing, Severity::Risk, &sentence, next);
    finding.place = group.at.cloned().or_else(|| facts.place(group.site));
    let ages = growth.tasks.iter().map(|task| task.age_ns);
    finding.explains_ns = ages.fold(0, u64::saturating_add);
    finding.evidence.sites.push(group.site);
    finding.evidence.set_tasks(growth.tasks.iter().map(|task| task.id));
    finding
}

/// `` tasks of `notify` (spawned at src/main.rs:62) ``; a block has no name of its own.
fn group_words(facts: &Facts<'_>, group: &GrowingGroup<'_>) -> String {
    let is_block = facts.snapshot.site(group.site).is_some_and(|site| site.name == UNNAMED);
    match group.at.map(line) {
        Some(at) if is_block => format!("tasks spawned at {at}"),
        Some(at) => format!("tasks of {} (spawned at {at})", facts.name(group.site)),
        None => format!("tasks of {}", facts.name(group.site)),
    }
}

/// `12 more each second`, or `one more every 2.50 s`.
pub(super) fn rate_words(tasks: u64, span_ns: u64) -> String {
    let per_second = u128::from(tasks) * 1_000_000_000 / u128::from(span_ns.max(1));
    match u64::try_from(per_second).unwrap_or(u64::MAX) {
        0 => format!("one more every {}", time(span_ns / tasks.max(1))),
        rate => format!("{} more each second", count(rate)),
    }
}
