//! A thousand dumps from two threads, and from inside polls, while four workers are busy.
//!
//! Each dump is well formed, and the program computes its result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use diagnose::{Snapshot, diagnose};
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use tokio::sync::{Mutex, mpsc};

const TASKS: u64 = 20;
const DUMPS: u64 = 1_000;

#[diagnose(root, label = "{number}")]
async fn works(number: u64, sum: Arc<Mutex<u64>>, queue: mpsc::Sender<u64>, is_over: Arc<AtomicBool>) -> u64 {
    let mut rounds = 0;
    while !is_over.load(SeqCst) || rounds < 10 {
        tokio::time::sleep(Duration::from_micros(200 + number)).await;
        add(&sum).await;
        queue.send(1).await.expect("there is a receiver");
        if rounds == number {
            // From inside a poll.
            check_tree(&diagnose::tree());
        }
        rounds += 1;
    }
    rounds
}

#[diagnose]
async fn add(sum: &Mutex<u64>) {
    let mut sum = sum.lock().await;
    tokio::task::yield_now().await;
    *sum += 1;
}

#[diagnose(root)]
async fn reads(mut queue: mpsc::Receiver<u64>) -> u64 {
    let mut messages = 0;
    while let Some(one) = queue.recv().await {
        messages += one;
    }
    messages
}

/// Asserts that every line has a known form.
fn check_tree(tree: &str) {
    let mut lines = tree.lines();
    let head = lines.next().expect("a first line");
    assert!(head.starts_with("tasks: ") && head.contains(" alive"), "{head}");
    for line in lines.filter(|line| !line.is_empty()) {
        let is_known = match line.strip_prefix("  ") {
            Some(below) => {
                let below = below.trim_start_matches([' ', '│']);
                let below = below.trim_start_matches("├─ ").trim_start_matches("└─ ");
                // In particular, no line says that nothing can wake a task.
                below.contains("(tests/scenarios/tests/thousand_dumps.rs:")
            }
            None => {
                let states = [" [running ", " [waiting ", " [queued ", " [not polled yet "];
                let has_state = states.iter().any(|state| line.contains(state));
                let is_task = line.starts_with("task ") || line.contains(" × task ");
                is_task && has_state && line.contains(" poll") && line.contains(", busy ")
                    || line.starts_with("detached: ")
                    // The lock is not recorded, and a busy machine may delay a task by over a
                    // second.
                    || line.starts_with("verdict: suspect starved: task ") && line.contains("no record explains the wait")
                    || (line.starts_with("polls of tasks: ") && line.contains(" per second"))
            }
        };
        assert!(is_known, "{line:?} in\n{tree}");
    }
}

fn check_snapshot(snapshot: &Snapshot) {
    assert!(snapshot.tasks.len() <= usize::try_from(TASKS).expect("it fits") + 1);
    for (number, node) in snapshot.nodes.iter().enumerate() {
        assert!(node.parent.is_none_or(|parent| parent.get() < number));
        assert!(snapshot.site(node.site).is_some());
    }
    for (number, span) in snapshot.spans.iter().enumerate() {
        assert!(span.parent.is_none_or(|parent| parent.get() < number));
        assert!(snapshot.site(span.site).is_some());
    }
}

#[test]
fn a_thousand_dumps_disturb_nobody() {
    diagnose_isolation::isolated!();
    let runtime = tokio_with_workers(4);
    let sum = Arc::new(Mutex::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let (queue, messages) = mpsc::channel(8);
    let reader = runtime.spawn(reads(messages));
    let tasks: Vec<_> = (0..TASKS)
        .map(|number| runtime.spawn(works(number, Arc::clone(&sum), queue.clone(), Arc::clone(&is_over))))
        .collect();
    drop(queue);

    let dumps = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while dumps.fetch_add(1, SeqCst) < DUMPS {
                    check_tree(&diagnose::tree());
                    check_snapshot(&diagnose::snapshot());
                }
            });
        }
    });
    is_over.store(true, SeqCst);

    let (rounds, messages, sum) = runtime.block_on(async {
        let mut rounds = 0;
        for task in tasks {
            rounds += task.await.expect("no panic");
        }
        (rounds, reader.await.expect("no panic"), *sum.lock().await)
    });
    println!("{rounds} rounds");
    assert_eq!((messages, sum), (rounds, rounds));
    let snapshot = diagnose::snapshot();
    let adds: Vec<u64> = snapshot
        .nodes
        .iter()
        .filter(|node| snapshot.sites[node.site].name == "add")
        .map(|node| {
            assert_eq!((node.completed, node.pending, node.running), (node.calls, 0, 0));
            node.calls
        })
        .collect();
    assert_eq!(adds.iter().sum::<u64>(), rounds);
    assert!(snapshot.tasks.is_empty() && snapshot.spans.is_empty());
}
