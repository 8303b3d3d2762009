//! The parts of the text report, in their order.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;

use crate::analysis::hangs::{Link, Verdict};
use crate::analysis::hide::plain;
use crate::export::text::{alarms, findings, functions, header, labels, resources};
use crate::export::wrap::wrap;
use crate::export::{
    callpaths, empty, footer::footer, latency, lock_order, long_polls, spawn_sites, tasks, verdicts, workers,
};
use crate::model::{Snapshot, TaskId};
use crate::units::counted;
use crate::view::View;

/// How many call paths are printed, folded and in full.
const MAX_PATHS: [usize; 2] = [60, 100_000];
/// How many cycles of the lock order are printed folded.
const MAX_CYCLES: usize = 8;
/// How many functions with latencies, and how many workers, are printed folded.
const MAX_LATENCIES: usize = 15;
const MAX_WORKERS: usize = 16;

/// Renders the folded report. It does not depend on the view.
#[allow(clippy::unnecessary_wraps, reason = "all formats share one signature")]
pub(crate) fn render(snapshot: &Snapshot, _view: View) -> io::Result<String> {
    Ok(report(snapshot, false))
}

/// Renders the report with nothing folded. It does not depend on the view.
#[allow(clippy::unnecessary_wraps, reason = "all formats share one signature")]
pub(crate) fn render_full(snapshot: &Snapshot, _view: View) -> io::Result<String> {
    Ok(report(snapshot, true))
}

fn report(snapshot: &Snapshot, is_full: bool) -> String {
    let mut page = wrap(&header::header(snapshot));
    page.push('\n');
    let verdicts = snapshot.verdicts();
    page += &findings::findings(&snapshot.findings_with(&verdicts));
    page.push('\n');
    if verdicts.is_empty() && snapshot.alarms.is_empty() {
        page.push_str("VERDICTS none, ALARMS none\n");
    } else {
        page += &wrap(&verdicts::section(&verdicts, is_full));
        page.push('\n');
        page += &alarms::alarms(snapshot, is_full);
    }
    let shown = plain(snapshot);
    if !shown.nodes.is_empty() {
        functions::write(&mut page, &shown, is_full);
        let bound = if is_full { usize::MAX } else { MAX_LATENCIES };
        let (table, functions) = latency::render(&shown, bound, is_full);
        part(&mut page, "LATENCY of calls, most time in flight first", &table, functions, bound, "function");
        labels::write(&mut page, &shown, is_full);
        long_polls::write(&mut page, &shown, is_full);
    }
    let bound = if is_full { usize::MAX } else { MAX_WORKERS };
    let (table, workers) = workers::render(snapshot, bound, is_full);
    part(&mut page, "WORKERS, most polls first", &table, workers, bound, "worker");
    resources::write(&mut page, snapshot, is_full);
    let lock_order = lock_order::render(snapshot, if is_full { usize::MAX } else { MAX_CYCLES });
    if !lock_order.is_empty() {
        let _ = write!(page, "\nLOCK ORDER\n{}", wrap(&lock_order));
    }
    if !snapshot.tasks.is_empty() || !snapshot.runtimes.is_empty() {
        let tasks =
            if is_full { tasks::render(snapshot) } else { spawn_sites::render(snapshot, &stuck(&verdicts)) };
        let _ = write!(page, "\nTASKS\n{}", wrap(&tasks));
    }
    if shown.nodes.is_empty() {
        page.push('\n');
        for line in empty::lines(&shown, View::Time) {
            page += &wrap(&line);
        }
    } else {
        let bound = MAX_PATHS[usize::from(is_full)];
        let (tree, paths) = callpaths::render(&shown, bound, is_full);
        let _ = write!(page, "\nCALL TREE, busy and idle with everything below\n{tree}");
        rest(&mut page, paths, bound, "call path");
    }
    page.push('\n');
    page += &wrap(&footer(snapshot)[1..].join("\n"));
    page
}

/// The tasks in the chains of the verdicts.
fn stuck(verdicts: &[Verdict]) -> BTreeSet<TaskId> {
    let links = verdicts.iter().flat_map(|verdict| &verdict.chain);
    links.filter_map(Link::task).collect()
}

/// Appends a table of `bound` items, of which there are `all`; nothing without items.
fn part(page: &mut String, heading: &str, table: &str, all: usize, bound: usize, noun: &str) {
    if all > 0 {
        // Writing to a string cannot fail.
        let _ = write!(page, "\n{heading}\n{table}");
        rest(page, all, bound, noun);
    }
}

/// Says how many items a bound left out.
pub(super) fn rest(page: &mut String, all: usize, bound: usize, noun: &str) {
    if all > bound {
        let rest = counted((all - bound) as u64, noun);
        // Writing to a string cannot fail.
        let _ = writeln!(page, "  … and {rest} more (the full report has them)");
    }
}
