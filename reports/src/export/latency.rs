//! The table of latencies: how long calls take, by function and label.
//!
//! ```text
//! LATENCY of calls, most time in flight first
//!   calls  p50      p90      p99      p99.9    max      in flight  function  label
//! ```
//! Cancelled calls have lines of their own, because they did not take as long as they wanted to.

use std::cmp::Reverse;

use crate::analysis::latency::{FunctionLatency, LatencyQuantiles, mean_concurrency};
use crate::export::table::Table;
use crate::export::wrap::{WIDTH, middle};
use crate::model::Snapshot;
use crate::sort::sort_by_key;
use crate::units::{count, time};

/// How many columns a function's name has folded.
const MAX_NAME: usize = 32;

/// Renders at most `bound` functions. Returns the text, empty without latencies, and the number of
/// functions. `is_full`: with whole names.
pub(crate) fn render(snapshot: &Snapshot, bound: usize, is_full: bool) -> (String, usize) {
    let mut functions = snapshot.latencies();
    functions.retain(|function| function.completed.count > 0 || function.cancelled.count > 0);
    if functions.is_empty() {
        return (String::new(), 0);
    }
    sort_by_key(&mut functions, |function| Reverse(function.in_flight_ns));
    let mut table =
        Table::new(&["calls", "p50", "p90", "p99", "p99.9", "max", "mean in flight"], &["function", "label"]);
    for function in functions.iter_mut().take(bound) {
        if !is_full {
            function.name = middle(&function.name, MAX_NAME);
        }
        let in_flight = mean(function.in_flight_ns, snapshot.elapsed_ns);
        let FunctionLatency { completed, cancelled, .. } = &*function;
        if completed.count > 0 || cancelled.count == 0 {
            table.push(row(function, completed, in_flight.clone(), ""));
        }
        if cancelled.count > 0 {
            let in_flight = if completed.count > 0 { String::new() } else { in_flight };
            table.push(row(function, cancelled, in_flight, " (cancelled)"));
        }
    }
    if !is_full {
        table.fit(WIDTH);
    }
    (table.render(), functions.len())
}

fn row(function: &FunctionLatency, latency: &LatencyQuantiles, in_flight: String, end: &str) -> Vec<String> {
    let LatencyQuantiles { p50_ns, p90_ns, p99_ns, p999_ns, max_ns, .. } = *latency;
    let mut cells = vec![count(latency.count)];
    cells.extend([p50_ns, p90_ns, p99_ns, p999_ns, max_ns].map(time));
    cells.push(in_flight);
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
