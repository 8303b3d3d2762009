//! The rule `cancelled`: a timeout drops a function's calls while they work.
//!
//! Most futures that are dropped while they wait are meant to be: the losers of a `select!`, a
//! `recv` with a deadline, what runs at a shutdown. So only calls inside a `timeout` count, and
//! only those that do not wait for the next event.

use super::events::is_for_event;
use super::facts::{Facts, per_mille, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use crate::model::{NodeIndex, SiteIndex};
use crate::ordered::OrderedMap;
use crate::units::{count, time};

/// The least share of ended calls, in thousandths.
const MIN_SHARE: u64 = 50;
/// A few may be due to a start-up or a shutdown.
const MIN_CALLS: u64 = 10;

/// The calls of a function under one await.
#[derive(Debug, Default)]
struct Calls {
    cancelled: u64,
    completed: u64,
    longest_ns: u64,
    idle_ns: u64,
    nodes: Vec<NodeIndex>,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let mut calls: OrderedMap<(SiteIndex, SiteIndex), Calls> = OrderedMap::new();
    for (index, node) in facts.tree.nodes.iter().enumerate() {
        let parent = facts.tree.ancestors(index).next();
        let Some(parent) = parent.filter(|&parent| facts.is_await(parent)) else { continue };
        let is_timed = facts.site(parent).is_some_and(|site| site.name.contains("timeout"));
        if facts.is_await(index) || !is_timed {
            continue;
        }
        let sum = calls.entry((node.site, facts.node(parent).site)).or_default();
        sum.cancelled = sum.cancelled.saturating_add(node.cancelled);
        sum.completed = sum.completed.saturating_add(node.completed);
        sum.idle_ns = sum.idle_ns.saturating_add(node.idle_ns);
        sum.longest_ns = sum.longest_ns.max(node.latency.cancelled.longest_ns);
        sum.nodes.push(NodeIndex::new(index));
    }
    let finding = |((site, timeout), calls): ((SiteIndex, SiteIndex), Calls)| {
        let share = per_mille(calls.cancelled, calls.cancelled.saturating_add(calls.completed));
        let is_work = || !calls.nodes.iter().any(|node| is_for_event(facts, node.get()));
        (calls.cancelled >= MIN_CALLS && share >= MIN_SHARE && is_work())
            .then(|| of_calls(facts, site, timeout, share, calls))
    };
    calls.into_iter().filter_map(finding).collect()
}

fn of_calls(facts: &Facts<'_>, site: SiteIndex, timeout: SiteIndex, share: u64, calls: Calls) -> Finding {
    let after = match calls.longest_ns {
        0 => String::new(),
        ns => format!(", after {} at the longest", time(ns)),
    };
    let sentence = format!(
        "{} of {} calls ({}) of {} run into the timeout at {}{after}",
        count(calls.cancelled),
        count(calls.cancelled.saturating_add(calls.completed)),
        percent(share),
        facts.name_and_line(site),
        facts.name_and_line(timeout),
    );
    let next = "find what the function waits for, or allow more time; what it did until then is lost";
    let mut finding = Finding::new(Rule::Cancelled, Severity::Waste, &sentence, next);
    finding.place = facts.place(timeout);
    let cancelled = u128::from(calls.idle_ns) * u128::from(share) / 1000;
    finding.explains_ns = u64::try_from(cancelled).unwrap_or(u64::MAX);
    finding.per_mille = Some(share);
    finding.evidence.sites = vec![site, timeout];
    finding.evidence.nodes = calls.nodes;
    finding
}
