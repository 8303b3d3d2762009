//! The call that holds a lock for most of the time, and the await over which it holds it.
//!
//! ```text
//! handle        |█ carts().await █| fetch(id).await ··················|█ return
//!   carts         |█ lock().await █|
//! the lock                       |██████████████ held ████████████████|
//! ```
//! A guard lives in the function that acquired it, or is returned to a caller. The places of drops
//! are not recorded, so the await is found by its length.

use std::fmt::Write as _;

use super::facts::{Facts, line};
use crate::model::{NodeIndex, Place, Site, SiteKind, UsagePlace};
use crate::sort::sort;
use crate::units::time;

/// How many callers a guard is followed to.
const MAX_CALLERS: usize = 4;

/// The call that holds the lock for most of the time.
#[derive(Debug)]
pub(super) struct Holder<'a> {
    pub(super) row: &'a UsagePlace,
    /// The await that takes most of each hold.
    pub(super) over: Option<usize>,
    /// Whether it holds the lock over an await, which is not on record if `over` is `None`.
    pub(super) is_waiting: bool,
    /// The clause about it in a sentence about the lock.
    pub(super) words: String,
}

impl<'a> Holder<'a> {
    pub(super) fn longest(facts: &Facts<'_>, rows: &'a [UsagePlace]) -> Option<Self> {
        let row = rows.iter().max_by_key(|row| row.total_ns)?;
        let node = row.node.map(NodeIndex::get).filter(|&node| node < facts.tree.nodes.len());
        let over = node.and_then(|node| over(facts, node, row));
        let by = match node.and_then(|node| facts.function(node)) {
            Some(function) => format!("by {} ", facts.name(facts.node(function).site)),
            None => String::new(),
        };
        let mut words =
            format!("; held most {by}at {}, {} at the longest", line(&row.place), time(row.longest_ns));
        let is_waiting = over.is_some() || node.is_some_and(|node| waits(facts, node, row));
        if let Some(over) = over {
            let site = facts.node(over).site;
            // Writing to a string cannot fail.
            let _ = write!(words, ", over {}", facts.name_and_line(site));
        } else if is_waiting {
            words.push_str(", most of it waiting");
        }
        Some(Self { row, over, is_waiting, words })
    }
}

/// Returns whether the function that acquired the lock is busy for less than a third of the time of
/// its holds. Not all of these are measured.
fn waits(facts: &Facts<'_>, node: usize, row: &UsagePlace) -> bool {
    let function = facts.function(node).map(|function| facts.node(function).site);
    // On all paths, as the holds.
    let busy_ns = function.map(|function| facts.sum(function, |node| node.busy_ns));
    busy_ns.is_some_and(|busy_ns| busy_ns < row.total_ns / 3)
}

/// The await during which the lock is held: in the function that acquired it, or in a caller that
/// the guard was returned to.
fn over(facts: &Facts<'_>, node: usize, row: &UsagePlace) -> Option<usize> {
    // Other callers of the same helper may hold the lock for a short time only.
    let calls = facts.sum(facts.node(node).site, |node| node.calls);
    let held_ns = row.total_ns.checked_div(row.count.min(calls.max(1)))?;
    let mut taken = node;
    let mut taken_at = row.place.clone();
    for _ in 0..MAX_CALLERS {
        let function = facts.function(taken)?;
        if let Some(over) = over_in(facts, function, taken, &taken_at, (held_ns, row.total_ns)) {
            return Some(over);
        }
        let all_ns = |node: usize| facts.node(node).busy_ns.saturating_add(facts.node(node).idle_ns);
        let waited_ns = if taken == function { 0 } else { facts.node(taken).idle_ns };
        let own_ns = all_ns(function).saturating_sub(waited_ns) / facts.node(function).calls.max(1);
        if own_ns >= held_ns / 3 {
            // The guard may well be dropped there.
            return None;
        }
        taken = facts.tree.ancestors(function).next().filter(|&caller| facts.is_await(caller))?;
        taken_at = end(facts.site(taken)?);
    }
    None
}

/// The await of this function that explains most of a hold: of those after the acquisition, in the
/// order of the source, the longest before the hold is over.
fn over_in(
    facts: &Facts<'_>,
    function: usize,
    taken: usize,
    taken_at: &Place,
    (held_ns, total_ns): (u64, u64),
) -> Option<usize> {
    // `lock().await.recv().await` begins where its lock does.
    let end_of = |child: usize| {
        let site = facts.site(child).filter(|site| child != taken && site.kind == SiteKind::Await)?;
        let end = end(site);
        let is_after = (end.line, end.column) > (taken_at.line, taken_at.column);
        (end.file == taken_at.file && is_after).then_some((end.line, end.column))
    };
    let children = facts.tree.children[function].iter();
    let mut later: Vec<_> = children.filter_map(|&child| Some((end_of(child)?, child))).collect();
    sort(&mut later);
    // A loop takes the lock many times in one call.
    let holds = facts.node(taken).calls.max(1);
    let (mut longest, mut passed_ns) = (None, 0_u64);
    for (_, child) in later {
        let idle_ns = facts.node(child).idle_ns;
        let ns = idle_ns / holds;
        // A longer await comes after the release, a much shorter one explains little: unless only
        // one of several locks, or one kind of call, is held for long.
        let is_long = ns >= held_ns / 3 || idle_ns >= total_ns / 2;
        if is_long && ns <= held_ns.saturating_mul(3) / 2 {
            longest = longest.max(Some((ns, child)));
        }
        passed_ns = passed_ns.saturating_add(ns);
        if passed_ns >= held_ns / 3 * 2 {
            break;
        }
    }
    longest.map(|(_, child)| child)
}

/// The end of an await's text; its start if the end is unknown.
fn end(site: &Site) -> Place {
    let mut place = site.place.clone();
    (place.line, place.column) = (site.end_line, site.end_column).max((place.line, place.column));
    place
}
