//! The rule `held`: requests wait for a lock or permit that is held for far longer than ever
//! before.
//!
//! ```text
//! earlier holds   |█|  |██| |█|  |█|
//! this hold                         |██████████████████████████████▶
//! requests                            |····························▶   three or more, for a second
//! ```
//! The rule `contended` measures what has ended. An outage has not: the holder waits for something
//! that does not come, and each request that needs the lock stands. Silent if the holder waits for
//! the next message or connection, as workers that share a receiver do; and if fewer than ten
//! earlier calls of the waiting functions have ended, since a standby waits by design.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::facts::{Facts, line};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::stops::Stops;
use super::workers::CpuShare;
use crate::analysis::hangs::words::kind_name;
use crate::clean::printable;
use crate::model::{Holding, Resource, ResourceId, ResourceKind, Role, SiteIndex, Wait, WaitMode};
use crate::ordered::OrderedMap;
use crate::units::{count, time};

/// How long the oldest wait must last, if CPUs are free: longer than a slow query.
const MIN_WAIT_NS: u64 = 1_000_000_000;
/// How many calls must wait.
const MIN_WAITING: usize = 3;
/// How many times as long as the longest hold that has ended this one must be.
const MIN_HOLDS: u64 = 10;
/// How many calls of a waiting function must have ended.
const MIN_ENDED: u64 = 10;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let mut waiting: OrderedMap<ResourceId, Vec<&Wait>> = OrderedMap::new();
    for wait in facts.snapshot.waits.iter().filter(|wait| is_acquisition(wait)) {
        if let Some(id) = wait.resource {
            waiting.entry(id).or_default().push(wait);
        }
    }
    let held = waiting.iter().filter(|(id, _)| !facts.stuck_resources.contains(id));
    held.filter_map(|(id, waits)| of_resource(facts, facts.snapshot.resource(*id)?, waits)).collect()
}

pub(super) fn is_acquisition(wait: &Wait) -> bool {
    let is_one = matches!(
        wait.mode,
        WaitMode::Lock | WaitMode::Read | WaitMode::Write | WaitMode::Acquire | WaitMode::Initialize
    );
    is_one && !wait.is_granted
}

fn of_resource(facts: &Facts<'_>, it: &Resource, waits: &[&Wait]) -> Option<Finding> {
    let oldest_ns = waits.iter().map(|wait| wait.since_ns).max()?;
    let standing = waits.len() as u64;
    let requests: Vec<(&Wait, SiteIndex)> =
        waits.iter().filter_map(|wait| Some((*wait, request(facts, wait, standing)?))).collect();
    if oldest_ns < CpuShare::new(facts.snapshot).stretched(MIN_WAIT_NS) || requests.len() < MIN_WAITING {
        return None;
    }
    let longest_ns = it.usage.holders.iter().map(|row| row.longest_ns).max().unwrap_or(0);
    let least_ns = longest_ns.saturating_mul(MIN_HOLDS).max(oldest_ns / 2);
    let holdings = || it.holdings.iter().filter(|holding| holding.role == Role::Holds);
    // For a semaphore, this has to hold for each permit.
    if !holdings().all(|holding| holding.since_ns >= least_ns) {
        return None;
    }
    let holding = holdings().filter(|holding| holding.task.is_some()).max_by_key(|it| it.since_ns)?;
    let holder = facts.task(holding.task?)?;
    let stops = Stops::of(facts.snapshot, holder);
    if stops.are_for_next_job() {
        return None;
    }
    let stop = stops.only();
    let site = most(&requests)?;
    let mut sentence = format!(
        "{} calls of {} wait for {}, for {} at the longest: {}",
        count(requests.len() as u64),
        facts.name(site),
        lock_words(it),
        time(oldest_ns),
        holder_words(facts, it, holding, longest_ns)
    );
    let mut next = "find out why that task does not go on".to_owned();
    if let Some(stop) = stop {
        // Writing to a string cannot fail.
        let _ = write!(sentence, " and waits at {}", facts.name_and_line(stop));
        next = format!("find out why {} does not end, and give it a time limit", facts.name(stop));
    }
    let mut finding = Finding::new(Rule::Held, Severity::Slow, &sentence, &next);
    finding.place.clone_from(&holding.place);
    finding.explains_ns = waits.iter().map(|wait| wait.since_ns).fold(0, u64::saturating_add);
    finding.evidence.sites = std::iter::once(site).chain(stop).collect();
    let tasks = holding.task.into_iter().chain(requests.iter().filter_map(|(wait, _)| wait.task));
    finding.evidence.set_tasks(tasks);
    finding.evidence.resources.push(it.id);
    Some(finding)
}

