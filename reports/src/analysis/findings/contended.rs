//! The rule `contended`: a lock makes calls wait for a large share of their time.
//!
//! ```text
//! waits of a lock, by call ─▶ the function that waits ─▶ its callers ─▶ the outermost one with a large share
//! holds of a lock, by call ─▶ the await that takes most of each hold
//! ```
//! Silent if
//! - the waits are short, few against the recorded time, or longer than the holds explain;
//! - they are for a single hold, such as a migration at a start;
//! - CPUs are scarce, and a task that was granted the lock waits longer for a thread than it then
//!   holds it, or no await is on record over which it is held, and the workers waited for half of
//!   the time of the holds: the holder itself may wait for a thread. If the workers got next to no
//!   CPU time, no wait says anything;
//! - permits of a semaphore are held for about as long as they are waited for, no calls arrive, or
//!   they are for jobs that nobody has asked for: bounded concurrency makes tasks wait by design;
//! - the holder waits for the next event: then the lock only says whose turn it is, as in workers
//!   that share one receiver. Requests that send back what they receive wait for each other all the
//!   same.

use std::fmt::Write as _;

use super::awaited_channel::awaited_channel;
use super::awaited_lock::awaited_lock;
use super::delayed::{are_jobs, are_requests, delayed};
use super::events::{is_for_event, is_next_moment};
use super::facts::{Facts, line, percent};
use super::finding::{Finding, MAX_IDS, Severity};
use super::holder::Holder;
use super::locks::{Lock, locks};
use super::pool::ResourcePool;
use super::rule::Rule;
use super::workers::CpuShare;
use crate::analysis::hangs::words::kind_name;
use crate::clean::printable;
use crate::model::{NodeIndex, Place, UsagePlace};
use crate::units::{count, counted, time};

/// The least mean wait, if CPUs are free. Below it, waits are in the range of a thread switch.
const MIN_MEAN_NS: u64 = 1_000_000;
/// How many waits there must be: fewer may be a start-up.
const MIN_WAITS: u64 = 10;
/// How many of the longest holds a wait may take, at a lock that is free most of the time. A longer
/// wait is not for the holders: on a busy machine, tasks that were granted a lock wait for a
/// thread.
const MAX_QUEUE: u64 = 4;
/// How many times as long as a hold a permit must be waited for.
const MIN_HOLDS: u64 = 4;
/// The fewest waits of requests for permits that are not an accident, and their least mean in ns.
/// The mean is also at least that of a hold: the requests spend more time waiting than working.
const MIN_CROWD: u64 = 100;
const CROWD_NS: u64 = 10_000_000;
/// The least share of the time of calls that wait for permits, in thousandths, as permits are meant
/// to bound them; and of requests that wait in bursts.
const MIN_PERMIT_SHARE: u64 = 500;
const MIN_BURST_SHARE: u64 = 200;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    locks(facts).iter().filter_map(|lock| of_lock(facts, lock)).collect()
}

fn of_lock(facts: &Facts<'_>, lock: &Lock<'_>) -> Option<Finding> {
    let mean_ns = lock.waited_ns.checked_div(lock.waits)?;
    let cpu = CpuShare::new(facts.snapshot);
    let is_long = lock.waits >= MIN_WAITS
        && mean_ns >= cpu.stretched(MIN_MEAN_NS)
        // In a long recording, a few long waits at its start do not matter.
        && lock.waited_ns >= facts.snapshot.elapsed_ns / 100;
    let is_explained = (mean_ns <= lock.longest_hold_ns().saturating_mul(MAX_QUEUE)
        || lock.in_use_ns() >= facts.snapshot.elapsed_ns / 2)
        && (!cpu.is_scarce() || granted_ns(facts, lock) <= lock.usually_in_use_ns());
    // Where most calls give up, the wait is no longer than their patience. Recurring bursts of
    // requests are not batches.
    let recurs = lock.has_permits() && lock.recurs() && are_requests(facts, &lock.waiters);
    let crowd = facts.least_calls(MIN_CROWD, Some(mean_ns));
    let is_crowded = lock.waits >= crowd && mean_ns >= lock.held_ns.max(cpu.stretched(CROWD_NS));
    let is_bounding = lock.has_permits()
        && !(recurs && (lock.has_bursts(&cpu) || is_crowded))
        && mean_ns < lock.held_ns.saturating_mul(MIN_HOLDS)
        && lock.given_up <= lock.ended / 2;
    let is_batch = lock.has_permits() && !lock.arrives() && !recurs;
    if !is_long || !is_explained || is_bounding || is_batch || lock.is_one_hold() {
        return None;
    }
    let least = if recurs && lock.has_bursts(&cpu) { MIN_BURST_SHARE } else { MIN_PERMIT_SHARE };
    let (site, share) = delayed(facts, &lock.waiters, lock.has_permits().then_some(least))?;
    if lock.has_permits() && lock.given_up <= lock.ended / 2 && are_jobs(facts, &lock.waiters) {
        return None;
    }
    let holder = Holder::longest(facts, &lock.holders);
    let is_queued = holder.as_ref().is_some_and(|holder| holder.is_waiting && holder.over.is_none());
    // Workers that hardly work wait for a CPU at each wake, for far less time than such holds take.
    let is_delayed = || cpu.delayed_ns >= lock.usually_in_use_ns() / 2;
    if cpu.is_scarce() && (is_queued && is_delayed() || cpu.is_starved()) {
        return None;
    }
    // Tasks that are joined under a lock are work of its holder.
    let joins = |over: usize| facts.site(over).is_some_and(|site| site.name.contains("join_next("));
    let over = holder.as_ref().and_then(|holder| holder.over);
    let is_paced = |over: usize| facts.site(over).is_some_and(|site| is_next_moment(&site.name));
    let over = over.filter(|&over| is_paced(over) || is_for_event(facts, over) && !joins(over));
    let pool = over.and_then(|over| ResourcePool::received_from(facts, over, &lock.waiters));
    if over.is_some() && pool.is_none() {
        return None;
    }
    let mut sentence = format!(
        "{} makes {} wait: {} of its time, p99 {}",
        lock_words(facts, lock),
        facts.name(site),
        percent(share),
        time(lock.p99_ns)
    );
    if lock.given_up > lock.ended / 10 {
        // Writing to a string cannot fail.
        let _ = write!(sentence, ", {} of {} given up", count(lock.given_up), counted(lock.ended, "wait"));
    }
    let mut place = None;
    if let Some(holder) = &holder {
        sentence.push_str(&holder.words);
        place = Some(holder.row.place.clone());
    }
    let next = match pool {
        Some(pool) => {
            sentence.push_str(&pool.words);
            pool.next
        }
        None => next_step(facts, lock, holder.as_ref()),
    };
    let mut finding = Finding::new(Rule::Contended, Severity::Slow, &sentence, &next);
    finding.place = place.or_else(|| lock.waiters.first().map(|row| row.place.clone()));
    finding.explains_ns = lock.waited_ns;
    finding.per_mille = Some(share);
    finding.evidence.sites.push(site);
    let nodes = holder.iter().filter_map(|holder| holder.row.node);
    finding.evidence.nodes = nodes.chain(lock.waiters.iter().filter_map(|row| row.node)).collect();
    finding.evidence.nodes.dedup();
    finding.evidence.resources = lock.ids.iter().copied().take(MAX_IDS).collect();
    Some(finding)
}

