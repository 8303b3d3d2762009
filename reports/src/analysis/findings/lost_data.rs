//! The rule `lost_data`: the recording is incomplete, and in which part.
//!
//! Nodes that could not be read are left out: a thread that was preempted during the capture is no
//! loss, and the next capture reads them.

use super::facts::Facts;
use super::finding::{Finding, Severity};
use super::rule::Rule;
use crate::units::{count, counted};

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let dropped = &facts.snapshot.dropped;
    let over_pairs = facts.snapshot.lock_order.as_ref().map_or(0, |order| order.over_pairs);
    let losses = [
        (
            dropped.over_nodes,
            "call",
            "are counted in `[other]`, because a thread had the maximum number of paths",
        ),
        (dropped.over_depth, "call", "are counted in `[other]`, because their path had the maximum depth"),
        (dropped.over_labels, "label", "are shown as `[other]`, because the maximum number was in use"),
        (dropped.over_spans, "pending call", "are not listed, because the maximum number was"),
        (dropped.over_holdings, "guard or channel end", "were not recorded, because the maximum number was"),
        (over_pairs, "pair of locks", "were not recorded, because the maximum number was"),
    ];
    let mut losses = losses.into_iter().filter(|(lost, ..)| *lost > 0);
    let Some((lost, noun, words)) = losses.next() else { return Vec::new() };
    let loss = if lost == 1 || !noun.contains(" of ") && !noun.contains(" or ") {
        counted(lost, noun)
    } else {
        format!("{} ({noun})", count(lost))
    };
    let more = losses.count();
    let more = if more == 0 {
        String::new()
    } else {
        format!("; {} more in the footer", counted(more as u64, "loss"))
    };
    let next = "use fewer distinct labels (`task_attr` for values that differ with each request) or annotate fewer functions: \
                a recorded call path stays until the program ends; the footer has all losses";
    vec![Finding::new(Rule::LostData, Severity::Note, &format!("{loss} {words}{more}"), next)]
}
