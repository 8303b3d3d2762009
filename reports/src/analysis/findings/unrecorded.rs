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
//! the time.

use super::awaited_lock::awaited_lock;
use super::events::{is_event_like, is_for_event, is_initialization};
use super::facts::{Facts, per_mille, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::saturated::queue;
use super::workers::CpuShare;
use crate::analysis::latency::LatencyQuantiles;
use crate::model::{Durations, NodeIndex, SiteIndex, SiteKind, Snapshot};
use crate::units::time;

/// The least share of the workers' time, in thousandths.
const MIN_SHARE: u64 = 100;
/// The CPU time that the runtime and a framework may need for each poll.
const POLL_NS: u64 = 50_000;
/// Shorter recordings may be a start-up.
const MIN_ELAPSED_NS: u64 = 5_000_000_000;
/// The fewest calls with a useful quantile.
const MIN_CALLS: u64 = 100;
/// The least p99 of a function, if CPUs are free, and how many times its median that must be.
const MIN_P99_NS: u64 = 20_000_000;
const MIN_TIMES: u64 = 5;
/// How many calls there are for each that reaches an await of the slow ones.
const MIN_RARE: u64 = 10;

/// The time of the workers outside of polls on record.
#[derive(Debug, Default)]
struct Unrecorded {
    cpu_ns: u64,
    polls: u64,
    listed_ns: u64,
}

/// A function of which a few calls take far longer than the others.
struct Slow {
    site: SiteIndex,
    node: usize,
    calls: LatencyQuantiles,
    wall_ns: u64,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let (snapshot, cpu) = (facts.snapshot, CpuShare::new(facts.snapshot));
    let unrecorded = unrecorded(snapshot);
    if snapshot.elapsed_ns < MIN_ELAPSED_NS || !cpu.fits(snapshot) || !unrecorded.is_much() {
        return Vec::new();
    }
    let queue = queue(facts);
    let slow = slowest(facts, &cpu);
    let harm = match &slow {
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

/// The CPU time of all workers outside of polls on record. CPU times are those of threads, which
/// are older than a recording that was reset, so a worker has at most the time that it was not
/// parked.
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

impl Unrecorded {
    /// Returns whether it is much more than the polls on record need.
    fn is_much(&self) -> bool {
        let left_ns = self.cpu_ns.saturating_sub(self.polls.saturating_mul(POLL_NS));
        per_mille(left_ns, self.listed_ns) >= MIN_SHARE
    }
}

/// The function with such calls that takes most time, a request rather than one of its callees.
fn slowest(facts: &Facts<'_>, cpu: &CpuShare) -> Option<Slow> {
    let sites = (0..facts.snapshot.sites.len()).map(SiteIndex::new);
    let slow = sites.filter_map(|site| slow(facts, cpu, site));
    let is_request = |slow: &Slow| facts.functions(slow.node).nth(1).is_none();
    slow.max_by_key(|slow| (is_request(slow), slow.wall_ns, std::cmp::Reverse(slow.site)))
}

fn slow(facts: &Facts<'_>, cpu: &CpuShare, site: SiteIndex) -> Option<Slow> {
    facts.snapshot.site(site).filter(|it| it.kind == SiteKind::Fn)?;
    let nodes = || facts.nodes_of_site(site).iter().copied().filter(|&node| facts.is_in_task(node));
    let mut calls = Durations::default();
    for node in nodes() {
        calls.merge(&facts.node(node).latency.completed);
    }
    let calls = calls.quantiles();
    let least_ns = cpu.stretched(MIN_P99_NS).max(calls.p50_ns.saturating_mul(MIN_TIMES));
    if calls.count < MIN_CALLS || calls.p99_ns < least_ns {
        return None;
    }
    let node = nodes().max_by_key(|&node| (facts.node(node).idle_ns, std::cmp::Reverse(node)))?;
    let deepest = facts.deepest_wait(node);
    let is_why = is_for_event(facts, deepest)
        || is_event_like(facts, deepest)
        || is_initialization(facts, deepest)
        || awaited_lock(facts, deepest).is_some();
    // The slow calls have an await of their own, such as those that miss a cache.
    let own = facts.node(deepest);
    let mean_ns = own.idle_ns.checked_div(own.calls).unwrap_or(0);
    let is_why = is_why || own.calls <= calls.count / MIN_RARE && mean_ns >= calls.p99_ns / 2;
    (!is_why).then(|| Slow { site, node, calls, wall_ns: facts.wall_ns(site) })
}
