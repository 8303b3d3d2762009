//! The table of latencies: how long calls take, by function and label.
//!
//! ```text
//! LATENCY of calls, most time in flight first
//!   ended  p50      p90      p99      p99.9    max      oldest now  mean in flight  function  label
//! ```
//! Only calls that ended have a latency. The age of the oldest call in flight shows whether calls
//! still end. Functions with many calls in flight, none of which has ended, fill the remaining
//! rows. Cancelled calls have separate lines, because they were cut short.

use std::cmp::Reverse;

use crate::analysis::latency::{FunctionLatency, LatencyQuantiles, mean_concurrency};
use crate::export::table::Table;
use crate::export::wrap::{WIDTH, shorten};
use crate::model::Snapshot;
use crate::sort::sort_by_key;
use crate::units::{count, time};

/// Minimum number of calls in flight for a function without ended calls to get a row. A few such
/// calls may be endless loops.
const MIN_PENDING: u64 = 10;
/// Maximum width of a function's name in the folded report, in columns.
const MAX_NAME: usize = 32;

/// Renders at most `bound` functions, with whole names if `is_full`. Returns the text and the total
/// number of functions. The text is empty if no call has ended.
pub(crate) fn render(snapshot: &Snapshot, bound: usize, is_full: bool) -> (String, usize) {
    let mut functions = snapshot.latencies();
    let has_ended = |function: &FunctionLatency| function.completed.count > 0 || function.cancelled.count > 0;
    functions.retain(|function| has_ended(function) || function.pending >= MIN_PENDING);
    if !functions.iter().any(has_ended) {
        return (String::new(), 0);
    }
    sort_by_key(&mut functions, |function| (!has_ended(function), Reverse(function.in_flight_ns)));
    let all = functions.len();
    functions.truncate(bound);
    sort_by_key(&mut functions, |function| Reverse(function.in_flight_ns));
    let numbers = ["ended", "p50", "p90", "p99", "p99.9", "max", "oldest now", "mean in flight"];
    let mut table = Table::new(&numbers, &["function", "label"]);
    for function in &mut functions {
        if !is_full {
            function.name = shorten(&function.name, MAX_NAME);
        }
        let oldest = if function.oldest_ns > 0 { time(function.oldest_ns) } else { String::new() };
        let now = [oldest, mean(function.in_flight_ns, snapshot.elapsed_ns)];
        let FunctionLatency { completed, cancelled, .. } = &*function;
        if completed.count > 0 || cancelled.count == 0 {
            table.push(row(function, completed, now.clone(), ""));
        }
        if cancelled.count > 0 {
            let now = if completed.count > 0 { Default::default() } else { now };
            table.push(row(function, cancelled, now, " (cancelled)"));
        }
    }
    if !is_full {
        table.fit(WIDTH);
    }
    (table.render(), all)
}

fn row(function: &FunctionLatency, latency: &LatencyQuantiles, now: [String; 2], end: &str) -> Vec<String> {
    let LatencyQuantiles { p50_ns, p90_ns, p99_ns, p999_ns, max_ns, .. } = *latency;
    let mut cells = vec![count(latency.count)];
    let quantile = |ns| if latency.count > 0 { time(ns) } else { "-".to_owned() };
    cells.extend([p50_ns, p90_ns, p99_ns, p999_ns, max_ns].map(quantile));
    cells.extend(now);
    cells.push(format!("{}{end}", function.name));
    cells.push(function.label.clone().unwrap_or_default());
    cells
}

/// A mean number of calls, such as `0.04` or `12.5`.
fn mean(in_flight_ns: u64, elapsed_ns: u64) -> String {
    let mean = mean_concurrency(in_flight_ns, elapsed_ns);
    let decimals = if mean < 10.0 { 2 } else { usize::from(mean < 100.0) };
    format!("{mean:.decimals$}")
}
