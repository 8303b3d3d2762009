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
/// How many times as long as the p99 of a function that waits as often it must be. Both have the
/// same chance of a delay, and as long a one.
const MIN_SPARED: u64 = 4;

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
    /// Their polls after the first, and their number.
    waits: u64,
    begun: u64,
    wall_ns: u64,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let (snapshot, cpu) = (facts.snapshot, CpuShare::new(facts.snapshot));
    let unrecorded = unrecorded(snapshot);
    if snapshot.elapsed_ns < MIN_ELAPSED_NS || !cpu.fits(snapshot) || !unrecorded.is_much() {
        return Vec::new();
    }
    let queue = queue(facts);
    let sites = (0..snapshot.sites.len()).map(SiteIndex::new);
    let all: Vec<WaitingCalls> = sites.filter_map(|site| waiting_calls(facts, site)).collect();
    let slow = slowest(facts, &cpu, &all);
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

fn waiting_calls(facts: &Facts<'_>, site: SiteIndex) -> Option<WaitingCalls> {
    facts.snapshot.site(site).filter(|it| it.kind == SiteKind::Fn)?;
    let nodes = || facts.nodes_of_site(site).iter().copied().filter(|&node| facts.is_in_task(node));
    let (mut calls, mut polls, mut begun) = (Durations::default(), 0_u64, 0_u64);
    for node in nodes().map(|node| facts.node(node)) {
        calls.merge(&node.latency.completed);
        polls = polls.saturating_add(node.polls);
        begun = begun.saturating_add(node.calls);
    }
    let calls = calls.quantiles();
    if calls.count < MIN_CALLS {
        return None;
    }
    let node = nodes().max_by_key(|&node| (facts.node(node).idle_ns, std::cmp::Reverse(node)))?;
    let deepest = facts.deepest_wait(node);
    let is_why = is_for_event(facts, deepest)
        || is_event_like(facts, deepest)
        || is_initialization(facts, deepest)
        || awaited_lock(facts, deepest).is_some();
    let (waits, wall_ns) = (polls.saturating_sub(begun), facts.wall_ns(site));
    (!is_why).then_some(WaitingCalls { site, node, calls, waits, begun, wall_ns })
}

impl WaitingCalls {
    /// Returns whether the slow calls have an await of their own, such as those that miss a cache.
    fn is_missed(&self, facts: &Facts<'_>) -> bool {
        let own = facts.node(facts.deepest_wait(self.node));
        let mean_ns = own.idle_ns.checked_div(own.calls).unwrap_or(0);
        own.calls <= self.calls.count / MIN_RARE && mean_ns >= self.calls.p99_ns / 2
    }

    /// Returns whether calls wait at least once, and as often as those of a slow function, without
    /// the delays that these have.
    fn is_spared(&self, slow: &Self) -> bool {
        let waits = u128::from(self.waits) * u128::from(slow.begun);
        self.waits >= self.begun
            && waits >= u128::from(slow.waits) * u128::from(self.begun)
            && self.calls.p99_ns < slow.calls.p99_ns / MIN_SPARED
    }
}
