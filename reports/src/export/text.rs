//! The report for a terminal. Its first screen says where the time goes.
//!
//! ```text
//! verdicts       what hangs, if anything does
//! header         what was recorded, for how long
//! tasks          what each is doing
//! waiters        resources with waits
//! lock order     locks that were acquired in both orders, if that was recorded
//! by function    one row per site, by self busy
//! latency        one row per function and label, if any call has ended
//! call tree      one row per path
//! long polls     one row per path with polls over a limit
//! by label       if any span has a label
//! workers        one row per worker thread: polls, busy, parked
//! footer         losses, clock, cost, version
//! ```
//! Every part is bounded and says what it leaves out; the JSON report has everything. All views are
//! in it.

use std::fmt::Write;
use std::io;

use crate::analysis::hide::plain;
use crate::analysis::labels::label_rows;
use crate::analysis::rows::{Row, rows};
use crate::clean::printable;
use crate::export::table::Table;
use crate::export::{
    callpaths, empty, footer::footer, latency, lock_order, long_polls, tasks, verdicts, waiters, workers,
};
use crate::model::{SiteKind, Snapshot};
use crate::names::location;
use crate::units::{count, counted, time};
use crate::view::View;

/// How many rows of the table by function, and of the call tree, are printed.
const MAX_ROWS: usize = 1000;
/// How many rows of the table by label, of latencies and of workers are printed.
const MAX_LABELS: usize = 50;

/// A column that is left out if it is zero in all rows.
type Optional = (&'static str, fn(&Row) -> u64);
const OPTIONAL: [Optional; 3] = [
    ("cancelled", |row| row.cancelled),
    ("never polled", |row| row.never_polled),
    ("panicked", |row| row.panicked),
];

/// Renders the report. It does not depend on the view.
#[allow(clippy::unnecessary_wraps, reason = "all formats share one signature")]
pub(crate) fn render(snapshot: &Snapshot, _view: View) -> io::Result<String> {
    let footer = footer(snapshot);
    let mut page = verdicts::render(snapshot);
    if !page.is_empty() {
        page.push('\n');
    }
    let _ = writeln!(page, "{}", footer[0]);
    for alarm in &snapshot.alarms {
        let mut lines = alarm.text.lines();
        let _ = writeln!(page, "\nALARM {}", lines.next().unwrap_or_default());
        for line in lines {
            // Indented lines belong to the line above.
            let indent = if line.is_empty() || line.starts_with(' ') { "" } else { "  " };
            let _ = writeln!(page, "{indent}{line}");
        }
    }
    if !snapshot.tasks.is_empty() || !snapshot.runtimes.is_empty() {
        page.push('\n');
        page.push_str(&tasks::render(snapshot, MAX_ROWS));
    }
    let waiters = waiters::render(snapshot, MAX_ROWS);
    if !waiters.is_empty() {
        let _ = write!(page, "\ncontended resources, longest wait first\n\n{waiters}");
    }
    let lock_order = lock_order::render(snapshot, MAX_ROWS);
    if !lock_order.is_empty() {
        let _ = write!(page, "\n{lock_order}");
    }
    let (workers, n_workers) = workers::render(snapshot, MAX_LABELS);
    let snapshot = &plain(snapshot);
    if snapshot.nodes.is_empty() {
        page.push('\n');
        for line in empty::lines(snapshot, View::Time) {
            page.push_str(&line);
            page.push('\n');
        }
    } else {
        by_function(&mut page, snapshot);
        latencies(&mut page, snapshot);
        call_tree(&mut page, snapshot);
        long_polls::write(&mut page, snapshot);
        by_label(&mut page, snapshot);
    }
    if n_workers > 0 {
        let _ = write!(page, "\nworkers, most polls first\n{workers}");
        rest(&mut page, n_workers, MAX_LABELS, "worker");
    }
    page.push('\n');
    for line in &footer[1..] {
        page.push_str(line);
        page.push('\n');
    }
    Ok(page)
}

fn by_function(page: &mut String, snapshot: &Snapshot) {
    let rows = rows(snapshot);
    let optional: Vec<Optional> =
        OPTIONAL.into_iter().filter(|(_, number)| rows.iter().any(|row| number(row) > 0)).collect();
    let mut heading = vec!["self busy", "busy", "self idle", "idle", "calls", "polls"];
    heading.extend(optional.iter().map(|(name, _)| *name));
    // Older snapshots have no latency.
    let has_latency = rows.iter().any(|row| row.completed_latency.count > 0);
    heading.extend(["p50 latency", "p99 latency"].into_iter().filter(|_| has_latency));
    heading.extend(["p50 poll", "p99 poll", "max poll"]);
    let mut table = Table::new(&heading, &["function"]);
    for row in rows.iter().take(MAX_ROWS) {
        let mut cells: Vec<String> =
            [row.self_busy_ns, row.busy_ns, row.self_idle_ns, row.idle_ns].map(time).into();
        cells.extend([row.calls, row.polls].map(count));
        cells.extend(optional.iter().map(|(_, number)| count(number(row))));
        let latency = row.completed_latency;
        let cell = |ns| if latency.count == 0 { "-".to_owned() } else { time(ns) };
        cells.extend([latency.p50_ns, latency.p99_ns].map(cell).into_iter().filter(|_| has_latency));
        cells.extend([row.p50_poll_ns, row.p99_poll_ns].map(|ns| ns.map_or_else(|| "-".to_owned(), time)));
        cells.push(time(row.longest_poll_ns));
        cells.push(with_location(snapshot, row));
        table.push(cells);
    }
    // Writing to a string cannot fail.
    let _ = write!(page, "\nby function, most self busy first\n{}", table.render());
    rest(page, rows.len(), MAX_ROWS, "function");
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

fn latencies(page: &mut String, snapshot: &Snapshot) {
    let (table, functions) = latency::render(snapshot, MAX_LABELS);
    if functions > 0 {
        let _ = write!(page, "\nlatency of calls, most time in flight first\n{table}");
        rest(page, functions, MAX_LABELS, "function");
    }
}

fn call_tree(page: &mut String, snapshot: &Snapshot) {
    let (tree, paths) = callpaths::render(snapshot, MAX_ROWS);
    let _ = write!(page, "\ncall tree, busy and idle with everything below\n{tree}");
    rest(page, paths, MAX_ROWS, "call path");
}

fn by_label(page: &mut String, snapshot: &Snapshot) {
    let rows = label_rows(snapshot);
    if rows.is_empty() {
        return;
    }
    let mut table = Table::new(&["busy", "idle", "calls", "max poll"], &["function", "label"]);
    for row in rows.iter().take(MAX_LABELS) {
        table.push(vec![
            time(row.busy_ns),
            time(row.idle_ns),
            count(row.calls),
            time(row.longest_poll_ns),
            row.name.clone(),
            row.label.clone(),
        ]);
    }
    let _ = write!(page, "\nby label, most busy first\n{}", table.render());
    rest(page, rows.len(), MAX_LABELS, "label");
}

/// Says how many items a bound left out.
fn rest(page: &mut String, all: usize, bound: usize, noun: &str) {
    if all > bound {
        let _ = writeln!(
            page,
            "  … and {} more (the JSON report has everything)",
            counted((all - bound) as u64, noun)
        );
    }
}
