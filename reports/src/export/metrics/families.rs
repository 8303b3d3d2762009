//! Defines all metric families.

use std::cmp::Reverse;
use std::io::{self, BufWriter, Write};

use super::buckets;
use super::exposition::{Dialect, Exposition, MetricKind, Seconds};
use super::functions::{Durations, FunctionSums, functions};
use crate::analysis::findings::Severity;
use crate::analysis::hangs::Confidence;
use crate::analysis::hangs::words::place;
use crate::clean::printable;
use crate::model::{RunState, Snapshot};
use crate::ordered::OrderedMap;
use crate::sort::sort_by_key;
use crate::view::View;

const MAX_FUNCTIONS: usize = 200;
const MAX_PLACES: usize = 100;

/// Writes OpenMetrics. It does not depend on the view.
pub(crate) fn open_metrics(snapshot: &Snapshot, _view: View, out: &mut dyn Write) -> io::Result<()> {
    write(snapshot, Dialect::OpenMetrics, out)
}

/// Writes Prometheus' text format, as for the files of `node_exporter`. It does not depend on the
/// view.
pub(crate) fn prometheus(snapshot: &Snapshot, _view: View, out: &mut dyn Write) -> io::Result<()> {
    write(snapshot, Dialect::Prometheus, out)
}

fn write(snapshot: &Snapshot, dialect: Dialect, out: &mut dyn Write) -> io::Result<()> {
    let mut buffer = BufWriter::new(out);
    let mut out = Exposition::new(&mut buffer, dialect);
    recording(snapshot, &mut out)?;
    by_function(snapshot, &mut out)?;
    tasks(snapshot, &mut out)?;
    resources(snapshot, &mut out)?;
    verdicts(snapshot, &mut out)?;
    out.end()?;
    buffer.flush()
}

fn recording(snapshot: &Snapshot, out: &mut Exposition<'_>) -> io::Result<()> {
    out.family("build", MetricKind::Info, "What recorded, and what was recorded.")?;
    let process = &snapshot.process;
    out.sample(
        &[("producer", &snapshot.producer), ("process", &process.name), ("build", &process.build)],
        1,
    )?;
    out.family("recorded_seconds", MetricKind::Gauge, "Time since the recording started or was reset.")?;
    out.sample(&[], Seconds(snapshot.elapsed_ns))?;
    out.family("recording", MetricKind::Gauge, "1 if recording is on.")?;
    out.sample(&[], u8::from(snapshot.enabled))?;
    out.family("recording_cost_seconds", MetricKind::Counter, "Estimated time that recording has cost.")?;
    let cost_ns = snapshot.costs.iter().fold(0, |sum: u64, cost| sum.saturating_add(cost.ns));
    out.sample(&[], Seconds(cost_ns))?;
    out.family("dropped_records", MetricKind::Counter, "Records that were dropped, by reason.")?;
    let dropped = &snapshot.dropped;
    for (reason, count) in [
        ("nodes", dropped.over_nodes),
        ("depth", dropped.over_depth),
        ("labels", dropped.over_labels),
        ("spans", dropped.over_spans),
        ("holdings", dropped.over_holdings),
        ("unreadable", dropped.unreadable),
    ] {
        out.sample(&[("reason", reason)], count)?;
    }
    Ok(())
}

/// A counter of a function in ns or as a number: its name, its help, and its value.
type Counter = (&'static str, &'static str, fn(&FunctionSums) -> u64);

const COUNTERS: [Counter; 4] = [
    ("calls", "Calls that were polled at least once.", |function| function.calls),
    ("cancelled_calls", "Calls that were dropped while pending.", |function| function.cancelled),
    ("panicked_calls", "Calls that panicked.", |function| function.panicked),
    ("polls", "Polls.", |function| function.polls),
];

