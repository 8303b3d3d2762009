//! The function whose calls a lock delays, and whether they are requests.
//!
//! ```text
//! waits of a lock, by call ─▶ the function that waits ─▶ its callers ─▶ the outermost one with a large share
//! ```

use super::channels::is_of_handlers;
use super::connections::is_between_read_and_write;
use super::facts::{Facts, per_mille};
use crate::model::{Node, NodeIndex, SiteIndex, Task, UsagePlace};
use crate::ordered::{OrderedMap, OrderedSet};

/// The least share of a function's time, if its calls end. One in twenty shows in a p95.
const MIN_SHARE: u64 = 50;
/// The least share of the time of a loop, which also waits for other reasons.
const MIN_LOOP_SHARE: u64 = 200;
/// How many calls that wait for permits must have ended, if most have not.
const MIN_ENDED: u64 = 100;

/// The function that loses a large share of its time at the lock, and that share.
///
/// On a path with several such functions, it is the outermost whose calls end: the request that is
/// slow, not a helper inside it, nor the loop around it, which also waits for the next request. For
/// permits, `permits` is the least share in thousandths.
pub(super) fn delayed(
    facts: &Facts<'_>,
    waiters: &[UsagePlace],
    permits: Option<u64>,
) -> Option<(SiteIndex, u64)> {
    // By site: ns that its calls have waited for the lock, and the depth at which it was met.
    let mut waits: OrderedMap<SiteIndex, (u64, usize)> = OrderedMap::new();
    for row in waiters {
        let Some(node) = row.node.map(NodeIndex::get).filter(|&node| node < facts.tree.nodes.len()) else {
            continue;
        };
        let own = facts.node(node).site;
        // A thread that blocks on a lock is busy all the while.
        let is_idle = facts.sum(own, |node| node.idle_ns) > 0;
        let waited_ns: fn(&Node) -> u64 = if is_idle { |node| node.idle_ns } else { |node| node.busy_ns };
        let all = facts.sum(own, waited_ns);
        let mut under: OrderedMap<SiteIndex, (u64, usize)> = OrderedMap::new();
        for &same in facts.nodes_of_site(own) {
            // Functions may call each other: each has the wait once.
            let mut met = OrderedSet::new();
            let sites = facts.functions(same).map(|node| facts.node(node).site);
            for (depth, site) in sites.filter(|&site| met.insert(site)).enumerate() {
                let entry = under.entry(site).or_default();
                entry.0 = entry.0.saturating_add(waited_ns(facts.node(same)));
                entry.1 = entry.1.max(depth);
            }
        }
        for (site, (ns, depth)) in under {
            // The await may also wait for other locks: each function gets its part of this one.
            let part = u128::from(row.total_ns) * u128::from(ns) / u128::from(all.max(1));
            let entry = waits.entry(site).or_default();
            entry.0 = entry.0.saturating_add(u64::try_from(part).unwrap_or(u64::MAX));
            entry.1 = entry.1.max(depth);
        }
    }
    let (count, waited_ns) = waiters.iter().fold((0_u64, 0_u64), |(count, ns), row| {
        (count.saturating_add(row.count), ns.saturating_add(row.total_ns))
    });
    let least_ended = facts.least_calls(MIN_ENDED, waited_ns.checked_div(count));
    let share_of = |(site, (wait_ns, depth))| {
        let share = per_mille(wait_ns, facts.wall_ns(site)).min(1000);
        // An overloaded service has more calls in flight than have ended.
        let is_few = || least_ended < MIN_ENDED && facts.is_overloaded(site);
        let is_served = || facts.totals(site).is_served(MIN_ENDED) || is_few();
        let has_ends = facts.has_ends(site) || permits.is_some() && is_served();
        let least = match (has_ends, permits) {
            (true, None) => MIN_SHARE,
            (false, None) => MIN_LOOP_SHARE,
            (true, Some(least)) => least,
            (false, Some(_)) => return None,
        };
        (share >= least).then_some((has_ends, depth, share, std::cmp::Reverse(site)))
    };
    let (_, _, share, std::cmp::Reverse(site)) = waits.into_iter().filter_map(share_of).max()?;
    Some((site, share))
}

/// Returns whether most of the recorded waiting is in requests: in handlers, or between the `read`
/// of a request and the `write` of its answer.
pub(super) fn are_requests(facts: &Facts<'_>, waiters: &[UsagePlace]) -> bool {
    most_waited(facts, waiters)
        .is_some_and(|node| is_of_handlers(facts, node) || is_between_read_and_write(facts, node))
}

/// Returns whether it is in jobs that nobody has asked for: the program has spawned a task for
/// each, and not in a handler. A task of a connection has several requests.
pub(super) fn are_jobs(facts: &Facts<'_>, waiters: &[UsagePlace]) -> bool {
    let Some(node) = most_waited(facts, waiters).filter(|_| !are_requests(facts, waiters)) else {
        return false;
    };
    let root = facts.node(facts.root(node));
    let tasks = facts.snapshot.tasks.iter();
    let spawned = tasks.filter(|task| !task.is_unspawned && facts.root_site(task) == root.site);
    let is_of_handler = |task: &Task| {
        let spawner = task.spawned_by.and_then(|id| facts.task(id));
        spawner.is_some_and(|spawner| facts.is_handler(facts.root_site(spawner)))
    };
    let (of_handlers, others): (Vec<&Task>, Vec<&Task>) = spawned.partition(|task| is_of_handler(task));
    facts.node(node).calls <= root.calls && of_handlers.is_empty() && !others.is_empty()
}

/// The node with most of the recorded waiting.
fn most_waited(facts: &Facts<'_>, waiters: &[UsagePlace]) -> Option<usize> {
    let most = waiters.iter().max_by_key(|row| row.total_ns);
    let node = most.and_then(|row| row.node).map(NodeIndex::get);
    node.filter(|&node| node < facts.tree.nodes.len())
}
