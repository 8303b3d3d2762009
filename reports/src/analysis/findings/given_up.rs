//! The rule `held` where the waits have a time limit: none of them is old, and none succeeds.
//!
//! ```text
//! earlier holds   |█|  |██| |█|  |█|
//! this hold                         |██████████████████████████████▶   or permits that are lost
//! requests                           |···|   |···|   |···|   |···|     given up, one after the other
//! ```
//! How many waits were given up is known for the whole recording only, so most waits must have
//! been, and calls must wait now. Silent if a call has acquired it since, if it was hardly used
//! before (the lock of a leader, which is held for life), or if the holder waits for the next
//! message or connection.

use super::facts::{Facts, line};
use super::finding::{Finding, Severity};
use super::held::{holder_words, lock_words};
use super::rule::Rule;
use super::stops::Stops;
use super::workers::CpuShare;
use crate::model::{Holding, NodeIndex, Place, Resource, ResourceId, ResourceKind, Role};
use crate::ordered::OrderedMap;
use crate::units::{count, counted, time};

/// For how long nothing acquired it, if CPUs are free.
const MIN_HELD_NS: u64 = 1_000_000_000;
/// How many times as long as the longest hold that has ended.
const MIN_HOLDS: u64 = 10;
/// How many waits must have been given up, also as a part of those that have ended.
const MIN_GIVEN_UP: u64 = 10;
const MIN_PART: u64 = 2;
/// How many calls must wait now, unless all permits are lost.
const MIN_WAITING: u64 = 3;
/// How often it must have been acquired.
const MIN_ACQUISITIONS: u64 = 20;

/// The waits for a resource that last now.
#[derive(Debug, Clone, Copy, Default)]
struct WaitsNow {
    count: u64,
    /// Those that last for [`MIN_HELD_NS`].
    old: u64,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let least_ns = CpuShare::new(facts.snapshot).stretched(MIN_HELD_NS);
    let mut now: OrderedMap<ResourceId, WaitsNow> = OrderedMap::new();
    for wait in &facts.snapshot.waits {
        if let Some(id) = wait.resource {
            let waits = now.entry(id).or_default();
            waits.count += 1;
            waits.old += u64::from(wait.since_ns >= least_ns);
        }
    }
    let locks = facts.snapshot.resources.iter().filter(|it| {
        let is_lock = matches!(it.kind, ResourceKind::Mutex | ResourceKind::RwLock | ResourceKind::Semaphore);
        is_lock && it.free == 0 && !it.is_closed && !facts.stuck_resources.contains(&it.id)
    });
    let waits = |it: &Resource| now.get(&it.id).copied().unwrap_or_default();
    locks.filter_map(|it| of_lock(facts, it, waits(it), least_ns)).collect()
}

fn of_lock(facts: &Facts<'_>, it: &Resource, now: WaitsNow, least_ns: u64) -> Option<Finding> {
    let given_up = it.usage.contended.saturating_sub(it.usage.waited).saturating_sub(now.count);
    let is_used = it.usage.acquisitions >= MIN_ACQUISITIONS && given_up >= MIN_GIVEN_UP;
    let is_most = given_up >= it.usage.contended.saturating_sub(now.count) / MIN_PART;
    let is_lost = it.forgotten > 0 && !it.is_refilled && it.capacity.is_some_and(|all| it.forgotten >= all);
    let is_waited_for = is_lost || is_most && now.count >= MIN_WAITING;
    // Old waits are for the rule that this one is a part of.
    if !is_used || !is_waited_for || now.old >= MIN_WAITING {
        return None;
    }
    let longest_ns = it.usage.holders.iter().map(|row| row.longest_ns).max().filter(|&ns| ns > 0)?;
    let least_ns = least_ns.max(longest_ns.saturating_mul(MIN_HOLDS));
    let holdings = || it.holdings.iter().filter(|holding| holding.role == Role::Holds);
    let acquired_ns = it.last_acquired.as_ref().and_then(|last| last.ago_ns);
    if acquired_ns.is_some_and(|ns| ns < least_ns) || holdings().any(|holding| holding.since_ns < least_ns) {
        return None;
    }
    let (cause, next, place) =
        if is_lost { lost(it)? } else { held(facts, it, &mut holdings(), longest_ns)? };
    let row = it.usage.waiters.iter().max_by_key(|row| (row.count, std::cmp::Reverse(&row.place)))?;
    let node = row.node.map(NodeIndex::get).filter(|&node| node < facts.tree.nodes.len());
    let function = node.and_then(|node| facts.function(node)).map(|node| facts.node(node).site);
    let sentence = format!(
        "{cause}; {} have been given up, and most calls wait at {}",
        counted(given_up, "wait"),
        line(&row.place)
    );
    let mut finding = Finding::new(Rule::Held, Severity::Slow, &sentence, &next);
    finding.place = place;
    finding.explains_ns = row.total_ns;
    finding.evidence.sites = function.into_iter().collect();
    finding.evidence.nodes = node.map(NodeIndex::new).into_iter().collect();
    finding.evidence.set_tasks(holdings().filter_map(|holding| holding.task));
    finding.evidence.resources.push(it.id);
    Some(finding)
}

/// Why calls do not get the resource, the next step, and the place.
pub(super) type Cause = (String, String, Option<Place>);

/// Permits were removed by `forget`.
pub(super) fn lost(it: &Resource) -> Option<Cause> {
    let left = match it.capacity?.saturating_sub(it.forgotten) {
        0 => "no permit".to_owned(),
        left => counted(left, "permit"),
    };
    let last = it.last_forgotten.as_ref()?;
    let at = last.place.as_ref().map_or_else(String::new, |at| format!(" at {}", line(at)));
    let ago = last.ago_ns.map_or_else(String::new, |ns| format!(", {} ago", time(ns)));
    let cause = format!(
        "{} has {left} left: `forget` removed {}, the last one{at}{ago}",
        lock_words(it),
        count(it.forgotten)
    );
    let next = "drop the permits there instead of forgetting them, or give them back with `add_permits`";
    Some((cause, next.to_owned(), last.place.clone()))
}

/// Tasks that do not go on hold all of it, or tasks that have ended without a release.
fn held(
    facts: &Facts<'_>,
    it: &Resource,
    holdings: &mut dyn Iterator<Item = &Holding>,
    longest_ns: u64,
) -> Option<Cause> {
    let holding = holdings.filter(|holding| holding.task.is_some()).max_by_key(|it| it.since_ns)?;
    let lock = lock_words(it);
    let Some(task) = facts.task(holding.task?) else {
        let at = holding.place.as_ref().map_or_else(String::new, |at| format!(" at {}", line(at)));
        let since = time(holding.since_ns);
        let cause =
            format!("no call acquires {lock} any more: a task that has ended acquired it{at}, {since} ago");
        let next = "look for a guard or permit that is leaked there, as by `mem::forget`";
        return Some((cause, next.to_owned(), holding.place.clone()));
    };
    let stops = Stops::of(facts.snapshot, task);
    if stops.are_for_next_job() {
        return None;
    }
    let stop = stops.only();
    let holder = holder_words(facts, it, holding, longest_ns);
    let (at, next) = match stop {
        Some(stop) => {
            let next = format!("find out why {} does not end, and give it a time limit", facts.name(stop));
            (format!(" and waits at {}", facts.name_and_line(stop)), next)
        }
        None => (String::new(), "find out why that task does not go on".to_owned()),
    };
    Some((format!("no call acquires {lock} any more: {holder}{at}"), next, holding.place.clone()))
}
