//! The rule `growing` for futures: calls poll them once, keep them, and no task polls them again.
//!
//! They are no tasks, so no list of tasks has them. What they own stays: memory, guards, permits.

use super::facts::{Facts, per_mille};
use super::finding::{Finding, Severity};
use super::growing::{MAX_ENDED, MIN_TASKS, goes_on, rate_words};
use super::rule::Rule;
use crate::model::{Place, RunState, SiteIndex, Snapshot, Span};
use crate::ordered::OrderedMap;
use crate::units::{count, time};

/// The least time that the growth has to last. Until then they may wait for the next round of a
/// loop.
const MIN_NS: u64 = 5_000_000_000;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let mut by_site: OrderedMap<SiteIndex, Vec<&Span>> = OrderedMap::new();
    for span in detached(facts.snapshot) {
        by_site.entry(span.site).or_default().push(span);
    }
    by_site.into_iter().filter_map(|(site, futures)| of_site(facts, site, &futures)).collect()
}

/// The pending futures that no live task has polled.
fn detached(snapshot: &Snapshot) -> impl Iterator<Item = &Span> {
    snapshot.spans.iter().filter(|span| span.is_without_task() && span.state == RunState::Waiting)
}

fn of_site(facts: &Facts<'_>, site: SiteIndex, futures: &[&Span]) -> Option<Finding> {
    let many = futures.len() as u64;
    let all_ended = facts.totals(site).ended;
    let oldest_ns = futures.iter().map(|span| span.age_ns).max()?;
    let place = facts.place(site);
    let before = facts.earlier.map_or(0, |earlier| before(earlier, place.as_ref()));
    let is_growing = futures.len() >= MIN_TASKS + before
        && oldest_ns >= MIN_NS
        && per_mille(all_ended, all_ended.saturating_add(many)) <= MAX_ENDED
        && goes_on(futures.iter().map(|span| span.age_ns), oldest_ns);
    if !is_growing {
        return None;
    }
    let sentence = format!(
        "futures of {} pile up: {} are pending, the oldest {}, {}; their callers have ended, and nothing polls \
         them",
        facts.name_and_line(site),
        count(many),
        time(oldest_ns),
        rate_words(many, oldest_ns),
    );
    let next = "await each of them, spawn it, or drop it with its caller: until then it keeps what it owns";
    let mut finding = Finding::new(Rule::Growing, Severity::Risk, &sentence, next);
    finding.place = place;
    finding.explains_ns = futures.iter().map(|span| span.age_ns).fold(0, u64::saturating_add);
    finding.evidence.sites.push(site);
    Some(finding)
}

/// How many there were in the earlier snapshot.
fn before(earlier: &Snapshot, place: Option<&Place>) -> usize {
    let is_its = |span: &&Span| earlier.site(span.site).map(|site| &site.place) == place;
    detached(earlier).filter(is_its).count()
}
