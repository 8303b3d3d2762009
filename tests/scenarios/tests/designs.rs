//! Sequential or concurrent, waiting or blocking: the makespan tells the designs apart.
//!
//! ```text
//! sequential   |process|process|process|process|process|   500 ms
//! concurrent   |process| × 5                                100 ms
//! blocking     |process| × 2, × 2, × 1 on two workers       300 ms
//! ```

use std::future::Future;

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use diagnose_scenarios_tests::tree::{folded, lines, ms, node, plain};
use tokio::sync::mpsc;

#[diagnose]
async fn process(request: u32) -> u32 {
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    request
}

#[diagnose]
async fn block(request: u32) -> u32 {
    std::thread::sleep(std::time::Duration::from_millis(100));
    request
}

#[diagnose(root)]
async fn sequential<W: Future<Output = u32>>(mut requests: mpsc::Receiver<u32>, work: fn(u32) -> W) {
    while let Some(request) = requests.recv().await {
        work(request).await;
    }
}

#[diagnose(root)]
async fn concurrent<W>(mut requests: mpsc::Receiver<u32>, work: fn(u32) -> W)
where
    W: Future<Output = u32> + Send + 'static,
{
    let mut lanes = Vec::new();
    while let Some(request) = requests.recv().await {
        lanes.push(tokio::spawn(work(request)));
    }
    for lane in lanes {
        lane.await.expect("no panic");
    }
}

#[diagnose]
async fn client(requests: mpsc::Sender<u32>) {
    for request in 0..5 {
        requests.send(request).await.expect("the server reads");
    }
}

/// Runs a server on so many workers, and returns its makespan in milliseconds.
fn run<S: Future<Output = ()> + Send + 'static>(
    workers: usize,
    server: impl FnOnce(mpsc::Receiver<u32>) -> S,
) -> (diagnose::Snapshot, f64) {
    diagnose::reset();
    let (sender, receiver) = mpsc::channel(8);
    let server = server(receiver);
    tokio_with_workers(workers).block_on(async {
        let server = tokio::spawn(server);
        tokio::spawn(client(sender)).await.expect("no panic");
        server.await.expect("no panic");
    });
    let snapshot = plain(&diagnose::snapshot());
    println!("{workers} workers\n{}", lines(&snapshot));
    let is_server = |node: &&diagnose::Node| {
        node.parent.is_none() && ["sequential", "concurrent"].contains(&&*snapshot.sites[node.site].name)
    };
    let makespan = snapshot.nodes.iter().find(is_server).map(|node| ms(node.busy_ns + node.idle_ns));
    let makespan = makespan.expect("there is a server");
    (snapshot, makespan)
}

#[test]
fn the_makespan_tells_them_apart() {
    let (snapshot, makespan) = run(2, |requests| sequential(requests, process));
    assert!((499.0..900.0).contains(&makespan), "{makespan}");
    let process_node = node(&snapshot, "sequential > process");
    assert_eq!((process_node.calls, process_node.polls), (5, 10));
    assert!(ms(process_node.idle_ns) >= 499.0);
    let stacks = folded();
    let waits = "sequential;process;tokio::time::sleep(std::time::Duration::from_millis(100)).await;[idle]";
    let stack = stacks.iter().find(|(path, _)| path == waits);
    assert!(stack.is_some_and(|(_, ns)| *ns >= 499_000_000), "{stacks:#?}");

    let (snapshot, makespan) = run(2, |requests| concurrent(requests, process));
    assert!((99.0..400.0).contains(&makespan), "{makespan}");
    let lanes = node(&snapshot, "process");
    assert_eq!((lanes.calls, lanes.completed), (5, 5));
    assert!(ms(lanes.idle_ns) >= 499.0, "five lanes, each its 100 ms");

    let (snapshot, makespan) = run(2, |requests| sequential(requests, block));
    assert!((499.0..900.0).contains(&makespan), "{makespan}");
    let blocks = node(&snapshot, "sequential > block");
    assert!(ms(blocks.busy_ns) >= 499.0 && blocks.idle_ns == 0);
    assert!(folded().iter().any(|(path, ns)| path == "sequential;block;[busy]" && *ns >= 499_000_000));

    let (_, makespan) = run(6, |requests| concurrent(requests, block));
    assert!((99.0..450.0).contains(&makespan), "{makespan}");
    let (snapshot, makespan) = run(2, |requests| concurrent(requests, block));
    assert!((199.0..900.0).contains(&makespan), "{makespan}");
    let lanes = node(&snapshot, "block");
    assert!(ms(lanes.busy_ns) >= 499.0 && lanes.longest_poll_ns < lanes.busy_ns / 2);
}