const TIMES: [Counter; 3] = [
    ("busy_seconds", "Time inside poll, without annotated callees.", |function| function.self_busy_ns),
    ("idle_seconds", "Time between polls, without that of annotated callees.", |function| {
        function.self_idle_ns
    }),
    ("queued_seconds", "Time of tasks between a wake and the poll after it.", |function| function.queued_ns),
];

fn by_function(snapshot: &Snapshot, out: &mut Exposition<'_>) -> io::Result<()> {
    let (functions, left_out) = functions(snapshot, MAX_FUNCTIONS);
    out.family(
        "functions_left_out",
        MetricKind::Gauge,
        "Functions without metrics, because there are too many.",
    )?;
    out.sample(&[], left_out)?;
    for (name, help, value) in COUNTERS {
        out.family(name, MetricKind::Counter, help)?;
        for function in &functions {
            out.sample(&labels(function), value(function))?;
        }
    }
    for (name, help, value) in TIMES {
        out.family(name, MetricKind::Counter, help)?;
        for function in functions.iter().filter(|it| name != "queued_seconds" || it.queued_ns > 0) {
            out.sample(&labels(function), Seconds(value(function)))?;
        }
    }
    out.family("pending_calls", MetricKind::Gauge, "Calls that are pending now.")?;
    for function in &functions {
        out.sample(&labels(function), function.pending)?;
    }
    out.family("poll_seconds", MetricKind::Histogram, "Durations of polls, with annotated callees.")?;
    for function in functions.iter().filter(|function| !function.poll_durations.is_empty()) {
        let polls = &function.poll_durations.buckets;
        // The busy time has a running poll too, which may be longer than all that have ended.
        let most_ns =
            polls.iter().fold(0_u64, |sum, it| sum.saturating_add(it.to_ns.saturating_mul(it.count)));
        buckets::write(out, &labels(function), &buckets::POLLS, polls, function.busy_ns.min(most_ns))?;
    }
    out.family(
        "call_seconds",
        MetricKind::Histogram,
        "Durations of ended calls. The sum is within 4 percent.",
    )?;
    for function in &functions {
        let latency = &function.latency;
        let ended = [("completed", &latency.completed), ("cancelled", &latency.cancelled)];
        for (outcome, durations) in ended.into_iter().filter(|(_, durations)| !durations.is_empty()) {
            let [name, module] = labels(function);
            let labels = [name, module, ("outcome", outcome)];
            buckets::write(out, &labels, &buckets::CALLS, &durations.buckets, sum_ns(durations))?;
        }
    }
    Ok(())
}

fn labels(function: &FunctionSums) -> [(&str, &str); 2] {
    [("function", &function.name), ("module", &function.module)]
}

/// The sum of the durations in ns, each counted as the middle of its bucket.
fn sum_ns(durations: &Durations) -> u64 {
    let middle = |from_ns: u64, to_ns: u64| from_ns / 2 + to_ns / 2;
    let sums = durations.buckets.iter().map(|it| middle(it.from_ns, it.to_ns).saturating_mul(it.count));
    sums.fold(0, u64::saturating_add)
}

