//! The rule `retries`: a call tries to connect again and again, without a pause.
//!
//! ```text
//! reconnect   connect █ refused connect █ refused connect █ refused …     nothing else is awaited
//! ```
//! A port that is closed refuses at once, so such a loop uses a whole CPU. A client that connects
//! for each of its requests awaits more than that: the request, and its answer. Where a name says
//! so, other calls are tries as well, such as those of `call_with_retries`.

use super::events::{is_connect, is_repeated};
use super::facts::{Facts, per_mille, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::sequential::says_retry;
use crate::model::NodeIndex;
use crate::units::{count, time};

/// How many tries there must be, in each call.
const MIN_TRIES: u64 = 1_000;
/// How many tries of another call there must be, in each call of the function that is named after
/// them. Fewer may be the bound of a retry policy.
const MIN_NAMED_TRIES: u64 = 16;
/// How many tries there must be in a second.
const MIN_RATE: u64 = 1_000;
/// One in how many tries may be followed by another await.
const MAX_OTHERS: u64 = 100;
/// The least share of all busy time, in thousandths.
const MIN_SHARE: u64 = 500;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let roots = facts.tree.roots.iter().filter(|&&root| facts.is_in_task(root));
    let all_ns = roots.map(|&root| facts.node(root).busy_ns).fold(0, u64::saturating_add);
    let nodes = (0..facts.tree.nodes.len()).filter(|&node| facts.node(node).calls >= MIN_TRIES);
    let awaits = nodes.filter(|&node| facts.is_await(node));
    awaits.filter_map(|node| of_await(facts, node, all_ns)).collect()
}

/// The function that makes the tries at an await.
fn function(facts: &Facts<'_>, node: usize) -> Option<usize> {
    if facts.site(node).is_some_and(|site| is_connect(&site.name)) {
        return caller(facts, node, MIN_TRIES);
    }
    let around = facts.tree.ancestors(node).next().filter(|&around| !facts.is_await(around))?;
    let is_named = says_retry(facts, facts.node(around).site) && !is_named_wait(facts, node);
    caller(facts, node, MIN_NAMED_TRIES).filter(|&function| is_named && function == around)
}

/// Returns whether the await reads, writes, or waits for a moment or an event.
fn is_named_wait(facts: &Facts<'_>, node: usize) -> bool {
    facts.site(node).is_some_and(|site| is_repeated(&site.name))
}

fn of_await(facts: &Facts<'_>, node: usize, all_ns: u64) -> Option<Finding> {
    let share = per_mille(facts.node(node).busy_ns, all_ns);
    let function = function(facts, node).filter(|_| share >= MIN_SHARE)?;
    let (tries, own) = (facts.node(node).calls, facts.node(function));
    let lasted_ns = own.busy_ns.saturating_add(own.idle_ns);
    if u128::from(tries) * 1_000_000_000 < u128::from(lasted_ns) * u128::from(MIN_RATE) {
        return None;
    }
    let site = own.site;
    let calls = if own.calls == 1 { String::new() } else { format!(" in {} calls", count(own.calls)) };
    let sentence = format!(
        "{} retries {} without a pause: {} tries in {}{calls}, {} of all busy time",
        facts.name_and_line(site),
        facts.name_and_line(facts.node(node).site),
        count(tries),
        time(lasted_ns),
        percent(share.min(1000)),
    );
    let next = "sleep between two tries, for longer after each failure up to a limit";
    let mut finding = Finding::new(Rule::Retries, Severity::Waste, &sentence, next);
    finding.place = facts.place(facts.node(node).site);
    finding.explains_ns = facts.node(node).busy_ns;
    finding.per_mille = Some(share.min(1000));
    finding.evidence.sites = vec![site, facts.node(node).site];
    finding.evidence.nodes.push(NodeIndex::new(node));
    Some(finding)
}

/// The innermost function each of whose calls makes at least this many tries, if hardly anything
/// else is awaited between two of them.
fn caller(facts: &Facts<'_>, node: usize, least: u64) -> Option<usize> {
    let tries = facts.node(node).calls;
    let mut below = node;
    for above in facts.tree.ancestors(node) {
        let mut others = facts.tree.children[above].iter().filter(|&&child| child != below);
        if others.any(|&child| facts.node(child).calls > tries / MAX_OTHERS) {
            return None;
        }
        if !facts.is_await(above) && facts.node(above).calls <= tries / least {
            return Some(above);
        }
        below = above;
    }
    None
}
