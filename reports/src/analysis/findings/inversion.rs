//! The rule `inversion`: two locks are acquired in both orders, and calls deadlock until a time
//! limit ends them.
//!
//! ```text
//! swap    A ████████████████ held ████████████████|
//!           wait for B ···························|    given up
//! merge   B ████████████████ held ████████████████████|
//!           wait for A ····························|██   as long as the hold
//! ```
//! While the tasks wait, that is a verdict. Afterwards, no wait is left, but each lock has a hold
//! that took as long as a later wait of the same function for the other lock. One direction alone
//! is a slow lock, which `contended` reports. Locks of one place, such as those of accounts, may be
//! acquired in the order of their numbers: whether they were is not on record.

use super::contended::lock_words;
use super::facts::{Facts, line};
use super::finding::{Finding, Severity};
use super::locks::{Lock, locks};
use super::rule::Rule;
use super::workers::CpuShare;
use crate::model::{NodeIndex, Place, SiteIndex, UsagePlace};
use crate::sort::{sort, sort_by_key};
use crate::units::time;

/// The least wait under the other lock, if CPUs are free. Shorter ones agree by accident.
const MIN_WAIT_NS: u64 = 100_000_000;
/// How many locks are compared with each other, most awaited first.
const MAX_LOCKS: usize = 100;

/// A wait for one lock while another is held.
struct Nested<'a> {
    hold: &'a UsagePlace,
    wait: &'a UsagePlace,
    function: SiteIndex,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let least_ns = CpuShare::new(facts.snapshot).stretched(MIN_WAIT_NS);
    let is_long = |row: &UsagePlace| row.longest_ns >= least_ns;
    let is_one =
        |lock: &&Lock<'_>| lock.count == 1 && !lock.has_permits() && lock.waiters.iter().any(is_long);
    let mut locks: Vec<&Lock<'_>> = locks(facts).iter().filter(is_one).collect();
    sort_by_key(&mut locks, |lock| std::cmp::Reverse(lock.waited_ns));
    locks.truncate(MAX_LOCKS);
    sort_by_key(&mut locks, |lock| (lock.ids.first().copied(), lock.created, lock.name));
    let mut found = Vec::new();
    for (number, &first) in locks.iter().enumerate() {
        for &second in &locks[number + 1..] {
            let there = nested(facts, first, second, least_ns);
            let back = there.as_ref().and_then(|_| nested(facts, second, first, least_ns));
            if let (Some(there), Some(back)) = (there, back) {
                found.push(of_pair(facts, [first, second], &there, &back));
            }
        }
    }
    found
}

/// The longest wait for `wanted` that took nearly all of a hold of `held`, which the same function
/// acquired just before.
fn nested<'a>(
    facts: &Facts<'_>,
    held: &'a Lock<'_>,
    wanted: &'a Lock<'_>,
    least_ns: u64,
) -> Option<Nested<'a>> {
    let holds = held.holders.iter().flat_map(|hold| wanted.waiters.iter().map(move |wait| (hold, wait)));
    let nested = holds.filter_map(|(hold, wait)| {
        let ns = wait.longest_ns;
        if ns < least_ns || ns > hold.longest_ns || hold.longest_ns - ns > ns / 4 {
            return None;
        }
        let function = function_of(facts, hold).filter(|&it| function_of(facts, wait) == Some(it))?;
        let is_pair = |pair: &[&Place; 2]| pair == &[&hold.place, &wait.place];
        pairs(facts, [held, wanted], function).iter().any(is_pair).then_some(Nested { hold, wait, function })
    });
    nested.max_by_key(|nested| nested.wait.longest_ns)
}

/// The pairs of places at which the function acquires one of the locks and then the other, in
/// source order. Each branch has its own pairs, because the second lock of one branch is not held
/// in the next.
fn pairs<'a>(facts: &Facts<'_>, locks: [&'a Lock<'_>; 2], function: SiteIndex) -> Vec<[&'a Place; 2]> {
    let mut acquired = Vec::new();
    for (number, lock) in locks.into_iter().enumerate() {
        let rows = lock.holders.iter().chain(&lock.waiters);
        let own = rows.filter(|row| function_of(facts, row) == Some(function));
        acquired.extend(own.map(|row| (&row.place, number)));
    }
    sort(&mut acquired);
    acquired.dedup();
    let mut pairs = Vec::new();
    let mut rest = &acquired[..];
    while let [(from, held), (to, wanted), ..] = *rest {
        let is_pair = held != wanted && from.file == to.file;
        if is_pair {
            pairs.push([from, to]);
        }
        rest = &rest[if is_pair { 2 } else { 1 }..];
    }
    pairs
}

fn function_of(facts: &Facts<'_>, row: &UsagePlace) -> Option<SiteIndex> {
    let node = row.node.map(NodeIndex::get).filter(|&node| node < facts.tree.nodes.len())?;
    Some(facts.node(facts.function(node)?).site)
}

fn of_pair(facts: &Facts<'_>, locks: [&Lock<'_>; 2], there: &Nested<'_>, back: &Nested<'_>) -> Finding {
    let [first, second] = locks.map(|lock| lock_words(facts, lock));
    let at = |row: &UsagePlace| line(&row.place);
    let longest_ns = there.wait.longest_ns.max(back.wait.longest_ns);
    let sentence = format!(
        "{first} and {second} are acquired in opposite orders: {} acquires the first at {}, then the second at {}; {} the \
         second at {}, then the first at {}; such calls deadlock until a time limit, {} at the longest",
        facts.name(there.function),
        at(there.hold),
        at(there.wait),
        facts.name(back.function),
        at(back.hold),
        at(back.wait),
        time(longest_ns),
    );
    let next = "acquire both in the same order everywhere, or release one before the other is acquired";
    let mut finding = Finding::new(Rule::Inversion, Severity::Slow, &sentence, next);
    finding.place = Some(there.wait.place.clone());
    finding.explains_ns = locks.iter().map(|lock| lock.waited_ns).fold(0, u64::saturating_add);
    finding.evidence.sites = vec![there.function, back.function];
    finding.evidence.sites.dedup();
    finding.evidence.nodes = [there.wait.node, back.wait.node].into_iter().flatten().collect();
    finding.evidence.resources = locks.iter().flat_map(|lock| lock.ids.iter().copied()).collect();
    finding
}
