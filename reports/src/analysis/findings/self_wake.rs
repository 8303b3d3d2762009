//! The rule `self_wake`: a task wakes itself again and again, and does next to nothing in between.
//!
//! A task that yields after each piece of work also wakes itself, as it should. So the polls have
//! to be too short for work, and the task has to be runnable most of its life. A connection also
//! waits for its client, so tasks that wait for next to nothing but themselves count as well if
//! their polls use the workers.
//!
//! ```text
//! spin         ████████████████████████████████████████    runnable most of its life
//! connection   read ···· ████████ write ···· ████████      polls its request, again and again
//! ```

use super::facts::{Facts, line, per_mille, percent};
use super::finding::{Finding, MAX_IDS, Severity};
use super::rule::Rule;
use super::workers::{CpuShare, capacity_ns};
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
/// The least share of wakes by the tasks themselves, and of the workers' time in their polls, if
/// they are runnable for a smaller share of their life.
const MIN_SURE_SELF_WAKES: u64 = 900;
const MIN_USED: u64 = 250;
/// The least number of polls per second of its life: a task that merely retries is slower.
const MIN_RATE: u64 = 1_000;
/// The least age: shorter loops end by themselves.
const MIN_AGE_NS: u64 = 500_000_000;

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
    found.collect()
}

/// Whether it is polled often, for a short time, and mostly because it has woken itself.
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

/// Whether the polls of those that hardly anything else wakes are a large share of what the
/// workers do. Polls include waits for a CPU.
fn use_workers(facts: &Facts<'_>, tasks: &[&Task]) -> bool {
    let cpu = CpuShare::new(facts.snapshot);
    let used_ns =
        if cpu.is_known { cpu.cpu_ns.saturating_add(cpu.delayed_ns) } else { capacity_ns(facts.snapshot) };
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

fn of_tasks(facts: &Facts<'_>, site: SiteIndex, at: Option<&Place>, tasks: &[&Task]) -> Finding {
    let sum = |value: fn(&Task) -> u64| tasks.iter().map(|task| value(task)).fold(0, u64::saturating_add);
    let (polls, wakes, busy_ns) = (sum(|it| it.polls), sum(|it| it.wakes), sum(|it| it.busy_ns));
    let share = per_mille(sum(|it| it.self_wakes), wakes);
    let who = match tasks.len() {
        1 => format!("the task {}", facts.name_and_line(site)),
        many => format!("{} tasks {}", count(many as u64), facts.name_and_line(site)),
    };
    let spawned = at.map(|at| format!(", spawned at {}", line(at))).unwrap_or_default();
    let within = innermost(facts, site).filter(|&within| within != site);
    let within_words = within
        .map_or_else(String::new, |within| format!("; most polls are in {}", facts.name_and_line(within)));
    let sentence = format!(
        "{who}{spawned}: {} of {} wakes came from the task itself, and a poll takes {} on average{within_words}",
        percent(share),
        count(wakes),
        time(busy_ns / polls.max(1)),
    );
    let next = "wait for an event (`Notify`, a channel) instead of asking again, or sleep in between";
    let mut finding = Finding::new(Rule::SelfWake, Severity::Waste, &sentence, next);
    finding.place = facts.place(within.unwrap_or(site)).or_else(|| at.cloned());
    finding.explains_ns = busy_ns;
    finding.per_mille = Some(share);
    finding.evidence.sites.extend(within.into_iter().chain([site]));
    finding.evidence.tasks = tasks.iter().map(|task| task.id).take(MAX_IDS).collect();
    finding
}
