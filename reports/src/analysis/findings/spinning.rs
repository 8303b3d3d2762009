//! The rule `self_wake` where nothing wakes: an await that is ready whenever it is reached, in a
//! loop.
//!
//! ```text
//! select! { _ = config.changed() => {} , line = lines.next_line() => … }
//!           ready ready ready ready …    all senders are gone, and `changed` says so each time
//! ```
//! The runtime interrupts the task now and then, so it neither wakes itself nor takes long polls.
//! Only methods that wait for an event count, and of these only the ones that no loop calls so
//! often for what they return: a `recv` may well find 20,000 messages a second.

use super::events::is_endless;
use super::facts::Facts;
use super::finding::{Finding, Severity};
use super::rule::Rule;
use crate::model::{NodeIndex, SiteIndex};
use crate::units::count;

/// The least number of completions a second, over the whole recording.
const MIN_RATE: u64 = 20_000;
/// How many of a thousand completions may have waited: the runtime's budget makes one of 128 do so.
const MAX_WAITED: u64 = 10;
/// Shorter recordings may be a start-up.
const MIN_ELAPSED_NS: u64 = 1_000_000_000;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let sites = (0..facts.snapshot.sites.len()).map(SiteIndex::new);
    let awaits = sites.filter(|&site| facts.snapshot.site(site).is_some_and(|site| is_endless(&site.name)));
    awaits.filter_map(|site| of_await(facts, site)).collect()
}

fn of_await(facts: &Facts<'_>, site: SiteIndex) -> Option<Finding> {
    let completed = facts.sum(site, |node| node.completed);
    let elapsed_ns = facts.snapshot.elapsed_ns;
    let rate = u128::from(completed) * 1_000_000_000 / u128::from(elapsed_ns.max(1));
    let waited = facts.sum(site, |node| node.polls).saturating_sub(facts.totals(site).calls);
    let is_spin = elapsed_ns >= MIN_ELAPSED_NS
        && rate >= u128::from(MIN_RATE)
        && waited <= completed / 1000 * MAX_WAITED;
    if !is_spin {
        return None;
    }
    let nodes = facts.nodes_of_site(site);
    let most = nodes.iter().copied().max_by_key(|&node| facts.node(node).completed)?;
    let function = facts.node(facts.function(most)?).site;
    let sentence = format!(
        "{} was ready at once {} times, {} times a second: a loop of {} that waits for nothing",
        facts.name_and_line(site),
        count(completed),
        count(u64::try_from(rate).unwrap_or(u64::MAX)),
        facts.name(function),
    );
    let next = "end the loop, or drop that branch, once the await says that there is nothing more: if all senders are gone, or a \
                token is cancelled, it is ready for ever";
    let mut finding = Finding::new(Rule::SelfWake, Severity::Waste, &sentence, next);
    finding.place = facts.place(site);
    finding.explains_ns = facts.sum_outermost(function, |node| node.busy_ns);
    finding.evidence.sites = vec![site, function];
    finding.evidence.nodes = nodes.iter().copied().map(NodeIndex::new).collect();
    Some(finding)
}
