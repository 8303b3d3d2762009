//! All findings of a snapshot: most urgent first, at most ten.

use std::cmp::Reverse;

use super::alike::merge_alike;
use super::awaited_lock::awaited_lock;
use super::facts::Facts;
use super::finding::{Finding, Severity};
use super::locks::{Lock, locks};
use super::rule::Rule;
use super::{
    accepting, asleep, backlog, blocking_pool, bottleneck, cancelled, closed_channels, contended, detached,
    failing_cell, full_channel, given_up, growing, held, hog, inversion, lagged, large_future, lost_data,
    missing_await, nested, over_capacity, panicked, retries, runtimes, saturated, self_wake, sequential,
    sequential_inside, slow_await, spinning, stopped, stuck, unlisted_lock, unrecorded, waiting_jobs,
};
use crate::analysis::hangs::Verdict;
use crate::model::{Durations, NodeIndex, ResourceId, Snapshot};
use crate::ordered::OrderedSet;
use crate::sort::sort_by_key;

/// How many findings there are at most: as many as fit on one screen.
const MAX_FINDINGS: usize = 10;
/// How many more tasks each second are many: 86,400 each day, and what they hold. Few processes
/// have memory or file descriptors for that.
const MANY_EACH_SECOND: u128 = 1;
/// How many of the longest polls of a function a delay by it takes: a call may wait twice.
const MAX_POLLS: u64 = 2;
/// Half of the workers' time, in thousandths.
const MOST: u64 = 500;

impl Snapshot {
    /// The findings, most urgent first: stuck tasks, then the causes of most task time. At most
    /// ten; none for a healthy program. Equal snapshots have equal findings.
    ///
    /// Computed on each call, with [`verdicts`](Self::verdicts) and their cost.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        self.findings_with(None, &self.verdicts())
    }

    /// Like [`findings_since`](Self::findings_since) an earlier snapshot, if there is one, for
    /// callers that have the verdicts of the snapshot.
    pub(crate) fn findings_with(&self, earlier: Option<&Self>, verdicts: &[Verdict]) -> Vec<Finding> {
        let is_earlier = |it: &&Self| it.elapsed_ns < self.elapsed_ns && self.continues(it);
        find(self, earlier.filter(is_earlier), verdicts)
    }

    /// Like [`findings`](Self::findings), with an earlier snapshot of the same process: growth is
    /// measured between the two. An `earlier` snapshot of another process, or from before a reset,
    /// is ignored.
    #[must_use]
    pub fn findings_since(&self, earlier: &Self) -> Vec<Finding> {
        self.findings_with(Some(earlier), &self.verdicts())
    }
}

