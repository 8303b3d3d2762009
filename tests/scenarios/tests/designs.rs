//! Sequential or concurrent, waiting or blocking: the makespan tells the designs apart.
//!
//! ```text
//! sequential   |process|process|process|process|process|   500 ms
//! concurrent   |process| × 5                                100 ms
//! blocking     |process| × 2, × 2, × 1 on two workers       300 ms
//! ```
//! A stopwatch measures each makespan, as machines may be busy. The overlap does not depend on
//! that.

use std::future::Future;
use std::sync::{Barrier, LazyLock};
use std::time::{Duration, Instant};

use diagnose::model::Node;
use diagnose::{Snapshot, diagnose};
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use diagnose_scenarios_tests::stopwatch::{Stopwatch, is_at_least, is_at_most};
use diagnose_scenarios_tests::tree::{folded, lines, node, plain, sum_of};
use tokio::sync::mpsc;

const TIME: Duration = Duration::from_millis(100);

static AROUND_SERVER: Stopwatch = Stopwatch::new();
static IN_SERVER: Stopwatch = Stopwatch::new();
static IN_PROCESS: Stopwatch = Stopwatch::new();
static IN_BLOCK: Stopwatch = Stopwatch::new();

async fn sleep() {
    tokio::time::sleep(TIME).await;
}

#[diagnose]
async fn process(request: u32) -> u32 {
    IN_PROCESS.time(sleep()).await;
    request
}

/// Waits until five calls run at the same time.
#[diagnose]
async fn process_with_others(request: u32) -> u32 {
    static ALL: LazyLock<tokio::sync::Barrier> = LazyLock::new(|| tokio::sync::Barrier::new(5));
    ALL.wait().await;
    sleep().await;
    request
}

#[diagnose]
async fn block(request: u32) -> u32 {
    IN_BLOCK.call(|| std::thread::sleep(TIME));
    request
}

/// Blocks until five calls run at the same time.
#[diagnose]
async fn block_with_others(request: u32) -> u32 {
    static ALL: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(5));
    ALL.wait();
    std::thread::sleep(TIME);
    request
}

#[diagnose(root)]
async fn sequential<W: Future<Output = u32>>(mut requests: mpsc::Receiver<u32>, work: fn(u32) -> W) {
    let start = Instant::now();
    while let Some(request) = requests.recv().await {
        work(request).await;
    }
    IN_SERVER.add_poll(start.elapsed());
}

#[diagnose(root)]
async fn concurrent<W>(mut requests: mpsc::Receiver<u32>, work: fn(u32) -> W)
where
    W: Future<Output = u32> + Send + 'static,
{
    let start = Instant::now();
    let mut lanes = Vec::new();
    while let Some(request) = requests.recv().await {
        lanes.push(tokio::spawn(work(request)));
    }
    for lane in lanes {
        lane.await.expect("no panic");
    }
    IN_SERVER.add_poll(start.elapsed());
}

#[diagnose]
async fn client(requests: mpsc::Sender<u32>) {
    for request in 0..5 {
        requests.send(request).await.expect("the server reads");
    }
}

/// Runs a server on this number of workers, and checks its makespan against a stopwatch.
fn run<S: Future<Output = ()> + Send + 'static>(
    workers: usize,
    server: impl FnOnce(mpsc::Receiver<u32>) -> S,
) -> Snapshot {
    diagnose::reset();
    let (sender, receiver) = mpsc::channel(8);
    let server = AROUND_SERVER.time(server(receiver));
    tokio_with_workers(workers).block_on(async {
        let server = tokio::spawn(server);
        tokio::spawn(client(sender)).await.expect("no panic");
        server.await.expect("no panic");
    });
    let snapshot = diagnose::snapshot();
    let text = format!("{workers} workers\n{}", lines(&plain(&snapshot)));
    println!("{text}");
    let is_server = |node: &&Node| {
        node.parent.is_none() && ["sequential", "concurrent"].contains(&&*snapshot.sites[node.site].name)
    };
    let server = snapshot.nodes.iter().find(is_server).expect("there is a server");
    AROUND_SERVER.take().is_around(server, &text);
    is_at_least("makespan", total_ns(server), IN_SERVER.take().busy(), &text);
    snapshot
}

fn total_ns(node: &Node) -> u64 {
    node.busy_ns + node.idle_ns
}

/// Returns the time from the first poll of the first call to the end of the last.
fn window_ns(node: &Node) -> u64 {
    node.last_seen_ns - node.first_seen_ns
}

#[test]
fn the_makespan_distinguishes_the_designs() {
    diagnose_isolation::isolated!();
    let snapshot = run(2, |requests| sequential(requests, process));
    let text = lines(&snapshot);
    let lane = node(&plain(&snapshot), "sequential > process");
    assert_eq!((lane.calls, lane.completed), (5, 5));
    IN_PROCESS.take().is_inside(&lane, &text);
    is_at_least("five sleeps", total_ns(&lane), 5 * TIME, &text);
    assert!(total_ns(&lane) <= window_ns(&lane) + 10, "one after the other, but for rounding\n{text}");
    let stacks = folded(&snapshot);
    let waits = sum_of(&stacks, "sequential;process;IN_PROCESS.time(sleep()).await;[idle]", "");
    let queued = sum_of(&stacks, "sequential;[queued]", "");
    // The remainder of rounding belongs to the root.
    let rest = sum_of(&stacks, "sequential;[idle]", "");
    assert!(waits <= lane.idle_ns && waits + queued + rest >= lane.idle_ns, "{stacks:#?}");

    let snapshot = run(2, |requests| concurrent(requests, process_with_others));
    let text = lines(&snapshot);
    let lanes = node(&snapshot, "process_with_others");
    assert_eq!((lanes.calls, lanes.completed), (5, 5));
    // At least one call is active all the time, and all five during their sleep.
    let overlap = Duration::from_nanos(window_ns(&lanes)) + 4 * TIME;
    is_at_least("five lanes", total_ns(&lanes), overlap, &text);

    let snapshot = run(2, |requests| sequential(requests, block));
    let text = lines(&snapshot);
    let blocks = node(&plain(&snapshot), "sequential > block");
    IN_BLOCK.take().is_inside(&blocks, &text);
    assert_eq!(blocks.idle_ns, 0, "{text}");
    is_at_least("five sleeps", blocks.busy_ns, 5 * TIME, &text);
    assert!(blocks.busy_ns <= window_ns(&blocks) + 10, "one after the other, but for rounding\n{text}");
    assert_eq!(sum_of(&folded(&snapshot), "sequential;block;[busy]", ""), blocks.busy_ns, "{text}");

    let snapshot = run(6, |requests| concurrent(requests, block_with_others));
    let text = lines(&snapshot);
    let lanes = node(&snapshot, "block_with_others");
    let overlap = Duration::from_nanos(window_ns(&lanes)) + 4 * TIME;
    is_at_least("five lanes", lanes.busy_ns, overlap, &text);

    let snapshot = run(2, |requests| concurrent(requests, block));
    let text = lines(&snapshot);
    let lanes = node(&snapshot, "block");
    IN_BLOCK.take().is_inside(&lanes, &text);
    is_at_most("on two workers", lanes.busy_ns, 2 * Duration::from_nanos(window_ns(&lanes)), &text);
    is_at_least("five sleeps", lanes.busy_ns, 5 * TIME, &text);
}
