//! The rule `unrecorded`: workers spend much time in code that is not on record, and calls wait
//! for them meanwhile.
//!
//! ```text
//! worker   |██████ middleware ██████|█ handle █|          40 ms on a CPU, in no poll on record
//! handle        woken, or due ······|██████████|          its timers and sockets are late as well
//! ```
//! Middleware, extractors, futures without annotation, and the serialization of what a handler
//! returns are in no table, so no other rule sees them. The runtime and a framework also need a CPU
//! for each poll, so that much is left out. And the calls have to suffer: a few take far longer
//! than the others, with no lock and no event as their reason, or tasks wait for a thread most of
//! the time. A busy worker delays whatever it would poll next. So a function that waits as often
//! and has no such calls shows that they are slow by themselves.

use super::awaited_lock::awaited_lock;
use super::events::{is_event_like, is_for_event, is_initialization};
use super::facts::{Facts, per_mille, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::saturated::queue;
use super::workers::CpuShare;
use crate::analysis::latency::LatencyQuantiles;
use crate::model::{Durations, Node, NodeIndex, SiteIndex, SiteKind, Snapshot};
use crate::ordered::OrderedMap;
use crate::units::time;

/// The least share of the workers' time, in thousandths.
const MIN_SHARE: u64 = 100;
/// The same, where no worker is on record and only one function tells.
const MIN_LONE_SHARE: u64 = 200;
/// The CPU time that the runtime and a framework may need for each poll.
const POLL_NS: u64 = 50_000;
/// Shorter recordings may be a start-up.
const MIN_ELAPSED_NS: u64 = 5_000_000_000;
/// The fewest calls with a useful quantile.
const MIN_CALLS: u64 = 100;
/// The least p99 of a function, if CPUs are free, and how many times its median that must be.
const MIN_P99_NS: u64 = 20_000_000;
const MIN_TIMES: u64 = 5;
/// How many calls there are for each that reaches an await of the slow ones: if most did, the
/// median would be slow as well.
const MIN_RARE: u64 = 2;
/// How many times as long as the p99 of a function that waits as often it must be. Both have the
/// same chance of a delay, and as long a one.
const MIN_SPARED: u64 = 4;
/// How many of a function's calls would be late if they had the chance of those of another one. If
/// fewer would be, that none is late is an accident; late calls come in groups.
const MIN_EXPECTED: u64 = 10;

/// The time of the workers outside of polls on record.
#[derive(Debug, Default)]
struct Unrecorded {
    cpu_ns: u64,
    polls: u64,
    listed_ns: u64,
}

/// A function with many calls that wait for neither a lock nor an event.
struct WaitingCalls {
    site: SiteIndex,
    node: usize,
    calls: LatencyQuantiles,
    lengths: Durations,
    /// Their polls after the first, and their number.
    waits: u64,
    begun: u64,
    wall_ns: u64,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let (snapshot, cpu) = (facts.snapshot, CpuShare::new(facts.snapshot));
    let unrecorded = if cpu.is_of_workers { unrecorded(snapshot) } else { of_threads(facts) };
    let fits = !cpu.is_of_workers || cpu.fits(snapshot);
    if snapshot.elapsed_ns < MIN_ELAPSED_NS || !fits || unrecorded.share() < MIN_SHARE {
        return Vec::new();
    }
    let queue = queue(facts);
    let sites = (0..snapshot.sites.len()).map(SiteIndex::new);
    let all: Vec<WaitingCalls> = sites.filter_map(|site| waiting_calls(facts, site)).collect();
    // Without workers on record, it is less sure which threads these are.
    let is_sure = || cpu.is_of_workers || are_most_late(facts, &cpu, unrecorded.share());
    let slow = slowest(facts, &cpu, &all).filter(|_| is_sure());
    let harm = match slow {
        Some(slow) => format!(
            "{} takes {} at p99, {} at the median",
            facts.name_and_line(slow.site),
            time(slow.calls.p99_ns),
            time(slow.calls.p50_ns)
        ),
        None if queue.is_long() => format!("a task waits {} for its turn on average", time(queue.mean_ns())),
        None => return Vec::new(),
    };
    let share = per_mille(unrecorded.cpu_ns, unrecorded.listed_ns);
    let sentence = format!(
        "workers spend {} of their time in code that is not on record, and {harm}",
        percent(share.min(1000))
    );
    let next = "annotate middleware, extractors and spawned futures, or use the feature `native-stacks` to see what runs there; \
                what a framework does with the return value of a handler counts too, such as serializing `Json`";
    let mut finding = Finding::new(Rule::Unrecorded, Severity::Slow, &sentence, next);
    finding.explains_ns = unrecorded.cpu_ns;
    finding.per_mille = Some(share.min(1000));
    if let Some(slow) = slow {
        finding.evidence.sites.push(slow.site);
        finding.evidence.nodes.push(NodeIndex::new(slow.node));
    }
    vec![finding]
}

/// The CPU time of all workers outside of polls on record. A thread may be older than the
/// recording, so a worker has at most the time that it was not parked.
fn unrecorded(snapshot: &Snapshot) -> Unrecorded {
    let mut sum = Unrecorded::default();
    for worker in &snapshot.workers {
        let awake_ns = worker.listed_ns.saturating_sub(worker.parked_ns);
        let cpu_ns = worker.cpu_ns.unwrap_or(0).min(awake_ns).saturating_sub(worker.busy_ns);
        sum.cpu_ns = sum.cpu_ns.saturating_add(cpu_ns);
        sum.polls = sum.polls.saturating_add(worker.polls);
        sum.listed_ns = sum.listed_ns.saturating_add(worker.listed_ns);
    }
    sum
}

/// The unrecorded time of the living threads that have polled, where no worker is on record. It is
/// zero if one of these threads runs code on record outside of tasks, such as a job for blocking
/// work, or if the machine had no time for them.
fn of_threads(facts: &Facts<'_>) -> Unrecorded {
    let (snapshot, mut all) = (facts.snapshot, Unrecorded::default());
    let mut wanted_ns = 0_u64;
    for thread in snapshot.threads.iter().filter(|thread| thread.alive && thread.nodes > 0) {
        let Some((cpu_ns, delayed_ns)) = thread.cpu_ns.zip(thread.delayed_ns) else { continue };
        all.cpu_ns = all.cpu_ns.saturating_add(cpu_ns);
        all.listed_ns = all.listed_ns.saturating_add(snapshot.elapsed_ns);
        wanted_ns = wanted_ns.saturating_add(cpu_ns).saturating_add(delayed_ns);
    }
    for &root in &facts.tree.roots {
        all.cpu_ns = all.cpu_ns.saturating_sub(facts.node(root).busy_ns);
        all.polls = all.polls.saturating_add(facts.node(root).polls);
    }
    let is_of_tasks = facts.tree.roots.iter().all(|&root| facts.is_in_task(root));
    let fits = wanted_ns <= all.listed_ns.saturating_add(all.listed_ns / 10);
    if is_of_tasks && fits { all } else { Unrecorded::default() }
}

impl Unrecorded {
    /// The share of the time, in thousandths, that is more than the polls on record need.
    fn share(&self) -> u64 {
        let left_ns = self.cpu_ns.saturating_sub(self.polls.saturating_mul(POLL_NS));
        per_mille(left_ns, self.listed_ns)
    }
}

/// The function of which a few calls take far longer than the others, and that takes most time: a
/// request rather than one of its callees.
fn slowest<'a>(facts: &Facts<'_>, cpu: &CpuShare, all: &'a [WaitingCalls]) -> Option<&'a WaitingCalls> {
    let is_slow = |it: &&WaitingCalls| {
        it.calls.p99_ns >= cpu.stretched(MIN_P99_NS).max(it.calls.p50_ns.saturating_mul(MIN_TIMES))
            && !it.is_missed(facts)
            && !all.iter().any(|other| other.is_spared(it))
    };
    let is_request = |it: &WaitingCalls| facts.functions(it.node).nth(1).is_none();
    let slow = all.iter().filter(is_slow);
    slow.max_by_key(|it| (is_request(it), it.wall_ns, std::cmp::Reverse(it.site)))
}

/// Returns whether most functions of requests that wait at all have late calls. A thread that
/// computes delays those of all; a slow query, which takes no CPU, those of one. If there is only
/// one, it has to compute much.
fn are_most_late(facts: &Facts<'_>, cpu: &CpuShare, share: u64) -> bool {
    let mut roots: OrderedMap<SiteIndex, Vec<usize>> = OrderedMap::new();
    for &root in facts.tree.roots.iter().filter(|&&root| facts.node(root).idle_ns > 0) {
        roots.entry(facts.node(root).site).or_default().push(root);
    }
    // By function: whether its calls are late, and the thousandths of them that are.
    let often = roots.into_values().filter_map(|nodes| {
        let lengths = lengths(facts, nodes.into_iter());
        let calls = lengths.quantiles();
        let late_ns = calls.p50_ns.saturating_add(cpu.stretched(MIN_P99_NS));
        let share = per_mille(from(&lengths, late_ns), calls.count);
        (calls.count >= MIN_CALLS).then_some((calls.p99_ns >= late_ns, share, calls.count))
    });
    let often: Vec<(bool, u64, u64)> = often.collect();
    let late = often.iter().filter(|(is_late, ..)| *is_late).count();
    let late_share = often.iter().map(|(_, share, _)| *share).max().unwrap_or(0);
    let tell = often.iter().filter(|(is_late, _, calls)| *is_late || are_many(*calls, late_share)).count();
    late * 2 > tell && (tell > 1 || share >= MIN_LONE_SHARE)
}

/// Returns whether at least ten of `calls` would be late at a rate of `late` in 1,000.
fn are_many(calls: u64, late: u64) -> bool {
    calls.saturating_mul(late) >= MIN_EXPECTED * 1000
}

/// How many took this long or longer.
fn from(lengths: &Durations, ns: u64) -> u64 {
    let long = lengths.buckets.iter().filter(|bucket| bucket.from_ns >= ns);
    long.map(|bucket| bucket.count).fold(0, u64::saturating_add)
}

/// The lengths of the calls of these nodes.
fn lengths(facts: &Facts<'_>, nodes: impl Iterator<Item = usize>) -> Durations {
    let mut lengths = Durations::default();
    nodes.for_each(|node| lengths.merge(&facts.node(node).latency.completed));
    lengths
}

fn waiting_calls(facts: &Facts<'_>, site: SiteIndex) -> Option<WaitingCalls> {
    facts.snapshot.site(site).filter(|it| it.kind == SiteKind::Fn)?;
    let nodes = || facts.nodes_of_site(site).iter().copied().filter(|&node| facts.is_in_task(node));
    let sum =
        |of: fn(&Node) -> u64| nodes().fold(0, |sum: u64, node| sum.saturating_add(of(facts.node(node))));
    let (polls, begun) = (sum(|node| node.polls), sum(|node| node.calls));
    let lengths = lengths(facts, nodes());
    let calls = lengths.quantiles();
    if calls.count < MIN_CALLS {
        return None;
    }
    let node = nodes().max_by_key(|&node| (facts.node(node).idle_ns, std::cmp::Reverse(node)))?;
    let deepest = facts.deepest_wait(node);
    let is_why = is_for_event(facts, deepest)
        || is_event_like(facts, node)
        || is_initialization(facts, deepest)
        || awaited_lock(facts, deepest).is_some();
    let (waits, wall_ns) = (polls.saturating_sub(begun), facts.wall_ns(site));
    (!is_why).then_some(WaitingCalls { site, node, calls, lengths, waits, begun, wall_ns })
}

impl WaitingCalls {
    /// Returns whether the slow calls have an await of their own, such as those that miss a cache.
    fn is_missed(&self, facts: &Facts<'_>) -> bool {
        let all = facts.deepest_waits(self.node);
        let calls = facts.sum_of(&all, |node| node.calls);
        let mean_ns = facts.sum_of(&all, |node| node.idle_ns).checked_div(calls).unwrap_or(0);
        calls <= self.calls.count / MIN_RARE && mean_ns >= self.calls.p99_ns / 2
    }

    /// Returns whether calls wait at least once, and as often as those of a slow function, without
    /// the delays that these have. With fewer calls, that may be an accident: see [`are_many`].
    fn is_spared(&self, slow: &Self) -> bool {
        let waits = u128::from(self.waits) * u128::from(slow.begun);
        let late_ns = slow.calls.p99_ns / MIN_SPARED;
        self.waits >= self.begun
            && waits >= u128::from(slow.waits) * u128::from(self.begun)
            && self.calls.p99_ns < late_ns
            && are_many(self.calls.count, per_mille(from(&slow.lengths, late_ns), slow.calls.count))
    }
}
