//! The rule `lost_data`: the recording is incomplete, and in which part.
//!
//! Nodes that could not be read are left out: a thread that was preempted during the capture is no
//! loss, and the next capture reads them.

use super::facts::Facts;
use super::finding::{Finding, Severity};
use super::rule::Rule;
use crate::units::{count, counted};

/// The remedy for too many paths.
const PATHS: &str = "use fewer distinct labels (`task_attr` for values that differ with each request) or annotate fewer functions: \
                     a recorded call path stays until the program ends";
/// The remedy for paths that are too deep.
const DEPTH: &str = "annotate the first caller of a recursive function instead of the function: the deeper calls are then part \
                     of that caller's time";
/// The remedy for too much that is alive at once.
const ALIVE: &str = "look for what piles up, by the number of tasks at each place of a spawn and of resources at each place of \
                     creation";

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let dropped = &facts.snapshot.dropped;
    let over_pairs = facts.snapshot.lock_order.as_ref().map_or(0, |order| order.over_pairs);
    let losses = [
        (
            dropped.over_nodes,
            "call",
            "are counted in `[other]`, because a thread had the maximum number of paths",
            PATHS,
        ),
        (
            dropped.over_depth,
            "call",
            "are counted in `[other]`, because their path had the maximum depth",
            DEPTH,
        ),
        (
            dropped.over_labels,
            "label",
            "are shown as `[other]`, because the maximum number was in use",
            PATHS,
        ),
        (dropped.over_spans, "pending call", "are not listed, because the maximum number was", ALIVE),
        (
            dropped.over_holdings,
            "guard or channel end",
            "were not recorded, because the maximum number was",
            ALIVE,
        ),
        (
            over_pairs,
            "acquisition",
            "were not checked for the order of locks, because the maximum number of pairs was",
            ALIVE,
        ),
    ];
    let mut losses = losses.into_iter().filter(|(lost, ..)| *lost > 0);
    let Some((lost, noun, words, next)) = losses.next() else { return Vec::new() };
    let loss = if lost == 1 || !noun.contains(" of ") && !noun.contains(" or ") {
        counted(lost, noun)
    } else {
        format!("{} ({noun})", count(lost))
    };
    let words = match words.split_once(' ') {
        Some(("are", rest)) if lost == 1 => format!("is {rest}"),
        Some(("were", rest)) if lost == 1 => format!("was {rest}"),
        _ => words.to_owned(),
    };
    let more = losses.count();
    let more = if more == 0 {
        String::new()
    } else {
        format!("; {} more in the footer", counted(more as u64, "loss"))
    };
    let next = format!("{next}; the footer has all losses");
    vec![Finding::new(Rule::LostData, Severity::Note, &format!("{loss} {words}{more}"), &next)]
}
