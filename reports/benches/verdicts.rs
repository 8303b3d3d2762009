//! What a look at everything that waits costs: `cargo bench -p diagnose-reports`, or `… -- pairs`
//! for shapes with that word.
//!
//! Each line is a shape of hang, with ten thousand and a hundred thousand tasks, each of which
//! waits: the median of five calls of `Snapshot::verdicts()`, and how many times longer the larger
//! takes. Linear is ten, and more where only the larger one leaves the caches: what is counted, and
//! not timed, is in the tests of `analysis/hangs/steps.rs`. Times are those on a processor where
//! the system tells them, so that another program does not lengthen them.

use std::hint::black_box;
use std::time::{Duration, Instant};

#[path = "../tests/support/shapes.rs"]
#[allow(dead_code)] // What it finds is for the tests.
mod shapes;

const SIZES: [usize; 2] = [10_000, 100_000];
const CALLS: usize = 5;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!("{:<40} {:>9} {:>12} {:>12} {:>7}", "shape", "verdicts", "10,000", "100,000", "ratio");
    for shape in shapes::SHAPES {
        if !words.is_empty() && !words.iter().any(|word| shape.name.contains(word.as_str())) {
            continue;
        }
        let [small, large] = SIZES.map(|tasks| median(shape, tasks));
        let ratio = large.0.as_secs_f64() / small.0.as_secs_f64();
        println!("{:<40} {:>9} {:>12.2?} {:>12.2?} {ratio:>7.1}", shape.name, large.1, small.0, large.0);
    }
}

/// The median of the calls, and the number of verdicts.
fn median(shape: shapes::Shape, tasks: usize) -> (Duration, usize) {
    let snapshot = (shape.make)(tasks);
    let mut found = 0;
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..CALLS {
        let (start, before) = (Instant::now(), on_processor());
        let verdicts = black_box(snapshot.verdicts());
        let on_processor = on_processor().zip(before).map(|(after, before)| after.saturating_sub(before));
        times.push(on_processor.unwrap_or_else(|| start.elapsed()));
        found = verdicts.len();
        // One that is far from linear is shown by its first call.
        if times[0] > Duration::from_secs(5) {
            break;
        }
    }
    times.sort_unstable();
    (times[times.len() / 2], found)
}

/// How long this thread has run, on Linux.
fn on_processor() -> Option<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    times.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
