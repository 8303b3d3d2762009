//! The table by function in the text report.
//!
//! ```text
//! FUNCTIONS, most self busy first
//!    calls  p50 call  p99 call  self busy  self idle  queued  of caller  max poll  function
//!    1,204   1.20 ms   8.00 ms     312 ms     1.20 s  1.2 ms        61 %   4.20 ms  handle (src/main.rs:12)
//! ```
//! The folded report shows the functions with the most self busy time, the most self idle time, and
//! the highest latency. Any of these may be the culprit. A column that is zero in all rows is left
//! out.

use std::cmp::Reverse;
use std::fmt::Write as _;

use crate::analysis::rows::{Row, rows};
use crate::clean::printable;
use crate::export::callpaths::share;
use crate::export::table::Table;
use crate::export::text::page::rest;
use crate::export::wrap::WIDTH;
use crate::model::{SiteKind, Snapshot};
use crate::names::location;
use crate::sort::sort_by_key;
use crate::units::{count, time};

/// Maximum number of functions in the folded report, by self busy time, by self idle time and by
/// latency.
const MAX_FOLDED: [usize; 3] = [20, 15, 5];

/// A column: its heading, its cell, whether it is shown folded, and whether it is empty.
struct TextColumn {
    heading: &'static str,
    cell: fn(&Row) -> String,
    is_folded: bool,
    is_empty: fn(&Row) -> bool,
}

const fn column(
    heading: &'static str,
    is_folded: bool,
    cell: fn(&Row) -> String,
    is_empty: fn(&Row) -> bool,
) -> TextColumn {
    TextColumn { heading, cell, is_folded, is_empty }
}

const COLUMNS: [TextColumn; 17] = [
    column("calls", true, |row| count(row.calls), |_| false),
    column("p50 call", true, |row| latency(row, row.completed_latency.p50_ns), has_no_latency),
    column("p99 call", true, |row| latency(row, row.completed_latency.p99_ns), has_no_latency),
    column("max call", false, |row| latency(row, row.completed_latency.max_ns), has_no_latency),
    column("cancelled", true, |row| count(row.cancelled), |row| row.cancelled == 0),
    column("never polled", true, |row| count(row.never_polled), |row| row.never_polled == 0),
    column("panicked", true, |row| count(row.panicked), |row| row.panicked == 0),
    column("self busy", true, |row| time(row.self_busy_ns), |_| false),
    column("busy", false, |row| time(row.busy_ns), |_| false),
    column("self idle", true, |row| time(row.self_idle_ns), |_| false),
    column("idle", false, |row| time(row.idle_ns), |_| false),
    column("queued", true, |row| time(row.queued_ns), |row| row.queued_ns == 0),
    column("of caller", true, of_caller, |row| row.callers_ns == 0),
    column("polls", false, |row| count(row.polls), |_| false),
    column("p50 poll", false, |row| maybe(row.p50_poll_ns), |row| row.p50_poll_ns.is_none()),
    column("p99 poll", false, |row| maybe(row.p99_poll_ns), |row| row.p99_poll_ns.is_none()),
    column("max poll", true, |row| time(row.longest_poll_ns), |_| false),
];

/// Appends the table.
pub(crate) fn write(page: &mut String, snapshot: &Snapshot, is_full: bool) {
    let all = rows(snapshot);
    let shown = if is_full { vec![true; all.len()] } else { most(&all) };
    let rows: Vec<&Row> = all.iter().zip(&shown).filter(|(_, is_shown)| **is_shown).map(|it| it.0).collect();
    let mut columns: Vec<&TextColumn> = COLUMNS.iter().filter(|column| is_full || column.is_folded).collect();
    columns.retain(|column| !rows.iter().all(|row| (column.is_empty)(row)));
    let headings: Vec<&str> = columns.iter().map(|column| column.heading).collect();
    let mut table = Table::new(&headings, &["function"]);
    for row in &rows {
        let mut cells: Vec<String> = columns.iter().map(|column| (column.cell)(row)).collect();
        cells.push(with_location(snapshot, row));
        table.push(cells);
    }
    if !is_full {
        table.fit(WIDTH);
    }
    // Writing to a string cannot fail.
    let _ = write!(page, "\nFUNCTIONS, most self busy first\n{}", table.render());
    rest(page, all.len(), rows.len(), "function");
}

/// Marks the rows of the folded report.
fn most(rows: &[Row]) -> Vec<bool> {
    let keys: [fn(&Row) -> u64; 3] =
        [|row| row.self_busy_ns, |row| row.self_idle_ns, |row| row.completed_latency.p99_ns];
    let mut shown = vec![false; rows.len()];
    for (key, bound) in keys.into_iter().zip(MAX_FOLDED) {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        sort_by_key(&mut order, |&index| (Reverse(key(&rows[index])), index));
        for index in order.into_iter().take(bound) {
            shown[index] = true;
        }
    }
    shown
}

fn has_no_latency(row: &Row) -> bool {
    row.completed_latency.count == 0
}

fn latency(row: &Row, ns: u64) -> String {
    if has_no_latency(row) { "-".to_owned() } else { time(ns) }
}

fn maybe(ns: Option<u64>) -> String {
    ns.map_or_else(|| "-".to_owned(), time)
}

/// The share of the function in the time of its callers.
fn of_caller(row: &Row) -> String {
    if row.callers_ns == 0 { "-".to_owned() } else { share(row.called_ns, row.callers_ns) }
}

/// `handle (src/main.rs:12)`, with the place only if the name does not contain it.
fn with_location(snapshot: &Snapshot, row: &Row) -> String {
    match snapshot.site(row.site) {
        Some(site) if site.kind != SiteKind::Other && !row.name.contains(&location(site)) => {
            format!("{} ({})", row.name, printable(&location(site)))
        }
        _ => row.name.clone(),
    }
}
