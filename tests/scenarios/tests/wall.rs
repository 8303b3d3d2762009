//! A task's busy and idle time are its wall time, whatever it waits for and however many workers there are.

use std::future::Future;
use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use diagnose_scenarios_tests::tree::{lines, node};
use diagnose_scenarios_tests::work::compute;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;

#[diagnose]
async fn step(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    let _ = compute(2);
    tokio::task::yield_now().await;
}

#[diagnose(root)]
async fn joins() {
    tokio::join!(step(10), step(20), step(30));
}

#[diagnose(root)]
async fn selects() {
    for ms in [5, 15, 25] {
        tokio::select! {
            () = step(ms) => {}
            () = step(20) => {}
        }
    }
}

#[diagnose(root)]
async fn gathers() {
    let mut steps: FuturesUnordered<_> = (1..8).map(|number| step(5 * number)).collect();
    while steps.next().await.is_some() {}
}

#[diagnose(root)]
async fn times_out() {
    let _ = tokio::time::timeout(Duration::from_millis(10), step(50)).await;
    let _ = tokio::time::timeout(Duration::from_millis(50), step(10)).await;
    let _ = tokio::spawn(async { step(10).await }).await;
}

/// The time from just before the first poll to just after the last.
async fn measured(task: impl Future<Output = ()>) -> Duration {
    let start = Instant::now();
    task.await;
    start.elapsed()
}

fn check<F: Future<Output = ()> + Send + 'static>(name: &str, workers: usize, task: impl FnOnce() -> F) {
    diagnose::reset();
    let wall = tokio_with_workers(workers).block_on(async {
        // Somebody else is there too.
        let others: Vec<_> = (0..4).map(|_| tokio::spawn(async { step(15).await })).collect();
        let wall = tokio::spawn(measured(task())).await.expect("no panic");
        for other in others {
            other.await.expect("no panic");
        }
        wall
    });
    let snapshot = diagnose::snapshot();
    let task = node(&snapshot, name);
    let sum = Duration::from_nanos(task.busy_ns + task.idle_ns);
    let queued = Duration::from_nanos(task.queued_ns);
    println!("{name} on {workers}: wall {wall:?}, busy + idle {sum:?}, queued {queued:?}");
    assert_eq!((task.calls, task.completed), (1, 1), "{name}\n{}", lines(&snapshot));
    let bound = wall / 100 + Duration::from_millis(1);
    assert!(wall.abs_diff(sum) <= bound, "{name} on {workers}: {wall:?} {sum:?}\n{}", lines(&snapshot));
    assert!(task.queued_ns <= task.idle_ns, "{name} on {workers}\n{}", lines(&snapshot));
}

#[test]
fn busy_and_idle_are_the_wall_time() {
    for workers in [1, 2, 4] {
        check("joins", workers, joins);
        check("selects", workers, selects);
        check("gathers", workers, gathers);
        check("times_out", workers, times_out);
    }
}