fn tasks(snapshot: &Snapshot, out: &mut Exposition<'_>) -> io::Result<()> {
    out.family("tasks", MetricKind::Gauge, "Tasks that are alive, by state.")?;
    for (word, state) in [
        ("unpolled", RunState::Unpolled),
        ("running", RunState::Running),
        ("queued", RunState::Queued),
        ("waiting", RunState::Waiting),
    ] {
        let count = snapshot.tasks.iter().filter(|task| task.state == state).count();
        out.sample(&[("state", word)], count)?;
    }
    let mut spawns = OrderedMap::<(String, String), (u64, u64)>::new();
    for task in &snapshot.tasks {
        let at = place(task.spawned_at.as_ref()).unwrap_or_default();
        let name = snapshot.site(task.site).map(|site| printable(&site.name)).unwrap_or_default();
        let (count, oldest_ns) = spawns.entry((name, at)).or_default();
        *count += 1;
        *oldest_ns = task.age_ns.max(*oldest_ns);
    }
    let mut spawns: Vec<_> = spawns.into_iter().collect();
    sort_by_key(&mut spawns, |(_, (count, _))| Reverse(*count));
    spawns.truncate(MAX_PLACES);
    out.family("spawned_tasks", MetricKind::Gauge, "Tasks that are alive, by name and place of the spawn.")?;
    for ((name, at), (count, _)) in &spawns {
        out.sample(&[("task", name), ("place", at)], count)?;
    }
    out.family("oldest_task_seconds", MetricKind::Gauge, "Age of the oldest of these tasks.")?;
    for ((name, at), (_, oldest_ns)) in &spawns {
        out.sample(&[("task", name), ("place", at)], Seconds(*oldest_ns))?;
    }
    out.family("workers", MetricKind::Gauge, "Worker threads of recorded runtimes, by state.")?;
    let parked = snapshot.workers.iter().filter(|worker| worker.parked).count();
    out.sample(&[("state", "busy")], snapshot.workers.len() - parked)?;
    out.sample(&[("state", "parked")], parked)
}

fn resources(snapshot: &Snapshot, out: &mut Exposition<'_>) -> io::Result<()> {
    let mut kinds = OrderedMap::<String, u64>::new();
    for resource in &snapshot.resources {
        *kinds.entry(format!("{:?}", resource.kind).to_lowercase()).or_default() += 1;
    }
    out.family("resources", MetricKind::Gauge, "Locks, channels and other resources, by kind.")?;
    for (kind, count) in &kinds {
        out.sample(&[("kind", kind)], count)?;
    }
    let mut waits = OrderedMap::<[String; 3], (u64, u64)>::new();
    for wait in &snapshot.waits {
        let Some(resource) = wait.resource.and_then(|id| snapshot.resource(id)) else { continue };
        let kind = format!("{:?}", resource.kind).to_lowercase();
        let name = resource.name.as_deref().map(printable).unwrap_or_default();
        let at = place(resource.created.as_ref()).unwrap_or_default();
        let (count, longest_ns) = waits.entry([kind, name, at]).or_default();
        *count += 1;
        *longest_ns = wait.since_ns.max(*longest_ns);
    }
    let mut waits: Vec<_> = waits.into_iter().collect();
    sort_by_key(&mut waits, |(_, (count, longest_ns))| Reverse((*count, *longest_ns)));
    waits.truncate(MAX_PLACES);
    out.family("resource_waiters", MetricKind::Gauge, "Waits for resources, by the place that made them.")?;
    for ([kind, name, at], (count, _)) in &waits {
        out.sample(&[("kind", kind), ("name", name), ("place", at)], count)?;
    }
    out.family("resource_longest_wait_seconds", MetricKind::Gauge, "The longest of these waits.")?;
    for ([kind, name, at], (_, longest_ns)) in &waits {
        out.sample(&[("kind", kind), ("name", name), ("place", at)], Seconds(*longest_ns))?;
    }
    Ok(())
}

fn verdicts(snapshot: &Snapshot, out: &mut Exposition<'_>) -> io::Result<()> {
    let verdicts = snapshot.verdicts();
    out.family("verdicts", MetricKind::Gauge, "Hangs that were found, by confidence.")?;
    for (word, confidence) in
        [("proven", Confidence::Proven), ("likely", Confidence::Likely), ("suspect", Confidence::Suspect)]
    {
        let count = verdicts.iter().filter(|verdict| verdict.confidence == confidence).count();
        out.sample(&[("confidence", word)], count)?;
    }
    let findings = snapshot.findings_with(None, &verdicts);
    out.family("findings", MetricKind::Gauge, "Findings of the report, by severity.")?;
    for severity in [Severity::Stuck, Severity::Slow, Severity::Waste, Severity::Risk, Severity::Note] {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        out.sample(&[("severity", &severity.to_string())], count)?;
    }
    Ok(())
}
