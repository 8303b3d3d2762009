//! A task's busy and idle time are its wall time, on any number of workers.

use std::future::Future;
use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use diagnose_scenarios_tests::stopwatch::{Stopwatch, is_at_least};
use diagnose_scenarios_tests::tree::{folded, lines, node, sum_of};
use diagnose_scenarios_tests::work::compute;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;

static AROUND: Stopwatch = Stopwatch::new();
static INSIDE: Stopwatch = Stopwatch::new();

#[diagnose]
async fn step(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    let _ = compute(2);
    tokio::task::yield_now().await;
}

#[diagnose(root)]
async fn joins() {
    let start = Instant::now();
    tokio::join!(step(10), step(20), step(30));
    INSIDE.add_poll(start.elapsed());
}

#[diagnose(root)]
async fn selects() {
    let start = Instant::now();
    for ms in [5, 15, 25] {
        tokio::select! {
            () = step(ms) => {}
            () = step(20) => {}
        }
    }
    INSIDE.add_poll(start.elapsed());
}

#[diagnose(root)]
async fn gathers() {
    let start = Instant::now();
    let mut steps: FuturesUnordered<_> = (1..8).map(|number| step(5 * number)).collect();
    while steps.next().await.is_some() {}
    INSIDE.add_poll(start.elapsed());
}

#[diagnose(root)]
async fn times_out() {
    let start = Instant::now();
    let _ = tokio::time::timeout(Duration::from_millis(10), step(50)).await;
    let _ = tokio::time::timeout(Duration::from_millis(50), step(10)).await;
    let _ = tokio::spawn(async { step(10).await }).await;
    INSIDE.add_poll(start.elapsed());
}

fn check<F: Future<Output = ()> + Send + 'static>(name: &str, workers: usize, task: impl FnOnce() -> F) {
    diagnose::reset();
    tokio_with_workers(workers).block_on(async {
        // Other tasks run beside it.
        let others: Vec<_> = (0..4).map(|_| tokio::spawn(async { step(15).await })).collect();
        tokio::spawn(AROUND.time(task())).await.expect("no panic");
        for other in others {
            other.await.expect("no panic");
        }
    });
    let snapshot = diagnose::snapshot();
    let text = format!("{name} on {workers}\n{}", lines(&snapshot));
    let task = node(&snapshot, name);
    assert_eq!((task.calls, task.completed), (1, 1), "{text}");
    let (around, inside) = (AROUND.take(), INSIDE.take());
    let (wall, sum_ns) = (inside.busy(), task.busy_ns + task.idle_ns);
    println!("{name} on {workers}: wall {wall:?}, busy + idle {:?}", Duration::from_nanos(sum_ns));
    around.is_around(&task, &text);
    is_at_least("busy + idle", sum_ns, wall, &text);
    assert!(task.queued_ns <= task.idle_ns, "{text}");
    // In the flame graph its paths have all of that time, each part once.
    let folded = folded(&snapshot);
    assert_eq!(sum_of(&folded, &format!("{name};"), ""), sum_ns, "{text}\n{folded:#?}");
    assert_eq!(sum_of(&folded, &format!("{name};"), "[busy]"), task.busy_ns, "{text}\n{folded:#?}");
}

#[test]
fn busy_and_idle_are_the_wall_time() {
    diagnose_isolation::isolated!();
    for workers in [1, 2, 4] {
        check("joins", workers, joins);
        check("selects", workers, selects);
        check("gathers", workers, gathers);
        check("times_out", workers, times_out);
    }
}
