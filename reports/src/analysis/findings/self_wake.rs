//! The rule `self_wake`: a task wakes itself again and again, and does next to nothing in between.
//!
//! A task that yields after each piece of work also wakes itself, as it should. So the polls have
//! to be too short for work, and the task has to be runnable most of its life. A connection also
//! waits for its client, so tasks that wait for next to nothing but themselves count as well if
//! their polls use the workers. Tasks of requests end early, so the calls that have ended are
//! counted too. The wakes of those still alive show why they are polled so often.
//!
//! ```text
//! spin         ████████████████████████████████████████    runnable most of its life
//! connection   read ···· ████████ write ···· ████████      polls its request, again and again
//! requests     ████████   ████████   ████████   ██▶        each spins, and ends
//! ```

use super::facts::{Facts, line, per_mille, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::workers::{CpuShare, capacity_ns};
use crate::model::{Node, Place, SiteIndex, Task, TaskKind};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::units::{count, time};

/// Shorter polls do no useful work, in ns: to schedule one takes about as long.
const MAX_POLL_NS: u64 = 5_000;
/// The minimum share of wakes by the task itself, in thousandths.
const MIN_SELF_WAKES: u64 = 500;
/// The minimum share of a task's life in which it runs or is queued, in thousandths.
const MIN_RUNNABLE: u64 = 500;
/// The minimum share of wakes by the task itself, in thousandths, if it is runnable for less of its
/// life.
const MIN_SURE_SELF_WAKES: u64 = 900;
/// The minimum share of the workers' time in the polls of such tasks, in thousandths.
const MIN_USED: u64 = 250;
/// The minimum number of polls per second of its life: a task that merely retries is slower.
const MIN_RATE: u64 = 1_000;
/// The minimum age: shorter loops end by themselves.
const MIN_AGE_NS: u64 = 500_000_000;
/// The minimum number of polls of each call, if calls end.
const MIN_CALL_POLLS: u64 = 1_000;
/// The minimum number of polls per second of the recording, if calls end.
const MIN_STORM_RATE: u64 = 100_000;
/// The maximum share of the workers' time in which they are parked, in thousandths.
const MAX_PARKED: u64 = 750;
/// Shorter recordings may be a start-up.
const MIN_ELAPSED_NS: u64 = 1_000_000_000;

const NEXT: &str = "wait for an event (`Notify`, a channel) instead of asking again, or sleep in between";

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let mut groups: OrderedMap<(SiteIndex, Option<&Place>), Vec<&Task>> = OrderedMap::new();
    for task in facts.snapshot.tasks.iter().filter(|task| asks_again(task)) {
        groups.entry((facts.root_site(task), task.spawned_at.as_ref())).or_default().push(task);
    }
    let found = groups.into_iter().filter_map(|((site, at), mut tasks)| {
        let are_heavy = use_workers(facts, &tasks);
        tasks.retain(|task| is_runnable(task) || are_heavy && is_sure(task));
        (!tasks.is_empty()).then(|| of_tasks(facts, site, at, &tasks))
    });
    let mut found: Vec<Finding> = found.collect();
    let roots: OrderedSet<SiteIndex> = facts.tree.roots.iter().map(|&root| facts.node(root).site).collect();
    let is_new = |site: &SiteIndex| !found.iter().any(|finding| finding.evidence.sites.contains(site));
    let storms: Vec<SiteIndex> = roots.into_iter().filter(is_new).collect();
    found.extend(storms.into_iter().filter_map(|site| storm(facts, site)));
    found
}

