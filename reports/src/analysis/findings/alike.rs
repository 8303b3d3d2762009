//! Findings that differ only in the resource that they are about, as one: a lock or a channel for
//! each account or client.

use std::cmp::Reverse;

use super::finding::{Finding, MAX_IDS};
use super::rule::Rule;
use crate::model::{Place, ResourceId};
use crate::ordered::OrderedMap;
use crate::units::count;

/// Reports the one of each kind that explains most, with the number of the others.
pub(super) fn merge_alike(findings: &mut Vec<Finding>) {
    let mut by_kind: OrderedMap<(Rule, Option<Place>, String), Vec<usize>> = OrderedMap::new();
    for (number, finding) in findings.iter().enumerate() {
        if matches!(finding.rule, Rule::Held | Rule::Backlog | Rule::Lagged) {
            let key = (finding.rule, finding.place.clone(), finding.next.clone());
            by_kind.entry(key).or_default().push(number);
        }
    }
    let mut is_other = vec![false; findings.len()];
    for alike in by_kind.into_values().filter(|alike| alike.len() > 1) {
        let most = alike.iter().copied().max_by_key(|&it| (findings[it].explains_ns, Reverse(it)));
        let Some(most) = most else { continue };
        let explains_ns = alike.iter().map(|&it| findings[it].explains_ns).fold(0, u64::saturating_add);
        let others = alike.iter().copied().filter(|&it| it != most);
        let resources: Vec<ResourceId> =
            others.clone().flat_map(|it| findings[it].evidence.resources.clone()).collect();
        others.for_each(|it| is_other[it] = true);
        let finding = &mut findings[most];
        finding.sentence = format!("{}; {} more like it", finding.sentence, count(alike.len() as u64 - 1));
        finding.explains_ns = explains_ns;
        finding.evidence.resources.extend(resources);
        finding.evidence.resources.truncate(MAX_IDS);
    }
    let mut is_other = is_other.into_iter();
    findings.retain(|_| !is_other.next().unwrap_or(false));
}
