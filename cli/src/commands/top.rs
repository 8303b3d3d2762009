//! `diagnose top`: prints the functions with the highest value of one column.

use std::cmp::Reverse;
use std::process::ExitCode;

use clap::ValueEnum;
use diagnose_reports::model::{Place, SiteKind};
use diagnose_reports::{LatencyQuantiles, Row, Snapshot, Table, clean_line, count, percent, rows, time};
use serde::Serialize;

use crate::failure::Failure;
use crate::flags::Input;
use crate::input;
use crate::output::Output;
use crate::values;

/// A column to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortKey {
    /// Time inside `poll`, without annotated callees
    #[value(aliases = ["self busy", "flat", "self"])]
    SelfBusy,
    /// Time inside `poll`, with annotated callees
    #[value(aliases = ["cum", "cpu"])]
    Busy,
    /// Waits of the function itself
    #[value(aliases = ["self idle", "wait"])]
    SelfIdle,
    /// Waits, with those of annotated callees
    Idle,
    /// Time that calls were in flight, from first poll to end; for functions
    #[value(aliases = ["in flight", "wall"])]
    InFlight,
    /// Time that tasks waited for a worker
    #[value(alias = "queue")]
    Queued,
    /// Median of the calls that returned, from first poll to end
    #[value(aliases = ["p50-call", "p50 call", "median"])]
    P50,
    /// 90th percentile of these calls
    P90,
    /// 99th percentile of these calls
    #[value(aliases = ["p99-call", "p99 call", "latency"])]
    P99,
    /// 99.9th percentile of these calls
    #[value(name = "p99.9", alias = "p999")]
    P999,
    /// Number of calls
    Calls,
    /// Number of polls
    Polls,
    /// Number of calls that were dropped while pending
    Cancelled,
    /// Number of calls that were pending
    Pending,
    /// 99th percentile of the polls
    #[value(alias = "p99 poll")]
    P99Poll,
    /// Longest poll
    #[value(aliases = ["max poll", "max", "longest"])]
    MaxPoll,
    /// Name, ascending
    Name,
}

#[derive(Serialize)]
struct Page<'a> {
    sort: String,
    elapsed_ns: u64,
    functions: Vec<Function<'a>>,
}

/// A row of the table, with its site looked up. Times are in ns.
#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    place: Option<&'a Place>,
    kind: Option<SiteKind>,
    calls: u64,
    polls: u64,
    completed: u64,
    cancelled: u64,
    panicked: u64,
    never_polled: u64,
    pending: u64,
    running: u64,
    self_busy_ns: u64,
    busy_ns: u64,
    self_idle_ns: u64,
    idle_ns: u64,
    queued_ns: u64,
    in_flight_ns: u64,
    p50_poll_ns: Option<u64>,
    p99_poll_ns: Option<u64>,
    longest_poll_ns: u64,
    completed_latency: Option<Latency>,
    cancelled_latency: Option<Latency>,
}

/// Quantiles of calls, from first poll to end, in ns.
#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the unit is part of each name in the output")]
struct Latency {
    p50_ns: u64,
    p90_ns: u64,
    p99_ns: u64,
    p999_ns: u64,
    max_ns: u64,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The column to sort by, largest first
    #[arg(short, long, value_name = "KEY", default_value = "self-busy")]
    sort: SortKey,
    /// The number of functions to print; 0 prints all
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value_t = 20,
        visible_alias = "limit",
        value_parser = values::count,
        allow_negative_numbers = true
    )]
    count: usize,
}

