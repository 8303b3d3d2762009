//! The table by label: the totals of each label of a site, such as `handle` for `user=7`.
//!
//! Cumulative times are computed as in [`rows`](super::rows): of several occurrences of one site
//! and label on a path, only the outermost counts.

use std::cmp::Reverse;

use crate::analysis::tree::Tree;
use crate::clean::printable;
use crate::model::{SiteIndex, Snapshot};
use crate::names::Names;
use crate::ordered::OrderedMap;
use crate::sort::sort_by;

/// One line of the table by label.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LabelRow {
    /// The site's name.
    pub(crate) name: String,
    /// The label, safe to print on one line.
    pub(crate) label: String,
    /// Spans that were polled at least once.
    pub(crate) calls: u64,
    /// Time inside `poll` in ns, annotated callees included.
    pub(crate) busy_ns: u64,
    /// Waits in ns, those of annotated callees included.
    pub(crate) idle_ns: u64,
    /// The longest poll in ns, a running one included.
    pub(crate) longest_poll_ns: u64,
}

/// Adds up the labeled nodes by site and label, sorted by busy, then idle (both descending), then
/// name and label.
pub(crate) fn label_rows(snapshot: &Snapshot) -> Vec<LabelRow> {
    let tree = Tree::new(snapshot);
    let names = Names::new(snapshot);
    let is_outermost = tree.outermost(|node| (node.site, node.label.as_ref()));
    let mut by_label = OrderedMap::<(SiteIndex, &str), LabelRow>::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        let Some(label) = &node.label else { continue };
        let row = by_label.entry((node.site, label)).or_default();
        row.calls = row.calls.saturating_add(node.calls);
        row.longest_poll_ns = row.longest_poll_ns.max(node.longest_poll_ns);
        if is_outermost[index] {
            row.busy_ns = row.busy_ns.saturating_add(node.busy_ns);
            row.idle_ns = row.idle_ns.saturating_add(node.idle_ns);
        }
    }
    let name = |((site, label), row): ((SiteIndex, &str), LabelRow)| LabelRow {
        name: names.frame(site).to_owned(),
        label: printable(label),
        ..row
    };
    let mut rows: Vec<LabelRow> = by_label.into_iter().map(name).collect();
    sort_by(&mut rows, |a, b| {
        let times = |row: &LabelRow| (Reverse(row.busy_ns), Reverse(row.idle_ns));
        times(a).cmp(&times(b)).then_with(|| (&a.name, &a.label).cmp(&(&b.name, &b.label)))
    });
    rows
}
