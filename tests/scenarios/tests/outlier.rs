//! One handler that blocks among many that do not: an outlier in the histogram, and the others wait in the queue.
//!
//! ```text
//! handle   ▏▏▏▏▏▏▏▆▆▆▆▆ 40 ms ▆▆▆▆▆▏▏▏▏▏▏
//! ticks    ▏ ▏ ▏ ▏└──── queued ────┘▏ ▏ ▏
//! ```

use std::time::Duration;

use diagnose::{Node, diagnose};
use diagnose_scenarios_tests::runtime::Runtime;
use diagnose_scenarios_tests::tree::{line_of, lines, ms, node, plain};

#[diagnose(root)]
async fn handle(is_barry: bool) {
    tokio::task::yield_now().await;
    if is_barry {
        std::thread::sleep(Duration::from_millis(40));
    }
}

#[diagnose(root)]
async fn ticks() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

/// Runs a hundred handlers beside a task that ticks, and returns both.
fn run(with_barry: bool) -> (Node, Node) {
    diagnose::reset();
    Runtime::TokioCurrent.run(async move {
        let ticks = tokio::spawn(ticks());
        let all: Vec<_> = (0..100).map(|number| tokio::spawn(handle(with_barry && number == 50))).collect();
        for handler in all {
            handler.await.expect("no panic");
        }
        ticks.await.expect("no panic");
    });
    let snapshot = plain(&diagnose::snapshot());
    println!("{}", lines(&snapshot));
    let handle = node(&snapshot, "handle");
    let line = line_of(include_str!("outlier.rs"), "async fn handle(");
    assert_eq!(snapshot.sites[handle.site].line as usize, line);
    (handle, node(&snapshot, "ticks"))
}

/// Polls in buckets that reach 40 ms or more.
fn outliers(node: &Node) -> u64 {
    let long = node.polls_histogram.iter().filter(|bucket| bucket.to_ns > 40_000_000);
    long.map(|bucket| bucket.count).sum()
}

#[test]
fn one_that_blocks_is_an_outlier() {
    let (handle, ticks) = run(false);
    let queued_before = ticks.queued_ns;
    assert_eq!((handle.calls, handle.polls), (100, 200));

    let (handle, ticks) = run(true);
    assert_eq!((handle.calls, handle.polls), (100, 200));
    assert_eq!(outliers(&handle), 1, "{:?}", handle.polls_histogram);
    assert_eq!(handle.polls_histogram.iter().map(|bucket| bucket.count).sum::<u64>(), 200);
    assert!((40.0..300.0).contains(&ms(handle.longest_poll_ns)));
    assert!(ms(ticks.queued_ns) >= ms(queued_before) + 30.0, "{} {queued_before}", ticks.queued_ns);
    assert!(ticks.queued_ns <= ticks.idle_ns);
}