pub(crate) fn run(args: &Args, output: Output) -> Result<ExitCode, Failure> {
    let snapshot = input::read(&args.input.path)?;
    let mut rows = rows(&snapshot);
    // The total busy time. Self times are disjoint, so nothing counts twice.
    let busy_ns = rows.iter().fold(0, |sum: u64, row| sum.saturating_add(row.self_busy_ns));
    rows.retain(|row| is_shown(&snapshot, row));
    sort(&mut rows, args.sort);
    let all = rows.len();
    if args.count > 0 {
        rows.truncate(args.count);
    }
    if output.is_json {
        let sort = args.sort.to_possible_value().map(|key| key.get_name().to_owned()).unwrap_or_default();
        let functions = rows.iter().map(|row| function(&snapshot, row)).collect();
        Output::json("top", Page { sort, elapsed_ns: snapshot.elapsed_ns, functions })?;
    } else {
        output.text(&text(&snapshot, &rows, all, busy_ns, args.sort))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns whether a row is shown. An await without time of its own is left out, because the
/// function that it awaits accounts for its time.
fn is_shown(snapshot: &Snapshot, row: &Row) -> bool {
    let is_await = snapshot.site(row.site).is_some_and(|site| site.kind == SiteKind::Await);
    !is_await || row.self_busy_ns > 0 || row.self_idle_ns > 0
}

/// The sort is stable, so rows with equal values stay in the order of the report.
fn sort(rows: &mut [Row], key: SortKey) {
    if key == SortKey::Name {
        rows.sort_by(|a, b| a.name.cmp(&b.name));
    } else {
        rows.sort_by_key(|row| Reverse(value(key)(row)));
    }
}

/// The number of a column; 0 for the name.
fn value(key: SortKey) -> fn(&Row) -> u64 {
    match key {
        SortKey::SelfBusy => |row| row.self_busy_ns,
        SortKey::Busy => |row| row.busy_ns,
        SortKey::SelfIdle => |row| row.self_idle_ns,
        SortKey::Idle => |row| row.idle_ns,
        SortKey::InFlight => |row| row.in_flight_ns,
        SortKey::Queued => |row| row.queued_ns,
        SortKey::P50 => |row| row.completed_latency.p50_ns,
        SortKey::P90 => |row| row.completed_latency.p90_ns,
        SortKey::P99 => |row| row.completed_latency.p99_ns,
        SortKey::P999 => |row| row.completed_latency.p999_ns,
        SortKey::Calls => |row| row.calls,
        SortKey::Polls => |row| row.polls,
        SortKey::Cancelled => |row| row.cancelled,
        SortKey::Pending => |row| row.pending,
        SortKey::P99Poll => |row| row.p99_poll_ns.unwrap_or(0),
        SortKey::MaxPoll => |row| row.longest_poll_ns,
        SortKey::Name => |_| 0,
    }
}

/// The title of a quantile's column, which is also its key.
fn head(key: SortKey) -> &'static str {
    match key {
        SortKey::P50 => "p50",
        SortKey::P90 => "p90",
        SortKey::P999 => "p99.9",
        _ => "p99",
    }
}

/// The table. `busy_ns` is the busy time of all functions, and `all` is their number.
fn text(snapshot: &Snapshot, rows: &[Row], all: usize, busy_ns: u64, key: SortKey) -> String {
    // All quantile columns together would be too wide.
    let quantiles: Vec<SortKey> = [SortKey::P50, SortKey::P90, SortKey::P99, SortKey::P999]
        .into_iter()
        .filter(|shown| *shown == key || matches!(shown, SortKey::P50 | SortKey::P99))
        .collect();
    let mut heads = vec!["self busy", "%", "busy", "self idle", "idle", "queued", "calls"];
    heads.extend(quantiles.iter().map(|key| head(*key)));
    heads.extend(["polls", "p99 poll", "max poll"]);
    // This column is shown only if the table is sorted by it.
    let extra = match key {
        SortKey::InFlight => Some("in flight"),
        SortKey::Cancelled => Some("cancelled"),
        SortKey::Pending => Some("pending"),
        _ => None,
    };
    heads.extend(extra);
    let mut table = Table::new(&heads, &["function"]);
    for row in rows {
        let mut cells = vec![time(row.self_busy_ns), percent(row.self_busy_ns, busy_ns)];
        cells.extend([row.busy_ns, row.self_idle_ns, row.idle_ns, row.queued_ns].map(time));
        cells.push(count(row.calls));
        let is_known = row.completed_latency.count > 0;
        cells.extend(quantiles.iter().map(|key| maybe(is_known.then(|| value(*key)(row)))));
        cells.push(count(row.polls));
        cells.push(maybe(row.p99_poll_ns));
        cells.push(time(row.longest_poll_ns));
        cells.extend(extra.map(|_| if key == SortKey::InFlight { time } else { count }(value(key)(row))));
        cells.push(with_place(snapshot, row));
        table.push(cells);
    }
    let mut text = format!(
        "{} recorded, {} busy; {} of {} functions and awaits\n",
        time(snapshot.elapsed_ns),
        time(busy_ns),
        count(rows.len() as u64),
        count(all as u64)
    );
    text.push_str(&table.render());
    text
}

fn maybe(ns: Option<u64>) -> String {
    ns.map_or_else(|| "-".to_owned(), time)
}

/// `handle (src/main.rs:12)`, with the place only if the name does not contain it.
fn with_place(snapshot: &Snapshot, row: &Row) -> String {
    match snapshot.site(row.site) {
        Some(site) if site.kind != SiteKind::Other => {
            let place = clean_line(&format!("{}:{}", site.place.file.as_str(), site.place.line));
            if row.name.contains(&place) { row.name.clone() } else { format!("{} ({place})", row.name) }
        }
        _ => row.name.clone(),
    }
}

fn function<'a>(snapshot: &'a Snapshot, row: &'a Row) -> Function<'a> {
    let site = snapshot.site(row.site);
    Function {
        name: &row.name,
        place: site.map(|site| &site.place),
        kind: site.map(|site| site.kind),
        calls: row.calls,
        polls: row.polls,
        completed: row.completed,
        cancelled: row.cancelled,
        panicked: row.panicked,
        never_polled: row.never_polled,
        pending: row.pending,
        running: row.running,
        self_busy_ns: row.self_busy_ns,
        busy_ns: row.busy_ns,
        self_idle_ns: row.self_idle_ns,
        idle_ns: row.idle_ns,
        queued_ns: row.queued_ns,
        in_flight_ns: row.in_flight_ns,
        p50_poll_ns: row.p50_poll_ns,
        p99_poll_ns: row.p99_poll_ns,
        longest_poll_ns: row.longest_poll_ns,
        completed_latency: latency(row.completed_latency),
        cancelled_latency: latency(row.cancelled_latency),
    }
}

/// The quantiles; `None` if there are no such calls.
fn latency(quantiles: LatencyQuantiles) -> Option<Latency> {
    let LatencyQuantiles { p50_ns, p90_ns, p99_ns, p999_ns, max_ns, .. } = quantiles;
    (quantiles.count > 0).then_some(Latency { p50_ns, p90_ns, p99_ns, p999_ns, max_ns })
}
