//! Writes the parts of the text report, in order.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use crate::analysis::hangs::{Link, Verdict};
use crate::analysis::hide::plain;
use crate::export::text::{alarms, findings, functions, header, labels, resources};
use crate::export::wrap::wrap;
use crate::export::{
    callpaths, empty, footer::footer, latency, lock_order, long_polls, spawn_sites, tasks, verdicts, workers,
};
use crate::model::{Snapshot, TaskId, Worker};
use crate::ordered::OrderedSet;
use crate::units::counted;
use crate::view::View;

/// Maximum number of call paths in the folded and in the full report.
const MAX_PATHS: [usize; 2] = [60, 100_000];
/// Maximum number of lock-order cycles in the folded report.
const MAX_CYCLES: usize = 8;
/// Maximum number of functions with latencies, and of workers, in the folded report.
const MAX_LATENCIES: usize = 15;
const MAX_WORKERS: usize = 16;

/// Number of bytes that are written at once.
const BUFFER: usize = 64 << 10;

/// Writes the folded report. It does not depend on the view.
pub(crate) fn write(snapshot: &Snapshot, _view: View, out: &mut dyn io::Write) -> io::Result<()> {
    report(snapshot, None, false, out)
}

/// Writes the full report. It does not depend on the view.
pub(crate) fn write_full(snapshot: &Snapshot, _view: View, out: &mut dyn io::Write) -> io::Result<()> {
    report(snapshot, None, true, out)
}

/// Writes the report with findings since an earlier snapshot.
pub(crate) fn write_since(
    snapshot: &Snapshot,
    earlier: &Snapshot,
    is_full: bool,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    report(snapshot, Some(earlier), is_full, out)
}

/// Writes the parts in order. There may be millions of resources and tasks, so these are written
/// one by one.
fn report(
    snapshot: &Snapshot,
    earlier: Option<&Snapshot>,
    is_full: bool,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let out = &mut io::BufWriter::with_capacity(BUFFER, out);
    let mut page = wrap(&header::header(snapshot));
    page.push('\n');
    let verdicts = snapshot.verdicts();
    let earlier = earlier.filter(|earlier| snapshot.continues(earlier));
    let over_ns = earlier.map(|earlier| snapshot.elapsed_ns.saturating_sub(earlier.elapsed_ns));
    let findings = snapshot.findings_with(earlier, &verdicts);
    page += &findings::findings(snapshot, &findings, over_ns);
    page.push('\n');
    if verdicts.is_empty() && snapshot.alarms.is_empty() {
        page.push_str("VERDICTS none, ALARMS none\n");
    } else {
        page += &wrap(&verdicts::section(&verdicts, &findings, is_full));
        page.push('\n');
        page += &alarms::alarms(snapshot, is_full);
    }
    let shown = plain(snapshot);
    if !shown.nodes.is_empty() {
        let is_latency_first = findings.is_empty() && verdicts.is_empty() && are_parked(snapshot);
        let mut latencies = String::new();
        let bound = if is_full { usize::MAX } else { MAX_LATENCIES };
        let (table, functions) = latency::render(snapshot, bound, is_full);
        let heading = "LATENCY of calls, most time in flight first";
        part(&mut latencies, heading, &table, functions, bound, "function");
        if is_latency_first {
            page += &latencies;
        }
        functions::write(&mut page, &shown, is_full);
        if !is_latency_first {
            page += &latencies;
        }
        labels::write(&mut page, &shown, is_full);
        long_polls::write(&mut page, &shown, is_full);
    }
    let bound = if is_full { usize::MAX } else { MAX_WORKERS };
    let (table, workers) = workers::render(snapshot, bound, is_full);
    part(&mut page, "WORKERS, most polls first", &table, workers, bound, "worker");
    resources::write(&mut page, snapshot, is_full);
    out.write_all(page.as_bytes())?;
    resources::write_waiters(snapshot, is_full, &mut |lines| out.write_all(wrap(lines).as_bytes()))?;
    let lock_order = lock_order::render(snapshot, if is_full { usize::MAX } else { MAX_CYCLES });
    if !lock_order.is_empty() {
        write!(out, "\nLOCK ORDER\n{}", wrap(&lock_order))?;
    }
    if !snapshot.tasks.is_empty() || !snapshot.runtimes.is_empty() {
        out.write_all(b"\nTASKS\n")?;
        if is_full {
            tasks::write(snapshot, &mut |lines| out.write_all(wrap(lines).as_bytes()))?;
        } else {
            let tasks = spawn_sites::render(snapshot, &stuck(&verdicts));
            out.write_all(wrap(&tasks).as_bytes())?;
        }
    }
    page.clear();
    if shown.nodes.is_empty() {
        page.push('\n');
        for line in empty::lines(&shown, View::Time) {
            page += &wrap(&line);
        }
    } else {
        let bound = MAX_PATHS[usize::from(is_full)];
        let (tree, paths) = callpaths::render(&shown, bound, is_full);
        let _ = write!(page, "\nCALL TREE, busy and idle with everything below\n{tree}");
        let report = if is_full { "JSON" } else { "full" };
        rest_in(&mut page, paths, bound, "call path", report);
    }
    page.push('\n');
    page += &wrap(&footer(snapshot)[1..].join("\n"));
    out.write_all(page.as_bytes())?;
    out.flush()
}

/// Returns whether the workers were parked for at least nine tenths of their time. Such a program
/// mostly waits, and the table by busy time does not show for what.
fn are_parked(snapshot: &Snapshot) -> bool {
    let sum = |ns: fn(&Worker) -> u64| snapshot.workers.iter().map(ns).fold(0, u64::saturating_add);
    let (parked_ns, listed_ns) = (sum(|worker| worker.parked_ns), sum(|worker| worker.listed_ns));
    listed_ns > 0 && parked_ns >= listed_ns / 10 * 9
}

/// The tasks in the chains of the verdicts.
fn stuck(verdicts: &[Verdict]) -> OrderedSet<TaskId> {
    let links = verdicts.iter().flat_map(|verdict| &verdict.chain);
    links.filter_map(Link::task).collect()
}

/// Appends a table that shows up to `bound` of `all` items. Appends nothing if there are no items.
fn part(page: &mut String, heading: &str, table: &str, all: usize, bound: usize, noun: &str) {
    if all > 0 {
        // Writing to a string cannot fail.
        let _ = write!(page, "\n{heading}\n{table}");
        rest(page, all, bound, noun);
    }
}

/// Appends the number of items that the bound left out of the folded report.
pub(super) fn rest(page: &mut String, all: usize, bound: usize, noun: &str) {
    rest_in(page, all, bound, noun, "full");
}

/// Appends the number of items that the bound left out, and names the report that has them.
fn rest_in(page: &mut String, all: usize, bound: usize, noun: &str, report: &str) {
    if all > bound {
        let rest = counted((all - bound) as u64, noun);
        // Writing to a string cannot fail.
        let _ = writeln!(page, "  … and {rest} more (the {report} report has them)");
    }
}
