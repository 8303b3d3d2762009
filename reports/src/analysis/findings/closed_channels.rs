//! The rule `growing` for channels of one place whose receivers are gone, and whose senders stay.
//!
//! ```text
//! start                                             now
//!   | · · ·· · ·  · | ·· ·  · · | · ·· · · · | · · ·· |    one dot per closed channel
//! ```
//! A hub that keeps a sender of each client, or a map of pending requests whose callers have given
//! up. Most of them drop such senders now and then, such as with the next message. So it has to go
//! on for minutes, since the first channel of the place, and most of its channels must be closed.

use super::facts::{Facts, line};
use super::finding::{Finding, MAX_IDS, Severity};
use super::growing::{ARRIVALS_NS, MANY_TASKS, goes_on, rate_words};
use super::rule::Rule;
use crate::model::{Place, Resource, ResourceKind, Role};
use crate::ordered::OrderedMap;
use crate::units::{count, time};

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let mut by_place: OrderedMap<(&Place, ResourceKind), Vec<&Resource>> = OrderedMap::new();
    for it in &facts.snapshot.resources {
        let is_queue = matches!(it.kind, ResourceKind::Mpsc | ResourceKind::Mpmc | ResourceKind::Oneshot);
        if let Some(created) = it.created.as_ref().filter(|_| is_queue) {
            by_place.entry((created, it.kind)).or_default().push(it);
        }
    }
    by_place.into_iter().filter_map(|((at, kind), channels)| of_place(at, kind, &channels)).collect()
}

fn of_place(at: &Place, kind: ResourceKind, channels: &[&Resource]) -> Option<Finding> {
    let has = |it: &Resource, role: Role| it.holdings.iter().any(|end| end.role == role);
    let is_kept = |it: &&&Resource| it.is_closed && has(it, Role::Sends) && !has(it, Role::Receives);
    let kept: Vec<&Resource> = channels.iter().filter(is_kept).copied().collect();
    let ages_ns = || kept.iter().map(|it| it.age_ns);
    let first_ns = channels.iter().map(|it| it.age_ns).max()?;
    let oldest_ns = ages_ns().max().filter(|&ns| ns >= ARRIVALS_NS && ns >= first_ns / 2)?;
    if kept.len() < MANY_TASKS || kept.len() < channels.len() / 2 || !goes_on(ages_ns(), oldest_ns) {
        return None;
    }
    let kinds = match kind {
        ResourceKind::Oneshot => "oneshot channels",
        ResourceKind::Mpsc => "mpsc channels",
        _ => "channels",
    };
    let many = kept.len() as u64;
    let sentence = format!(
        "senders of the {} created at {} pile up: the receivers of {} are gone, the oldest is {} old, {}",
        kinds,
        line(at),
        count(many),
        time(oldest_ns),
        rate_words(many, oldest_ns),
    );
    let next = "remove each sender where its receiver ends, or drop those that return an error from the list or map that keeps them";
    let mut finding = Finding::new(Rule::Growing, Severity::Risk, &sentence, next);
    finding.place = Some(at.clone());
    finding.explains_ns = ages_ns().fold(0, u64::saturating_add);
    finding.evidence.resources = kept.iter().map(|it| it.id).take(MAX_IDS).collect();
    Some(finding)
}
