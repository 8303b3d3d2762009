//! Both workers block for a value that a third task would send, which waits for a worker. Then it is let go.

use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use tokio::sync::oneshot;

#[diagnose(root)]
async fn blocks(values: Receiver<u32>, runs: Sender<()>) -> u32 {
    tokio::task::yield_now().await;
    runs.send(()).expect("main waits");
    receives(&values)
}

#[diagnose]
fn receives(values: &Receiver<u32>) -> u32 {
    values.recv().expect("it is sent in the end")
}

#[diagnose(root)]
async fn sends(go: oneshot::Receiver<()>, values: [Sender<u32>; 2]) {
    go.await.expect("main says so");
    for value in values {
        let _ = value.send(7);
    }
}

fn main() {
    let builder = diagnose::Builder::new().signal(None).watchdog(Duration::from_millis(100));
    builder.install();
    let runtime = tokio_with_workers(2);
    let (go, has_gone) = oneshot::channel();
    let (one, values1) = mpsc::channel();
    let (two, values2) = mpsc::channel();
    let sender = runtime.spawn(sends(has_gone, [one.clone(), two.clone()]));
    let waits = || diagnose::snapshot().tasks.iter().any(|task| task.polls == 1);
    until(waits);
    let (runs, is_running) = mpsc::channel();
    let tasks = [runtime.spawn(blocks(values1, runs.clone())), runtime.spawn(blocks(values2, runs))];
    for _ in &tasks {
        is_running.recv().expect("both run");
    }
    go.send(()).expect("it waits");
    until(|| diagnose::snapshot().alarms.len() >= 3);
    println!("{}", diagnose::tree());
    println!("end of the tree");
    for value in [one, two] {
        // The first that goes on frees a worker for the task that sends too.
        let _ = value.send(7);
    }
    for task in tasks {
        assert_eq!(runtime.block_on(task).expect("no panic"), 7);
    }
    runtime.block_on(sender).expect("no panic");
}

/// Looks again and again, for ten seconds at most.
fn until(is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !is_so() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
}
