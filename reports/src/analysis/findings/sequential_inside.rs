//! The rule `sequential` for calls inside an await of code without annotation.
//!
//! ```text
//! cart   iter(ids).then(price).await ──────────────────────────────▶
//!                              price ██ price ██ price ██ price ██      begin and end in that await
//! ```
//! A stream combinator, an async block or a helper has no awaits on record, so the loop shows only
//! in the calls of the annotated function below. They are one after the other if all of them
//! together take no longer than the await around them. Calls side by side overlap, so that their
//! sum is longer, or one of them takes nearly all of the time.

use super::channels::is_of_handlers;
use super::connections::is_between_read_and_write;
use super::events::{is_event_or_read_like, is_for_event, is_loop, is_repeated, is_write};
use super::facts::{Facts, per_mille, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::sequential::{Repeated, is_wait_or_wrapper, next_step, repeated, waits_for_lock};
use crate::model::{Durations, Node, NodeIndex, SiteIndex, SiteKind};
use crate::ordered::OrderedMap;
use crate::units::{count, time};

/// The least share of the function's time, in thousandths: what else happens in the await is not on
/// record, such as reading what each call is for.
const MIN_SHARE: u64 = 800;
/// How many awaits there may be in each call of the function: more are a loop of its own.
const MAX_AWAITS: u64 = 2;
/// The least time of as many calls of median length, as a share of the await, in thousandths. Of
/// calls side by side, one may take nearly all of the time, and the median next to nothing.
const MIN_MEDIAN: u64 = 500;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    // The nodes of each function, by the await and the function around it.
    let mut inside: OrderedMap<(SiteIndex, SiteIndex, SiteIndex), Vec<usize>> = OrderedMap::new();
    for node in 0..facts.tree.nodes.len() {
        let mut above = facts.tree.ancestors(node);
        let (Some(around), Some(caller)) = (above.next(), above.next()) else { continue };
        let is_function = facts.site(node).is_some_and(|site| site.kind == SiteKind::Fn);
        if is_function && facts.is_await(around) && !facts.is_await(caller) {
            let sites = (facts.node(caller).site, facts.node(around).site, facts.node(node).site);
            inside.entry(sites).or_default().push(node);
        }
    }
    let find = |(sites, nodes)| of_calls(facts, sites, nodes);
    inside.into_iter().filter_map(find).collect()
}

fn of_calls(
    facts: &Facts<'_>,
    (function, around, callee): (SiteIndex, SiteIndex, SiteIndex),
    nodes: Vec<usize>,
) -> Option<Finding> {
    let wall_ns = |node: &Node| node.idle_ns.saturating_add(node.busy_ns);
    let sum = |nodes: &[usize], value: &dyn Fn(&Node) -> u64| {
        nodes.iter().map(|&node| value(facts.node(node))).fold(0, u64::saturating_add)
    };
    let (all, called_ns) = (sum(&nodes, &|node| node.calls), sum(&nodes, &wall_ns));
    let Repeated { mean_ns, share, times } = repeated(facts, function, all, called_ns)?;
    let awaits: Vec<usize> = nodes.iter().filter_map(|&node| facts.tree.ancestors(node).next()).collect();
    let (begun, awaited_ns) = (sum(&awaits, &|node| node.calls), sum(&awaits, &wall_ns));
    let is_once = begun <= facts.totals(function).calls.saturating_mul(MAX_AWAITS);
    let mut lengths = Durations::default();
    for &node in &nodes {
        lengths.merge(&facts.node(node).latency.completed);
    }
    let typical_ns = lengths.quantile(500)?.saturating_mul(all);
    let are_in_turn = called_ns <= awaited_ns && per_mille(typical_ns, awaited_ns) >= MIN_MEDIAN;
    let is_in_requests =
        || nodes.iter().any(|&node| is_of_handlers(facts, node) || is_between_read_and_write(facts, node));
    if share < MIN_SHARE || !is_once || !are_in_turn || !is_in_requests() {
        return None;
    }
    if is_meant(facts, around, callee) || nodes.iter().any(|&node| waits_by_design(facts, node)) {
        return None;
    }
    let sentence = format!(
        "{} calls {} {} times per call in {}, one after the other: {} of its time, {} each, {} per call",
        facts.name(function),
        facts.name_and_line(callee),
        count(times),
        facts.name_and_line(around),
        percent(share),
        time(called_ns / all.max(1)),
        time(mean_ns),
    );
    let next = next_step(facts, &[function, around, callee]);
    let mut finding = Finding::new(Rule::Sequential, Severity::Slow, &sentence, next);
    finding.place = facts.place(around);
    finding.explains_ns = called_ns;
    finding.per_mille = Some(share);
    finding.evidence.sites = vec![around, function, callee];
    finding.evidence.nodes = nodes.into_iter().map(NodeIndex::new).collect();
    Some(finding)
}

/// Returns whether the await serves events, or the function is named for a wait or for a part of a
/// stream.
fn is_meant(facts: &Facts<'_>, around: SiteIndex, callee: SiteIndex) -> bool {
    let text = |site: SiteIndex| facts.snapshot.site(site).map_or("", |site| site.name.as_str());
    let name = text(callee).rsplit(':').next().unwrap_or_default();
    is_repeated(text(around))
        || is_loop(text(around))
        || is_wait_or_wrapper(name.split('_').next().unwrap_or(name))
}

/// Returns whether the calls wait for events, for a reader, or for a lock that another finding
/// explains.
fn waits_by_design(facts: &Facts<'_>, node: usize) -> bool {
    let deepest = facts.deepest_wait(node);
    is_for_event(facts, node)
        || is_event_or_read_like(facts, node)
        || facts.is_await(deepest) && facts.site(deepest).is_some_and(|site| is_write(&site.name))
        || waits_for_lock(facts, node)
}
