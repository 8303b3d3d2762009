//! The rule `missing_await`: a function's futures are created, and dropped without a poll.
//!
//! Futures in a `select!` or a race are dropped like that all the time, so callers that have one
//! are left out.

use super::facts::Facts;
use super::finding::{Finding, Severity};
use super::rule::Rule;
use crate::model::{NodeIndex, SiteIndex};
use crate::ordered::OrderedMap;
use crate::units::counted;

/// A few may be dropped at the end of a program.
const MIN_FUTURES: u64 = 10;
/// Words in the names of calls that poll several futures.
const RACES: [&str; 3] = ["select", "race", "join"];

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    // By site: futures that were never polled, by calling function.
    let mut by_site: OrderedMap<SiteIndex, OrderedMap<SiteIndex, u64>> = OrderedMap::new();
    for (index, node) in facts.tree.nodes.iter().enumerate().filter(|(_, node)| node.never_polled > 0) {
        let caller = facts.tree.ancestors(index).next();
        if caller.is_none_or(|caller| races(facts, caller)) {
            continue;
        }
        let callers = by_site.entry(node.site).or_default();
        let count = caller.map_or_else(SiteIndex::default, |caller| facts.node(caller).site);
        let futures: &mut u64 = callers.entry(count).or_default();
        *futures = futures.saturating_add(node.never_polled);
    }
    let finding = |(site, callers): (SiteIndex, OrderedMap<SiteIndex, u64>)| {
        let futures = callers.values().copied().fold(0, u64::saturating_add);
        let &(caller, _) = callers.iter().max_by_key(|(site, count)| (*count, std::cmp::Reverse(*site)))?;
        // A function that is awaited elsewhere on the same path is not a mistake.
        let calls = facts.totals(site).calls;
        (futures >= MIN_FUTURES && calls == 0).then(|| of_site(facts, site, caller, futures))
    };
    by_site.into_iter().filter_map(finding).collect()
}

/// Returns whether a function polls several futures at once. The text of an arm of a macro has no
/// `.await`.
fn races(facts: &Facts<'_>, caller: usize) -> bool {
    let awaits = facts.tree.children[caller].iter().filter(|&&child| facts.is_await(child));
    awaits.filter_map(|&child| facts.site(child)).any(|site| {
        !site.name.contains(".await")
            || RACES.iter().any(|race| site.name.to_ascii_lowercase().contains(race))
    })
}

fn of_site(facts: &Facts<'_>, site: SiteIndex, caller: SiteIndex, futures: u64) -> Finding {
    let sentence = format!(
        "{} is called in {} and never awaited: {} dropped without a poll",
        facts.name_and_line(site),
        facts.name(caller),
        counted(futures, "future"),
    );
    let mut finding =
        Finding::new(Rule::MissingAwait, Severity::Risk, &sentence, "add `.await`, or spawn the future");
    finding.place = facts.place(caller);
    finding.evidence.sites = vec![site, caller];
    finding.evidence.nodes = facts.nodes_of_site(site).iter().copied().map(NodeIndex::new).take(1).collect();
    finding
}
