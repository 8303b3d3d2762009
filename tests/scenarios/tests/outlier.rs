//! One blocking handler among many: an outlier in the histogram, while the others are queued.
//!
//! ```text
//! handle   ▏▏▏▏▏▏▏▆▆▆▆▆ 40 ms ▆▆▆▆▆▏▏▏▏▏▏
//! ticks    ▏ ▏ ▏ ▏└──── queued ────┘▏ ▏ ▏
//! ```

use std::time::Duration;

use diagnose::diagnose;
use diagnose::model::Node;
use diagnose_scenarios_tests::runtime::Runtime;
use diagnose_scenarios_tests::stopwatch::{Stopwatch, is_at_least};
use diagnose_scenarios_tests::tree::{line_of, lines, node, plain};

static AROUND: Stopwatch = Stopwatch::new();
static INSIDE: Stopwatch = Stopwatch::new();
static AROUND_TICKS: Stopwatch = Stopwatch::new();
static BARRY: Stopwatch = Stopwatch::new();

#[diagnose(root)]
async fn handle(is_barry: bool) {
    INSIDE
        .time(async {
            tokio::task::yield_now().await;
            if is_barry {
                BARRY.call(|| std::thread::sleep(Duration::from_millis(40)));
            }
        })
        .await;
}

#[diagnose(root)]
async fn ticks() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

/// Runs a hundred handlers beside a ticking task. Returns the nodes, checked by stopwatches.
fn run(with_barry: bool) -> (Node, Node) {
    diagnose::reset();
    Runtime::TokioCurrent.run(async move {
        let ticks = tokio::spawn(AROUND_TICKS.time(ticks()));
        let handles = (0..100).map(|number| AROUND.time(handle(with_barry && number == 50)));
        let all: Vec<_> = handles.map(tokio::spawn).collect();
        for handler in all {
            handler.await.expect("no panic");
        }
        ticks.await.expect("no panic");
    });
    let snapshot = plain(&diagnose::snapshot());
    let text = lines(&snapshot);
    println!("{text}");
    let handle = node(&snapshot, "handle");
    let line = line_of(include_str!("outlier.rs"), "async fn handle(");
    assert_eq!(snapshot.sites[handle.site].place.line as usize, line);
    let (around, inside, ticks) = (AROUND.take(), INSIDE.take(), node(&snapshot, "ticks"));
    around.is_around(&handle, &text);
    inside.is_inside(&handle, &text);
    around.bounds_histogram(&inside, &handle);
    let around_ticks = AROUND_TICKS.take();
    around_ticks.is_around(&ticks, &text);
    is_at_least("queued", ticks.queued_ns, around_ticks.queued, &text);
    assert!(ticks.queued_ns <= ticks.idle_ns, "{text}");
    (handle, ticks)
}

/// Returns the number of polls in buckets that reach 40 ms or more.
fn outliers(node: &Node) -> u64 {
    let long = node.polls_histogram.iter().filter(|bucket| bucket.to_ns > 40_000_000);
    long.map(|bucket| bucket.count).sum()
}

#[test]
fn one_that_blocks_is_an_outlier() {
    diagnose_isolation::isolated!();
    let (handle, ticks) = run(false);
    assert_eq!((handle.calls, handle.polls, ticks.polls), (100, 200, 21));

    let (handle, ticks) = run(true);
    assert_eq!((handle.calls, handle.polls, ticks.polls), (100, 200, 21));
    assert!(outliers(&handle) >= 1, "{:?}", handle.polls_histogram);
    assert_eq!(handle.polls_histogram.iter().map(|bucket| bucket.count).sum::<u64>(), 200);
    let blocked = BARRY.take();
    assert_eq!(blocked.count(), 1);
    is_at_least("longest", handle.longest_poll_ns, blocked.longest(), "");
    is_at_least("queued meanwhile", ticks.queued_ns, blocked.longest(), "");
}
