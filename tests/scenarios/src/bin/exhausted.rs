//! Both workers block for a value that a third task would send, but that task waits for a worker.
//! After the alarms and verdicts, `main` sends the values itself.

use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use diagnose::diagnose;
use diagnose::model::RunState;
use diagnose_scenarios_tests::runtime::{tokio_with_workers, until};
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

/// Whether two threads sleep inside `receives`.
fn are_blocked() -> bool {
    let snapshot = diagnose::snapshot();
    let receives = |node: &&diagnose::model::Node| snapshot.sites[node.site].name == "receives";
    let running: u64 = snapshot.nodes.iter().filter(receives).map(|node| node.running).sum();
    let is_asleep = |id: u64| {
        let stat = std::fs::read_to_string(format!("/proc/self/task/{id}/stat"));
        // Without the file, alarms have no processor time either, so there is nothing to wait for.
        stat.map_or(true, |stat| stat.contains(") S "))
    };
    let blocks = snapshot.tasks.iter().filter(|task| task.state == RunState::Running);
    running == 2 && blocks.filter_map(|task| task.thread_id).all(is_asleep)
}

fn main() {
    let runtime = tokio_with_workers(2);
    let (go, has_gone) = oneshot::channel();
    let (one, values1) = mpsc::channel();
    let (two, values2) = mpsc::channel();
    let sender = runtime.spawn(sends(has_gone, [one.clone(), two.clone()]));
    let waits = |task: &diagnose::model::Task| task.polls == 1 && task.state == RunState::Waiting;
    until(|| diagnose::snapshot().tasks.iter().any(waits));
    let (runs, is_running) = mpsc::channel();
    let tasks = [runtime.spawn(blocks(values1, runs.clone())), runtime.spawn(blocks(values2, runs))];
    for _ in &tasks {
        is_running.recv().expect("both run");
    }
    go.send(()).expect("it waits");
    until(are_blocked);
    // From here on the program stands still, so there are exactly three alarms.
    diagnose::Builder::new().signal(None).watchdog(Duration::from_millis(100)).install();
    until(|| diagnose::snapshot().alarms.len() >= 3);
    // A poll that sleeps gets a suspect verdict after a second.
    until(|| diagnose::snapshot().verdicts().len() >= 2);
    println!("{}", diagnose::tree());
    println!("end of the tree");
    println!("{} alarms", diagnose::snapshot().alarms.len());
    for value in [one, two] {
        // Fails if the sending task, on the worker that is free by then, was faster.
        let _ = value.send(7);
    }
    for task in tasks {
        assert_eq!(runtime.block_on(task).expect("no panic"), 7);
    }
    runtime.block_on(sender).expect("no panic");
}
