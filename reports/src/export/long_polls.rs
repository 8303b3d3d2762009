//! The table of long polls in the text report.
//!
//! ```text
//! LONG POLLS, 87.4 µs or longer, most time first
//!   polls  longest  time at least  of all busy  call path
//!      12  41.2 ms         312 ms      23.80 %  main > handle > parse
//! ```

use std::fmt::Write as _;

use crate::analysis::long_polls::long_polls;
use crate::analysis::tree::Tree;
use crate::clean::printable;
use crate::export::table::Table;
use crate::export::wrap::WIDTH;
use crate::model::Snapshot;
use crate::names::Names;
use crate::units::{count, counted, percent, time};

/// Maximum number of call paths in the folded report.
const MAX_ROWS: usize = 15;

/// Appends the table if there are long polls.
pub(crate) fn write(page: &mut String, snapshot: &Snapshot, is_full: bool) {
    if snapshot.long_poll_ns == 0 {
        return;
    }
    let tree = Tree::new(snapshot);
    let found = long_polls(snapshot, &tree, snapshot.long_poll_ns);
    if found.rows.is_empty() {
        return;
    }
    let names = Names::new(snapshot);
    let roots = tree.roots.iter().map(|&root| &tree.nodes[root]);
    let nested = tree.nodes.iter().map(|node| node.nested_ns).fold(0, u64::saturating_add);
    let busy = roots.map(|root| root.busy_ns).fold(0, u64::saturating_add).saturating_sub(nested);
    let mut table = Table::new(&["polls", "longest", "time at least", "of all busy"], &["call path"]);
    let bound = if is_full { usize::MAX } else { MAX_ROWS };
    for row in found.rows.iter().take(bound) {
        let path: Vec<String> = tree
            .path(row.node)
            .into_iter()
            .map(|node| {
                let node = &tree.nodes[node];
                let label =
                    node.label.as_deref().map(|label| format!(" {}", printable(label))).unwrap_or_default();
                format!("{}{label}", names.frame(node.site))
            })
            .collect();
        table.push(vec![
            count(row.polls),
            time(row.longest_ns),
            time(row.at_least_ns),
            percent(row.at_least_ns, busy),
            path.join(" > "),
        ]);
    }
    if !is_full {
        table.fit(WIDTH);
    }
    // Writing to a string cannot fail.
    let _ =
        write!(page, "\nLONG POLLS, {} or longer, most time first\n{}", time(found.from_ns), table.render());
    if found.rows.len() > bound {
        let rest = counted((found.rows.len() - bound) as u64, "call path");
        let _ = writeln!(page, "  … and {rest} more (the full report has them)");
    }
}