/// The rules besides the verdicts. If findings are equally important, that of the earlier rule
/// comes first.
const RULES: [fn(&Facts<'_>) -> Vec<Finding>; 35] = [
    contended::find,
    failing_cell::find,
    unlisted_lock::find,
    inversion::find,
    held::find,
    given_up::find,
    over_capacity::find,
    nested::find,
    stopped::find,
    accepting::find,
    full_channel::find,
    bottleneck::find,
    sequential::find,
    sequential_inside::find,
    hog::find,
    slow_await::find,
    saturated::find,
    asleep::find,
    unrecorded::find,
    blocking_pool::find,
    runtimes::find,
    self_wake::find,
    spinning::find,
    retries::find,
    cancelled::find,
    panicked::find,
    growing::find,
    detached::find,
    closed_channels::find,
    backlog::find,
    waiting_jobs::find,
    lagged::find,
    missing_await::find,
    large_future::find,
    lost_data::find,
];

fn find(snapshot: &Snapshot, earlier: Option<&Snapshot>, verdicts: &[Verdict]) -> Vec<Finding> {
    let mut facts = Facts::new(snapshot, earlier);
    let mut findings = stuck::find(&mut facts, verdicts);
    for rule in RULES {
        findings.extend(rule(&facts));
    }
    let mut is_unexplained = Vec::new();
    for finding in &findings {
        is_unexplained.push(!findings.iter().any(|other| explains(&facts, other, finding)));
    }
    let mut is_unexplained = is_unexplained.into_iter();
    findings.retain(|_| is_unexplained.next().unwrap_or(true));
    merge_alike(&mut findings);
    // A stable sort: findings that are equal here keep the order of the rules.
    sort_by_key(&mut findings, |finding| {
        let class = match finding.severity {
            Severity::Stuck => 0,
            // A suspicion, but nothing has moved for a second. It answers what hangs, so it comes
            // first.
            Severity::Risk if matches!(finding.rule, Rule::Stuck(_)) => 1,
            // Calls that stand still come before calls that are slow.
            Severity::Slow if matches!(finding.rule, Rule::Inversion | Rule::Held | Rule::Stopped) => 1,
            Severity::Slow | Severity::Waste => 2,
            // The process ends by it, unless it is restarted.
            Severity::Risk if grows_fast(finding) => 2,
            Severity::Risk => 3,
            Severity::Note => 4,
        };
        (class, Reverse(finding.explains_ns))
    });
    put_causes_first(&facts, &mut findings);
    findings.truncate(MAX_FINDINGS);
    findings
}

/// Returns whether tasks become more so fast that the process runs out of memory, or of what they
/// hold, before long. The mean age of tasks that come evenly is half the age of the oldest.
fn grows_fast(finding: &Finding) -> bool {
    let tasks = finding.evidence.all_tasks.unwrap_or(finding.evidence.tasks.len()) as u128;
    let ages_ns = u128::from(finding.explains_ns);
    finding.rule == Rule::Growing && tasks * tasks * 1_000_000_000 >= 2 * MANY_EACH_SECOND * ages_ns
}

/// Moves a finding about calls that run into a timeout behind the one about what they wait for. It
/// explains less time only if most calls are cut off early.
fn put_causes_first(facts: &Facts<'_>, findings: &mut [Finding]) {
    for number in (0..findings.len()).rev() {
        if findings[number].rule != Rule::Cancelled {
            continue;
        }
        let waits = findings[number].evidence.nodes.iter().map(|&node| facts.deepest_wait(node.get()));
        let waits: OrderedSet<NodeIndex> = waits.map(NodeIndex::new).collect();
        let is_cause = |other: &Finding| {
            matches!(other.rule, Rule::Contended | Rule::FullChannel | Rule::Bottleneck)
                && other.evidence.nodes.iter().any(|node| waits.contains(node))
        };
        let Some(cause) = findings.iter().rposition(is_cause).filter(|&cause| cause > number) else {
            continue;
        };
        findings[number..=cause].rotate_left(1);
    }
}

/// Returns whether `cause` explains what `finding` says: long polls fill the workers, and a lock, a
/// full channel or a busy receiver makes the await of it slow.
fn explains(facts: &Facts<'_>, cause: &Finding, finding: &Finding) -> bool {
    match (cause.rule, finding.rule) {
        // Calls that have ended say nothing about those that hang now. A slow receiver is named
        // once.
        (Rule::Inversion | Rule::Held | Rule::Stopped, Rule::Contended)
        | (Rule::FullChannel, Rule::Bottleneck | Rule::Stopped)
        | (Rule::Bottleneck, Rule::Stopped) => {
            cause.evidence.resources.iter().any(|id| finding.evidence.resources.contains(id))
        }
        // Others wait for the lock, or its holder waits there.
        (Rule::Held, Rule::Stopped) => {
            let is_its = |id: &ResourceId| cause.evidence.resources.contains(id);
            let awaited = finding.evidence.sites.first();
            finding.evidence.resources.iter().any(is_its)
                || awaited.is_some_and(|site| cause.evidence.sites.contains(site))
        }
        (Rule::Hog | Rule::Blocking, Rule::Saturated | Rule::Imbalance) => true,
        (Rule::Hog | Rule::Blocking, Rule::Unrecorded) => delays(facts, cause, finding),
        // The functions on record are not what uses most of the CPU.
        (Rule::Unrecorded, Rule::Saturated) => cause.per_mille >= Some(MOST),
        (Rule::Contended, Rule::Hog | Rule::Blocking) => is_blocked_on(facts, cause, finding),
        (Rule::Contended, Rule::Sequential) => are_waits_for(facts, cause, finding),
        // The receiver itself waits for the lock.
        (Rule::Contended, Rule::Bottleneck) => {
            let places = cause.evidence.nodes.iter().map(|node| facts.place(facts.node(node.get()).site));
            finding.place.is_some() && places.into_iter().any(|place| place == finding.place)
        }
        (
            Rule::Inversion | Rule::Contended | Rule::FullChannel | Rule::Bottleneck | Rule::Stopped,
            Rule::SlowAwait,
        )
        | (Rule::Retries, Rule::Sequential) => {
            finding.evidence.nodes.iter().any(|node| cause.evidence.nodes.contains(node))
        }
        _ => false,
    }
}

/// Returns whether a function with long polls may be what calls suffer from beside unrecorded code:
/// its polls are about as long as their delays, or it takes as much time as that code.
fn delays(facts: &Facts<'_>, hog: &Finding, unrecorded: &Finding) -> bool {
    let nodes = || hog.evidence.sites.iter().flat_map(|&site| facts.nodes_of_site(site));
    let busy_ns = nodes().map(|&node| facts.tree.self_busy_ns[node]).fold(0, u64::saturating_add);
    let longest_ns = nodes().map(|&node| facts.node(node).longest_poll_ns).max().unwrap_or(0);
    let mut late = Durations::default();
    for &node in unrecorded.evidence.sites.iter().flat_map(|&site| facts.nodes_of_site(site)) {
        late.merge(&facts.node(node).latency.completed);
    }
    let is_as_long = late.count() > 0 && late.quantiles().p99_ns <= longest_ns.saturating_mul(MAX_POLLS);
    is_as_long || unrecorded.explains_ns <= busy_ns
}

/// Returns whether calls that are awaited again and again wait for the permits of a finding.
fn are_waits_for(facts: &Facts<'_>, permits: &Finding, repeated: &Finding) -> bool {
    let site_of = |node: &NodeIndex| facts.node(node.get()).site;
    repeated.evidence.nodes.iter().any(|node| {
        let deepest = facts.deepest_wait(node.get());
        awaited_lock(facts, deepest).is_some()
            && permits.evidence.nodes.iter().any(|node| site_of(node) == facts.node(deepest).site)
    })
}

/// Returns whether the long polls of a function are mostly waits for the contended lock, which
/// blocks their thread. A task waits for a lock of async code at an await, and between polls.
fn is_blocked_on(facts: &Facts<'_>, lock: &Finding, polls: &Finding) -> bool {
    let Some(&site) = polls.evidence.sites.first() else { return false };
    let nodes = facts.nodes_of_site(site);
    let is_its = |it: &&Lock<'_>| it.ids.iter().any(|id| lock.evidence.resources.contains(id));
    let rows = locks(facts).iter().filter(is_its).flat_map(|it| &it.waiters);
    let inside = rows.filter(|row| row.node.is_some_and(|node| nodes.contains(&node.get())));
    let waited_ns = inside.map(|row| row.total_ns).fold(0, u64::saturating_add);
    let self_busy_ns = nodes.iter().map(|&node| facts.tree.self_busy_ns[node]).fold(0, u64::saturating_add);
    !nodes.iter().any(|&node| facts.is_await(node)) && waited_ns > self_busy_ns / 2
}
