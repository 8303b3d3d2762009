//! A thread that drops other threads' futures does not collect all their paths.

use std::sync::{Arc, Barrier};
use std::thread;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps};

const THREADS: u32 = 3;
const PATHS: u32 = 500;

/// 32 × 500 paths, which labels make different on every thread.
#[diagnose(label = "{thread}-{part}")]
async fn outer(thread: u32, part: u32, number: u32) {
    inner(number).await;
    let _ = (thread, part);
}

#[diagnose(label = "{number}")]
async fn inner(number: u32) {
    steps([Busy(1), Wait]).await;
    let _ = number;
}

#[test]
fn waits_on_paths_beyond_the_bound_of_a_tree_end_too() {
    isolated!();
    let made = Arc::new(Barrier::new(THREADS as usize));
    let threads: Vec<_> = (0..THREADS)
        .map(|number| {
            let made = made.clone();
            thread::spawn(move || {
                let task = |path| Task::new(outer(number, path / PATHS, path % PATHS));
                let mut tasks: Vec<Task<()>> = (0..30 * PATHS).map(task).collect();
                for task in &mut tasks {
                    assert!(task.poll().is_pending());
                }
                made.wait();
                tasks
            })
        })
        .collect();
    let tasks: Vec<Vec<Task<()>>> =
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
    drop(tasks);
    let now = diagnose::snapshot();
    pass(1_000);
    let later = diagnose::snapshot();
    for (now, later) in now.nodes.iter().zip(&later.nodes) {
        assert_eq!((now.pending, now.idle_ns), (0, later.idle_ns), "every wait has ended");
        assert_eq!(now.calls, now.cancelled);
    }
    // The nodes `[other]` come in addition, one below each node.
    let full = later.threads.iter().all(|thread| (16_384..16_400).contains(&thread.nodes));
    assert!(full, "{:?}", later.threads);
}