/// Calls that end, and wake themselves until then.
fn storm(facts: &Facts<'_>, site: SiteIndex) -> Option<Finding> {
    let snapshot = facts.snapshot;
    let nodes =
        || facts.nodes_of_site(site).iter().map(|&node| facts.node(node)).filter(|it| it.parent.is_none());
    let sum = |value: fn(&Node) -> u64| nodes().map(value).fold(0, u64::saturating_add);
    let (calls, polls, busy_ns) = (sum(|it| it.calls), sum(|it| it.polls), sum(|it| it.busy_ns));
    let wall_ns = busy_ns.saturating_add(sum(|it| it.idle_ns));
    let rate = u128::from(polls) * 1_000_000_000;
    let is_storm = snapshot.elapsed_ns >= MIN_ELAPSED_NS
        && polls >= calls.max(1).saturating_mul(MIN_CALL_POLLS)
        && rate >= u128::from(MIN_STORM_RATE) * u128::from(snapshot.elapsed_ns)
        && busy_ns / polls.max(1) <= MAX_POLL_NS
        && per_mille(busy_ns.saturating_add(sum(|it| it.queued_ns)), wall_ns) >= MIN_RUNNABLE;
    let listed_ns = snapshot.workers.iter().map(|it| it.listed_ns).fold(0, u64::saturating_add);
    let parked_ns = snapshot.workers.iter().map(|it| it.parked_ns).fold(0, u64::saturating_add);
    let are_busy = listed_ns > 0 && per_mille(parked_ns, listed_ns) < MAX_PARKED;
    if !is_storm || !are_busy || !facts.has_ends(site) {
        return None;
    }
    let is_own = |task: &&Task| task.kind == TaskKind::Future && facts.root_site(task) == site;
    let tasks: Vec<&Task> = snapshot.tasks.iter().filter(is_own).collect();
    let wakes = tasks.iter().map(|task| task.wakes).fold(0, u64::saturating_add);
    let self_wakes = tasks.iter().map(|task| task.self_wakes).fold(0, u64::saturating_add);
    let share = per_mille(self_wakes, wakes);
    if wakes < MIN_CALL_POLLS || share < MIN_SURE_SELF_WAKES {
        return None;
    }
    let (within, within_words) = within(facts, site);
    let sentence = format!(
        "{} calls of {} were polled {} times, for {} on average, and {} of the wakes of live tasks came from the task \
         itself{within_words}",
        count(calls),
        facts.name_and_line(site),
        count(polls),
        time(busy_ns / polls.max(1)),
        percent(share),
    );
    let mut finding = Finding::new(Rule::SelfWake, Severity::Waste, &sentence, NEXT);
    finding.place = facts.place(within.unwrap_or(site));
    finding.explains_ns = busy_ns;
    finding.per_mille = Some(share);
    finding.evidence.sites.extend(within.into_iter().chain([site]));
    finding.evidence.set_tasks(tasks.iter().map(|task| task.id));
    Some(finding)
}

/// Returns whether it is polled often, for a short time, and mostly because it has woken itself.
fn asks_again(task: &Task) -> bool {
    let rate = u128::from(task.polls) * 1_000_000_000;
    task.kind == TaskKind::Future
        && task.age_ns >= MIN_AGE_NS
        && per_mille(task.self_wakes, task.wakes) >= MIN_SELF_WAKES
        && rate >= u128::from(MIN_RATE) * u128::from(task.age_ns)
        && task.busy_ns / task.polls.max(1) <= MAX_POLL_NS
}

fn is_runnable(task: &Task) -> bool {
    let runnable_ns = task.busy_ns.saturating_add(task.queued_ns);
    per_mille(runnable_ns, task.age_ns) >= MIN_RUNNABLE
}

fn is_sure(task: &Task) -> bool {
    per_mille(task.self_wakes, task.wakes) >= MIN_SURE_SELF_WAKES
}

/// Returns whether the polls of tasks that mostly wake themselves take a large share of the
/// workers' time. Polls include waits for a CPU.
fn use_workers(facts: &Facts<'_>, tasks: &[&Task]) -> bool {
    let cpu = CpuShare::new(facts.snapshot);
    let used_ns = if cpu.is_known && cpu.is_of_workers {
        cpu.cpu_ns.saturating_add(cpu.delayed_ns)
    } else {
        capacity_ns(facts.snapshot)
    };
    let polls = tasks.iter().filter(|task| is_sure(task)).map(|task| task.busy_ns);
    used_ns > 0 && per_mille(polls.fold(0, u64::saturating_add), used_ns) >= MIN_USED
}

/// The innermost function that is polled in most polls of the tasks with this root.
fn innermost(facts: &Facts<'_>, root: SiteIndex) -> Option<SiteIndex> {
    let polls = |node: &usize| facts.node(*node).polls;
    let mut node = facts.nodes_of_site(root).iter().copied().max_by_key(polls)?;
    let least = polls(&node) / 2;
    while let Some(child) = facts.tree.children[node].iter().copied().max_by_key(polls) {
        if polls(&child) <= least {
            break;
        }
        node = child;
    }
    facts.function(node).map(|function| facts.node(function).site)
}

/// The innermost function, if it is not the root, and the words for it.
fn within(facts: &Facts<'_>, site: SiteIndex) -> (Option<SiteIndex>, String) {
    let within = innermost(facts, site).filter(|&within| within != site);
    let words = within
        .map_or_else(String::new, |within| format!("; most polls are in {}", facts.name_and_line(within)));
    (within, words)
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
    let (within, within_words) = within(facts, site);
    let sentence = format!(
        "{who}{spawned}: {} of {} wakes came from the task itself, and a poll takes {} on average{within_words}",
        percent(share),
        count(wakes),
        time(busy_ns / polls.max(1)),
    );
    let mut finding = Finding::new(Rule::SelfWake, Severity::Waste, &sentence, NEXT);
    finding.place = facts.place(within.unwrap_or(site)).or_else(|| at.cloned());
    finding.explains_ns = busy_ns;
    finding.per_mille = Some(share);
    finding.evidence.sites.extend(within.into_iter().chain([site]));
    finding.evidence.set_tasks(tasks.iter().map(|task| task.id));
    finding
}
