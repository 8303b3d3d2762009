//! Measures `Snapshot::verdicts()` on large programs in which every task waits, or
//! `Snapshot::findings()`, which contains it.
//!
//! ```text
//! cargo bench -p diagnose-reports --bench verdicts
//! cargo bench -p diagnose-reports --bench verdicts -- findings
//! cargo bench -p diagnose-reports --bench verdicts -- pairs  # shapes with that word in their name
//! ```
//! Each line is a shape of hang, with ten thousand and with a hundred thousand tasks: the median of
//! five calls at each size, and the ratio of the medians. Linear time is a ratio of ten, or more if
//! only the larger snapshot exceeds the caches. The tests of `analysis/hangs/facts/steps.rs` count
//! steps, which shows linearity without a clock. Times are processor time where the system reports
//! it, so that other programs do not lengthen them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use diagnose_reports::Snapshot;

#[path = "../tests/support/shapes.rs"]
#[allow(dead_code)] // What it finds is for the tests.
mod shapes;

const SIZES: [usize; 2] = [10_000, 100_000];
const CALLS: usize = 5;

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let with_findings = words.iter().any(|word| word == "findings");
    words.retain(|word| word != "findings");
    let find: fn(&Snapshot) -> usize =
        if with_findings { |it| it.findings().len() } else { |it| it.verdicts().len() };
    println!("{:<40} {:>9} {:>12} {:>12} {:>7}", "shape", "found", "10,000", "100,000", "ratio");
    for shape in shapes::SHAPES {
        if !words.is_empty() && !words.iter().any(|word| shape.name.contains(word.as_str())) {
            continue;
        }
        let [small, large] = SIZES.map(|tasks| median(shape, tasks, find));
        let ratio = large.0.as_secs_f64() / small.0.as_secs_f64();
        println!("{:<40} {:>9} {:>12.2?} {:>12.2?} {ratio:>7.1}", shape.name, large.1, small.0, large.0);
    }
}

/// Returns the median time of the calls, and the number of verdicts or findings.
fn median(shape: shapes::Shape, tasks: usize, find: fn(&Snapshot) -> usize) -> (Duration, usize) {
    let snapshot = (shape.make)(tasks);
    let mut found = 0;
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..CALLS {
        let (start, before) = (Instant::now(), on_processor());
        found = black_box(find(black_box(&snapshot)));
        let on_processor = on_processor().zip(before).map(|(after, before)| after.saturating_sub(before));
        times.push(on_processor.unwrap_or_else(|| start.elapsed()));
        // A call this slow shows by itself that the time is far from linear.
        if times[0] > Duration::from_secs(5) {
            break;
        }
    }
    times.sort_unstable();
    (times[times.len() / 2], found)
}

/// The processor time of this thread so far; `None` if the system does not report it.
fn on_processor() -> Option<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    times.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
