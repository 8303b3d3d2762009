//! The rule `panicked`: calls of a function panic again and again.
//!
//! ```text
//! handle   ✓ ✓ ✓ ✗ ✓ ✓ ✓ ✓ ✗        counted: its callee panicked
//!   parse  ✓ ✓ ✓ ✗ ✓ ✓ ✓ ✓ ✗        reported: 2 of 9
//! ```
//! A panic of a spawned task ends in a `JoinError`, which a handler may drop, and a message on
//! standard error, which nobody may read: the service looks healthy, and some requests are lost.

use super::facts::{Facts, per_mille, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use crate::model::{NodeIndex, SiteIndex};
use crate::ordered::OrderedMap;
use crate::units::count;

/// The fewest panics: a few may be those of one bad input, or of a shutdown.
const MIN_PANICS: u64 = 10;
/// The least share of the ended calls, in thousandths. A fault of one request in a hundred is more
/// than the budget of errors of most services.
const MIN_SHARE: u64 = 10;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let callees = callees(facts);
    let mut panics: OrderedMap<SiteIndex, (u64, Vec<NodeIndex>)> = OrderedMap::new();
    for (index, node) in facts.tree.nodes.iter().enumerate() {
        // A panic unwinds through all callers.
        let own = node.panicked.saturating_sub(callees[index]);
        if own > 0 && !facts.is_await(index) {
            let (sum, nodes) = panics.entry(node.site).or_default();
            *sum = sum.saturating_add(own);
            nodes.push(NodeIndex::new(index));
        }
    }
    let finding = |(site, (panics, nodes)): (SiteIndex, (u64, Vec<NodeIndex>))| {
        let all = facts.totals(site).ended;
        let share = per_mille(panics, all);
        (panics >= MIN_PANICS && share >= MIN_SHARE)
            .then(|| of_function(facts, site, (panics, all, share), nodes))
    };
    panics.into_iter().filter_map(finding).collect()
}

/// By node: the panics of the functions that it calls, directly or at an await.
fn callees(facts: &Facts<'_>) -> Vec<u64> {
    let mut callees = vec![0_u64; facts.tree.nodes.len()];
    // A parent's index is smaller than its children's.
    for index in (0..callees.len()).rev() {
        let own = facts.node(index).panicked;
        let panics = if facts.is_await(index) { callees[index] } else { own.max(callees[index]) };
        if let Some(parent) = facts.tree.ancestors(index).next() {
            callees[parent] = callees[parent].saturating_add(panics);
        }
    }
    callees
}

fn of_function(
    facts: &Facts<'_>,
    site: SiteIndex,
    (panics, all, share): (u64, u64, u64),
    nodes: Vec<NodeIndex>,
) -> Finding {
    let sentence = format!(
        "{} of {} calls ({}) of {} panicked",
        count(panics),
        count(all),
        percent(share),
        facts.name_and_line(site)
    );
    let next = "read the messages on standard error, and return an error there instead; look at the `JoinError` wherever such a \
                task is joined";
    let mut finding = Finding::new(Rule::Panicked, Severity::Waste, &sentence, next);
    finding.place = facts.place(site);
    let lost_ns = u128::from(facts.wall_ns(site)) * u128::from(share.min(1000)) / 1000;
    finding.explains_ns = u64::try_from(lost_ns).unwrap_or(u64::MAX);
    finding.per_mille = Some(share.min(1000));
    finding.evidence.sites.push(site);
    finding.evidence.nodes = nodes;
    finding
}
