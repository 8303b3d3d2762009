//! The rules `saturated`, `imbalance` and `oversubscribed`: tasks wait for a thread, and why.
//!
//! ```text
//! workers on a CPU all the time     saturated        more workers, or less work
//! one of them, the others idle      imbalance        its tasks cannot move
//! workers waiting for a CPU         oversubscribed   other threads or processes use the machine
//! far more workers than CPUs        oversubscribed   the workers wait for each other
//! ```
//! A server under a load test is busy all the time, and so is a simulation. So the waits for a
//! thread have to be long, not only frequent, and take most of the time of calls that end. The task
//! of a connection does not end, but answers requests, and their time counts. With many workers for
//! a CPU, polls take long instead, and the time that calls lose counts.

use super::connections::{is_between_read_and_write, is_server_call};
use super::events::is_for_event;
use super::facts::{Facts, per_mille, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::workers::{CpuShare, capacity_ns};
use crate::model::{SiteIndex, SiteKind};
use crate::ordered::OrderedMap;
use crate::units::{counted, time};

/// The least share of the workers' time, in thousandths.
const MIN_BUSY: u64 = 950;
/// The least mean wait for a thread. People and other services notice it.
const MIN_QUEUED_NS: u64 = 20_000_000;
/// The least share of the time of calls that end, in thousandths.
const MIN_QUEUED: u64 = 500;
/// Shorter recordings may be a start-up.
const MIN_ELAPSED_NS: u64 = 5_000_000_000;
const MIN_POLLS: u64 = 1_000;
/// The least share of the busy time of tasks, in thousandths, for a function to be named: most.
const MIN_MOST: u64 = 500;
/// Many workers for a CPU: the least number, the least ratio of their waits for a CPU to the time
/// that they got, and the least share of the CPUs that they use, in thousandths. Where others use
/// the CPUs: the least share of the time in which the workers could run.
const MIN_CROWD: u64 = 4;
const MIN_CROWD_DELAY: u64 = 3;
const MIN_CROWD_USE: u64 = 500;
const MIN_CROWD_WANTED: u64 = 750;
/// The least number of calls that end, and the least time that each of them loses, in ns.
const MIN_CALLS: u64 = 100;
const MIN_LOST_NS: u64 = 10_000_000;

/// The time that tasks waited for a thread.
#[derive(Debug, Default)]
pub(super) struct QueueTimes {
    queued_ns: u64,
    polls: u64,
    /// Time of the calls, waits included.
    wall_ns: u64,
}

/// The queue of the tasks that end or answer requests.
pub(super) fn queue(facts: &Facts<'_>) -> QueueTimes {
    let mut queue = QueueTimes::default();
    for &root in &facts.tree.roots {
        let node = facts.node(root);
        if node.queued_ns == 0 || !facts.is_in_task(root) {
            continue;
        }
        // The tasks of a batch wait for each other by design.
        let is_ending = facts.has_ends(node.site) && !facts.is_batch(node.site);
        let idle_ns = if is_ending { Some(node.idle_ns) } else { idle_in_requests_ns(facts, root) };
        let Some(idle_ns) = idle_ns else { continue };
        queue.queued_ns = queue.queued_ns.saturating_add(node.queued_ns);
        queue.polls = queue.polls.saturating_add(node.polls);
        queue.wall_ns = queue.wall_ns.saturating_add(idle_ns).saturating_add(node.busy_ns);
    }
    queue
}

/// The time that the task of a connection was not polled while a request was with it: after it had
/// been read, and, once its bytes were there, until the task had its turn. `None` if the task
/// answers no requests.
///
/// ```text
/// connection   read ── no request ──▶ woken ·· queued ··│ handle ····· queued ·····│ write
///                                           └────────── its request ───────────────┘
/// ```
fn idle_in_requests_ns(facts: &Facts<'_>, root: usize) -> Option<u64> {
    let (mut idle_ns, mut requests) = (0_u64, 0);
    let mut nodes = vec![root];
    while let Some(node) = nodes.pop() {
        let is_in_request =
            || facts.is_await(node) && is_between_read_and_write(facts, node) && !is_for_event(facts, node);
        if is_in_request() || is_server_call(facts, node) {
            idle_ns = idle_ns.saturating_add(facts.node(node).idle_ns);
            requests = facts.node(node).calls.max(requests);
        } else {
            nodes.extend(&facts.tree.children[node]);
        }
    }
    let root = facts.node(root);
    let queued_ns = u128::from(root.queued_ns) * u128::from(requests) / u128::from(root.polls.max(1));
    let queued_ns = u64::try_from(queued_ns).unwrap_or(u64::MAX);
    (requests > 0).then_some(idle_ns.saturating_add(queued_ns))
}

/// Returns whether a task answers requests between others that it reads.
pub(super) fn answers_requests(facts: &Facts<'_>, root: usize) -> bool {
    idle_in_requests_ns(facts, root).is_some()
}

impl QueueTimes {
    pub(super) fn mean_ns(&self) -> u64 {
        self.queued_ns.checked_div(self.polls).unwrap_or(0)
    }

    /// The part of these waits that is due to `own` of the `all` ns in which workers were not
    /// parked.
    pub(super) fn part(&self, own: u64, all: u64) -> Self {
        let ns = (u128::from(self.queued_ns) * u128::from(own)).checked_div(all.into()).unwrap_or(0);
        let queued_ns = u64::try_from(ns).unwrap_or(u64::MAX).min(self.queued_ns);
        Self { queued_ns, polls: self.polls, wall_ns: self.wall_ns }
    }

    /// The sum of these waits.
    pub(super) fn queued_ns(&self) -> u64 {
        self.queued_ns
    }

    /// Their share of the time of the calls, in thousandths.
    pub(super) fn share(&self) -> u64 {
        per_mille(self.queued_ns, self.wall_ns)
    }

    /// Returns whether it is long enough for people to notice.
    pub(super) fn is_long(&self) -> bool {
        self.polls >= MIN_POLLS && self.mean_ns() >= MIN_QUEUED_NS && self.share() >= MIN_QUEUED
    }
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let (snapshot, cpu) = (facts.snapshot, CpuShare::new(facts.snapshot));
    if snapshot.elapsed_ns < MIN_ELAPSED_NS || !cpu.fits(snapshot) {
        return Vec::new();
    }
    let queue = queue(facts);
    let of_queue = || {
        oversubscribed(facts, &cpu, &queue)
            .or_else(|| imbalance(facts, &queue))
            .or_else(|| saturated(facts, &cpu, &queue))
    };
    let finding = queue.is_long().then(of_queue).flatten().or_else(|| crowded(facts, &cpu));
    finding.into_iter().collect()
}

/// Workers were runnable all the time, and got less than a third of the CPU.
fn oversubscribed(facts: &Facts<'_>, cpu: &CpuShare, queue: &QueueTimes) -> Option<Finding> {
    let wanted_ns = cpu.cpu_ns.saturating_add(cpu.delayed_ns);
    let is_wanted = per_mille(wanted_ns, capacity_ns(facts.snapshot)) >= MIN_BUSY;
    if !is_wanted || cpu.delayed_ns / 2 < cpu.cpu_ns {
        return None;
    }
    let share = per_mille(cpu.delayed_ns, wanted_ns);
    let (workers, cpus) = (facts.snapshot.workers.len() as u64, facts.snapshot.process.cpus);
    let reason = match cpus {
        Some(cpus) if workers > cpus => {
            format!("there are {} for {}", counted(workers, "worker"), counted(cpus, "CPU"))
        }
        _ => "other threads or processes use the machine".to_owned(),
    };
    let sentence = format!(
        "workers wait for a CPU {} of the time that they could run: {reason}; a task waits {} for its turn on average",
        percent(share),
        time(queue.mean_ns())
    );
    let next = "compare with an idle machine; times in this report are longer than the work they stand for";
    Some(of_queue(Rule::Oversubscribed, Severity::Note, &sentence, next, queue, share))
}

/// There are far more workers than CPUs, they keep the CPUs busy or could run most of the time, and
/// calls lose time in polls and in the queue.
fn crowded(facts: &Facts<'_>, cpu: &CpuShare) -> Option<Finding> {
    let (workers, cpus) = (facts.snapshot.workers.len() as u64, facts.snapshot.process.cpus?);
    let wanted_ns = cpu.cpu_ns.saturating_add(cpu.delayed_ns);
    let uses_cpus = per_mille(cpu.cpu_ns, facts.snapshot.elapsed_ns.saturating_mul(cpus)) >= MIN_CROWD_USE;
    let is_crowd = cpus > 0
        && workers >= cpus.saturating_mul(MIN_CROWD)
        && cpu.delayed_ns / MIN_CROWD_DELAY >= cpu.cpu_ns
        && (uses_cpus || per_mille(wanted_ns, capacity_ns(facts.snapshot)) >= MIN_CROWD_WANTED);
    if !is_crowd {
        return None;
    }
    let roots = facts.tree.roots.iter().copied().filter(|&root| facts.is_in_task(root));
    let ending = roots.map(|root| facts.node(root)).filter(|node| facts.has_ends(node.site));
    let (mut calls, mut busy_ns, mut queued_ns, mut wall_ns) = (0_u64, 0_u64, 0_u64, 0_u64);
    for node in ending {
        calls = calls.saturating_add(node.calls);
        busy_ns = busy_ns.saturating_add(node.busy_ns);
        queued_ns = queued_ns.saturating_add(node.queued_ns);
        wall_ns = wall_ns.saturating_add(node.busy_ns).saturating_add(node.idle_ns);
    }
    let share = per_mille(cpu.delayed_ns, wanted_ns);
    // Polls wait for a CPU as often as the workers do.
    let delayed_ns = u64::try_from(u128::from(busy_ns) * u128::from(share) / 1000).unwrap_or(u64::MAX);
    let lost_ns = delayed_ns.saturating_add(queued_ns);
    let mean_ns = lost_ns.checked_div(calls)?;
    // Half of the time of calls, as for the queue.
    if calls < MIN_CALLS || mean_ns < MIN_LOST_NS || per_mille(lost_ns, wall_ns) < MIN_QUEUED {
        return None;
    }
    let others = if uses_cpus { "" } else { ", which other threads or processes use too" };
    let sentence = format!(
        "workers wait for a CPU {} of the time that they could run: there are {} for {}{others}; a call waits {} for one on \
         average, {} of its time",
        percent(share),
        counted(workers, "worker"),
        counted(cpus, "CPU"),
        time(mean_ns),
        percent(per_mille(lost_ns, wall_ns)),
    );
    let next = "let the runtime have as many workers as there are CPUs, which is its default";
    let mut finding = Finding::new(Rule::Oversubscribed, Severity::Slow, &sentence, next);
    finding.explains_ns = lost_ns;
    finding.per_mille = Some(share.min(1000));
    Some(finding)
}

/// One worker did all the work while the others were parked.
fn imbalance(facts: &Facts<'_>, queue: &QueueTimes) -> Option<Finding> {
    let workers = &facts.snapshot.workers;
    if workers.len() < 3 {
        return None;
    }
    let ns = || workers.iter().map(|worker| worker.cpu_ns.unwrap_or(0));
    let (most_ns, all_ns) = (ns().max()?, ns().fold(0, u64::saturating_add));
    let share = per_mille(most_ns, all_ns);
    let is_full = per_mille(most_ns, facts.snapshot.elapsed_ns) >= 800;
    let sentence = format!(
        "one of {} workers did {} of the work, and tasks wait {} for it on average",
        workers.len(),
        percent(share),
        time(queue.mean_ns())
    );
    let next = "spawn the work as several tasks, outside of a `LocalSet`, so that other workers can take it";
    (is_full && share >= 900)
        .then(|| of_queue(Rule::Imbalance, Severity::Slow, &sentence, next, queue, share))
}

/// All workers were on a CPU all the time, or waited for one now and then.
fn saturated(facts: &Facts<'_>, cpu: &CpuShare, queue: &QueueTimes) -> Option<Finding> {
    let delayed_ns = if cpu.is_scarce() { 0 } else { cpu.delayed_ns };
    let share = per_mille(cpu.cpu_ns.saturating_add(delayed_ns), capacity_ns(facts.snapshot));
    let sentence = format!(
        "workers are busy {} of the time, and a task waits {} for its turn on average: {} of the time of its calls",
        percent(share.min(1000)),
        time(queue.mean_ns()),
        percent(per_mille(queue.queued_ns, queue.wall_ns).min(1000)),
    );
    let busiest = busiest(facts);
    let functions = match busiest {
        Some((site, part)) => {
            format!("{}, which takes {} of the busy time of tasks", facts.name_and_line(site), percent(part))
        }
        None => "the functions at the top of the table".to_owned(),
    };
    let next = format!("use less CPU in {functions}, add workers if there are CPUs, or refuse load earlier");
    (share >= MIN_BUSY).then(|| {
        let mut finding = of_queue(Rule::Saturated, Severity::Slow, &sentence, &next, queue, share);
        finding.place = busiest.and_then(|(site, _)| facts.place(site));
        finding.evidence.sites.extend(busiest.map(|(site, _)| site));
        finding
    })
}

/// The function whose own code takes most of the busy time of tasks, and its share of that in
/// thousandths, if there is one. Its polls are short: a long one is a `hog`.
fn busiest(facts: &Facts<'_>) -> Option<(SiteIndex, u64)> {
    let mut own_ns: OrderedMap<SiteIndex, u64> = OrderedMap::new();
    let mut all_ns = 0_u64;
    for node in (0..facts.tree.nodes.len()).filter(|&node| facts.is_in_task(node)) {
        let ns = facts.tree.self_busy_ns[node];
        all_ns = all_ns.saturating_add(ns);
        if facts.site(node).is_some_and(|site| matches!(site.kind, SiteKind::Fn | SiteKind::Sync)) {
            let own = own_ns.entry(facts.node(node).site).or_default();
            *own = own.saturating_add(ns);
        }
    }
    let (site, ns) = own_ns.into_iter().max_by_key(|&(site, ns)| (ns, std::cmp::Reverse(site)))?;
    let share = per_mille(ns, all_ns);
    (share >= MIN_MOST).then_some((site, share))
}

fn of_queue(
    rule: Rule,
    severity: Severity,
    sentence: &str,
    next: &str,
    queue: &QueueTimes,
    share: u64,
) -> Finding {
    let mut finding = Finding::new(rule, severity, sentence, next);
    finding.explains_ns = queue.queued_ns;
    finding.per_mille = Some(share.min(1000));
    finding
}
