//! Runtimes start and stop with tasks in every state, while another thread dumps.
//!
//! In the end every call is accounted for, and no task is left.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use diagnose_scenarios_tests::tree::{lines, named, path};

const RUNTIMES: u64 = 40;
const TASKS: u64 = 50;

#[diagnose(root)]
async fn done() {
    step().await;
    step().await;
}

#[diagnose(root)]
async fn stuck() {
    step().await;
    std::future::pending::<()>().await;
}

#[diagnose(root)]
async fn late() {
    step().await;
    tokio::time::sleep(Duration::from_secs(3_600)).await;
}

#[diagnose(root)]
async fn fails() {
    step().await;
    std::panic::resume_unwind(Box::new("on purpose, and without a message"));
}

#[diagnose]
async fn step() {
    tokio::task::yield_now().await;
}

fn run() {
    let runtime = tokio_with_workers(2);
    runtime.block_on(async {
        let mut ends = Vec::new();
        for _ in 0..TASKS {
            ends.push(tokio::spawn(done()));
            tokio::spawn(stuck());
            tokio::spawn(late());
            ends.push(tokio::spawn(fails()));
        }
        for end in ends {
            let _ = end.await;
        }
    });
}

#[test]
fn every_call_is_accounted_for() {
    diagnose_isolation::isolated!();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(SeqCst) {
                assert!(diagnose::tree().starts_with("tasks: "));
                let _ = diagnose::snapshot();
            }
        });
        for _ in 0..RUNTIMES {
            run();
        }
        is_over.store(true, SeqCst);
    });

    let snapshot = diagnose::snapshot();
    let text = lines(&snapshot);
    println!("{text}");
    assert!(snapshot.tasks.is_empty(), "{:?}", snapshot.tasks);
    assert!(snapshot.spans.is_empty(), "{:?}", snapshot.spans);
    let all = RUNTIMES * TASKS;
    let done = named(&snapshot, "done");
    assert_eq!((done.calls, done.polls, done.completed), (all, 3 * all, all), "{text}");
    let fails = named(&snapshot, "fails");
    assert_eq!((fails.calls, fails.panicked), (all, all), "{text}");
    for name in ["stuck", "late"] {
        let node = named(&snapshot, name);
        assert_eq!(node.calls + node.never_polled, all, "{name}\n{text}");
        assert_eq!(node.cancelled, node.calls, "{name}\n{text}");
    }
    for node in &snapshot.nodes {
        let ended = node.completed + node.cancelled + node.panicked;
        assert_eq!(
            (node.pending, node.running, node.calls),
            (0, 0, ended),
            "{}\n{text}",
            path(&snapshot, node)
        );
        assert!(node.queued_ns <= node.idle_ns, "{}\n{text}", path(&snapshot, node));
    }
}