fn next_step(facts: &Facts<'_>, lock: &Lock<'_>, holder: Option<&Holder<'_>>) -> String {
    let words = match holder {
        // Permits are meant to bound the work that is done under them.
        _ if lock.has_permits() => {
            "hold the permits for a shorter time, or add permits if the bound is not on purpose"
        }
        Some(Holder { over: Some(over), .. }) => {
            let is_lock = awaited_lock(facts, *over).is_some();
            let channel = awaited_channel(facts, *over);
            let over = facts.name(facts.node(*over).site);
            if is_lock {
                return format!(
                    "do not hold it across {over}, which waits for another lock; where both are needed, acquire them in \
                     the same order everywhere"
                );
            }
            if let Some(channel) = channel {
                return format!(
                    "look at the receiver of {}; do not hold the lock across {over}",
                    channel.words
                );
            }
            return format!(
                "do not hold it across {over}; if it guards a connection or a device, use a pool of them"
            );
        }
        Some(holder) if holder.is_waiting => {
            "do not hold it across an await; annotate the functions that run there to see which one"
        }
        _ => "shorten the code that runs under it, or split it",
    };
    words.to_owned()
}

/// About how long the lock was granted to tasks that had not been polled yet, in ns: no task holds
/// it then, and no other task gets it. Computed from the mean time in the queue of each waiting
/// task's root.
///
/// ```text
/// holder   |██ held ██|
/// next     |·········· granted ···|██ held ██|
/// third    |···································|
/// ```
fn granted_ns(facts: &Facts<'_>, lock: &Lock<'_>) -> u64 {
    let of_row = |row: &UsagePlace| {
        let node = row.node.map(NodeIndex::get).filter(|&node| node < facts.tree.nodes.len())?;
        let root = facts.node(facts.root(node));
        let ns = u128::from(root.queued_ns) * u128::from(row.count);
        u64::try_from(ns.checked_div(u128::from(root.polls))?).ok()
    };
    lock.waiters.iter().filter_map(of_row).fold(0, u64::saturating_add)
}

/// `` `rows` (RwLock, src/store.rs:12) ``, or `the RwLock of src/store.rs:12`.
pub(super) fn lock_words(facts: &Facts<'_>, lock: &Lock<'_>) -> String {
    let kind = kind_name(lock.kind);
    let line_of = |place: &Place| (!place.file.is_empty()).then(|| line(place));
    let created = lock.created.and_then(line_of).map(|at| format!("created at {at}"));
    let acquired = || Some(format!("acquired at {}", line_of(&lock.waiters.first()?.place)?));
    let created = match acquired().filter(|_| lock.is_apart && lock.name.is_none()) {
        Some(acquired) => created.map(|created| format!("{acquired} ({created})")),
        None => created,
    };
    match (lock.name, created.or_else(acquired), lock.count) {
        (Some(name), Some(at), _) => {
            let at = at.trim_start_matches("created at ");
            format!("`{}` ({kind}, {at})", printable(name))
        }
        (Some(name), None, _) => format!("`{}` ({kind})", printable(name)),
        (None, Some(at), _) if lock.is_one_of_many(facts) => format!("one {kind} of those {at}"),
        (None, Some(at), 1) => format!("the {kind} {at}"),
        (None, Some(at), many) => format!("each {kind} {at} ({} of them)", count(many)),
        (None, None, _) => format!("a {kind}"),
    }
}