/// The function that waits, if it is one whose calls end: the root of the task, or the function
/// that waits itself. In an outage, more calls may stand there than have ended before: of those,
/// `standing` do not count.
pub(super) fn request(facts: &Facts<'_>, wait: &Wait, standing: u64) -> Option<SiteIndex> {
    let root = facts.task(wait.task?).map(|task| facts.root_site(task));
    let own = wait.span.and_then(|id| facts.span(id)).map(|span| span.site);
    let is_request = |site: &SiteIndex| {
        let totals = facts.totals(*site);
        totals.ended >= MIN_ENDED.max(totals.calls.saturating_sub(standing) / 2)
    };
    root.into_iter().chain(own).find(is_request)
}

/// The function of most of these calls.
fn most(requests: &[(&Wait, SiteIndex)]) -> Option<SiteIndex> {
    let mut counts: OrderedMap<SiteIndex, usize> = OrderedMap::new();
    for (_, site) in requests {
        *counts.entry(*site).or_default() += 1;
    }
    counts.into_iter().max_by_key(|&(site, count)| (count, Reverse(site))).map(|(site, _)| site)
}

/// `the Mutex created at src/store.rs:12`. If `Default` created it, the line that acquires it.
pub(super) fn lock_words(it: &Resource) -> String {
    let kind = kind_name(it.kind);
    let created = it.created.as_ref().filter(|place| !place.file.is_empty()).map(line);
    match (&it.name, created) {
        (Some(name), Some(at)) => format!("`{}` ({kind}, {at})", printable(name)),
        (Some(name), None) => format!("`{}` ({kind})", printable(name)),
        (None, Some(at)) => format!("the {kind} created at {at}"),
        (None, None) => {
            let held = it.holdings.iter().filter_map(|holding| holding.place.as_ref());
            let acquired = it.usage.waiters.iter().map(|row| &row.place).chain(held);
            match acquired.map(line).next() {
                Some(at) => format!("the {kind} acquired at {at}"),
                None => format!("a {kind}"),
            }
        }
    }
}

/// ``task 7 `pay` has held it for 5.75 s (8.34 ms at the longest before); it acquired it at
/// src/pay.rs:40``, or one of many such tasks.
pub(super) fn holder_words(facts: &Facts<'_>, it: &Resource, holding: &Holding, longest_ns: u64) -> String {
    let since = it.holdings.iter().filter(|other| other.role == Role::Holds).map(|other| other.since_ns);
    let (holders, least_ns) = (since.clone().count(), since.min().unwrap_or(0));
    let id = holding.task.map_or_else(String::new, |id| id.to_string());
    let task = holding.task.and_then(|id| facts.task(id));
    let name = task.map_or_else(String::new, |task| facts.name(facts.root_site(task)));
    let before = match longest_ns {
        0 => String::new(),
        ns => format!(" ({} at the longest before)", time(ns)),
    };
    let acquired =
        holding.place.as_ref().map_or_else(String::new, |at| format!(" acquired it at {}", line(at)));
    match holders {
        1 if it.kind == ResourceKind::OnceCell => {
            let at = holding.place.as_ref().map_or_else(String::new, |at| format!(" at {}", line(at)));
            format!("task {id} {name} has been initializing it for {}{at}", time(least_ns))
        }
        1 => format!("task {id} {name} has held it for {}{before};", time(least_ns)) + " it" + &acquired,
        many => format!(
            "{} tasks have held all of it for {} or longer{before}, such as task {id} {name}, which{acquired}",
            count(many as u64),
            time(least_ns)
        ),
    }
}
