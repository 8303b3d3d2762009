//! The rule `contended` for a cell whose initialization fails each time.
//!
//! ```text
//! calls   |█ init █| Err
//!         |········|█ init █| Err            each call waits for all before it, and tries again
//!         |·················|█ init █| Err
//! ```
//! A cell is initialized once. One that has been initialized many times is empty again, most likely
//! after an error.

use super::delayed::delayed;
use super::facts::{Facts, percent};
use super::finding::{Finding, Severity};
use super::held::lock_words;
use super::rule::Rule;
use super::workers::CpuShare;
use crate::model::{Resource, ResourceKind};
use crate::units::{count, time};

/// How often it must have been initialized, and how often calls must have waited: fewer may be the
/// time until a server is there.
const MIN_TRIES: u64 = 20;
/// The least mean wait in ns, if CPUs are free, and share of the calls' time in thousandths.
const MIN_MEAN_NS: u64 = 1_000_000;
const MIN_SHARE: u64 = 100;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let cells = facts.snapshot.resources.iter().filter(|it| {
        let is_tried = it.usage.acquisitions >= MIN_TRIES && it.usage.waited >= MIN_TRIES;
        it.kind == ResourceKind::OnceCell && is_tried && !facts.stuck_resources.contains(&it.id)
    });
    cells.filter_map(|it| of_cell(facts, it)).collect()
}

fn of_cell(facts: &Facts<'_>, it: &Resource) -> Option<Finding> {
    let mean_ns = it.usage.waited_ns.checked_div(it.usage.waited)?;
    // A call waits in the await in which it would initialize the cell.
    let mut row = it.usage.holders.iter().max_by_key(|row| row.count)?.clone();
    (row.count, row.total_ns) = (it.usage.waited, it.usage.waited_ns);
    let (place, node) = (row.place.clone(), row.node);
    let (function, share) = delayed(facts, &[row], None)?;
    if mean_ns < CpuShare::new(facts.snapshot).stretched(MIN_MEAN_NS) || share < MIN_SHARE {
        return None;
    }
    let sentence = format!(
        "{} makes {} wait: {} of its time, {} on average; it was initialized {} times, one after the other, so most likely that \
         fails",
        lock_words(it),
        facts.name(function),
        percent(share),
        time(mean_ns),
        count(it.usage.acquisitions),
    );
    let next = "find out why its initialization fails; keep the error for a while, or initialize it before the first request";
    let mut finding = Finding::new(Rule::Contended, Severity::Slow, &sentence, next);
    finding.place = Some(place);
    finding.explains_ns = it.usage.waited_ns;
    finding.per_mille = Some(share);
    finding.evidence.sites.push(function);
    finding.evidence.nodes.extend(node);
    finding.evidence.resources.push(it.id);
    Some(finding)
}
