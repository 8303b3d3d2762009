//! The table by label in the text report.
//!
//! ```text
//! LABELS, most busy first
//!     busy    idle  calls  max poll  function  label
//!   200 ms  500 ms     30   9.00 ms  handle    user:7
//! ```

use std::fmt::Write as _;

use crate::analysis::labels::label_rows;
use crate::export::table::Table;
use crate::export::text::page::rest;
use crate::export::wrap::{WIDTH, shorten};
use crate::model::Snapshot;
use crate::units::{count, time};

/// Maximum number of labels in the folded report.
const MAX_LABELS: usize = 20;
/// Maximum width of a function's name in the folded report, in columns.
const MAX_NAME: usize = 40;

/// Appends the table if there are labels.
pub(crate) fn write(page: &mut String, snapshot: &Snapshot, is_full: bool) {
    let rows = label_rows(snapshot);
    if rows.is_empty() {
        return;
    }
    let bound = if is_full { rows.len() } else { MAX_LABELS.min(rows.len()) };
    let mut table = Table::new(&["busy", "idle", "calls", "max poll"], &["function", "label"]);
    for row in &rows[..bound] {
        table.push(vec![
            time(row.busy_ns),
            time(row.idle_ns),
            count(row.calls),
            time(row.longest_poll_ns),
            if is_full { row.name.clone() } else { shorten(&row.name, MAX_NAME) },
            row.label.clone(),
        ]);
    }
    if !is_full {
        table.fit(WIDTH);
    }
    // Writing to a string cannot fail.
    let _ = write!(page, "\nLABELS, most busy first\n{}", table.render());
    rest(page, rows.len(), bound, "label");
}
