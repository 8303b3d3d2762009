//! A worker's record: its polls, the time in them, and the time it was parked.

use std::time::{Duration, Instant};

use diagnose::model::Worker;
use diagnose::tokio;
use diagnose::{Snapshot, diagnose};
use tokio::runtime::{Builder, Runtime};

/// Creates a runtime with one worker, whose thread is called `name`.
fn one_worker(name: &str) -> Runtime {
    Builder::new_multi_thread().worker_threads(1).thread_name(name).build().unwrap()
}

/// Returns the worker `name` while it is parked, with its snapshot.
fn parked(name: &str) -> (Snapshot, Worker) {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let snapshot = diagnose::snapshot();
        let worker = snapshot.workers.iter().find(|worker| worker.thread == name && worker.parked).cloned();
        if let Some(worker) = worker {
            return (snapshot, worker);
        }
        assert!(Instant::now() < end, "`{name}` does not park");
        std::thread::yield_now();
    }
}

#[diagnose]
async fn outer(times: u32) {
    inner(times).await;
}

/// Most of its polls pass through `outer`.
#[diagnose]
async fn inner(times: u32) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}

/// Returns the number and total duration of all polls of the tasks named `outer`.
fn outer_polls(snapshot: &Snapshot) -> (u64, u64) {
    let is_outer = |node: &&diagnose::model::Node| {
        node.parent.is_none() && snapshot.sites[node.site].name.contains("outer")
    };
    let roots = snapshot.nodes.iter().filter(is_outer);
    roots.fold((0, 0), |(polls, busy_ns), node| (polls + node.polls, busy_ns + node.busy_ns))
}

#[test]
fn the_polls_of_a_worker_are_those_of_its_tasks() {
    diagnose_isolation::isolated!();
    let runtime = one_worker("counted");
    for times in [3, 40] {
        runtime.block_on(runtime.spawn(outer(times))).unwrap();
    }
    let (snapshot, worker) = parked("counted");
    let (polls, busy_ns) = outer_polls(&snapshot);
    assert_eq!((worker.polls, worker.busy_ns), (polls, busy_ns));
    assert!(polls >= 43, "{polls}");
    assert!(worker.busy_ns + worker.parked_ns <= worker.listed_ns, "{worker:?}");
    assert!(worker.parked_ns >= worker.since_ns, "{worker:?}");
    let mut text = Vec::new();
    diagnose::dump_to(diagnose::Format::Text, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("WORKERS, most polls first"), "{text}");
}

#[test]
fn a_reset_starts_again() {
    diagnose_isolation::isolated!();
    let runtime = one_worker("reset");
    runtime.block_on(runtime.spawn(outer(50))).unwrap();
    let (_, before) = parked("reset");
    diagnose::reset();
    let (snapshot, after) = parked("reset");
    assert_eq!((after.polls, after.busy_ns), (0, 0));
    assert!(
        after.parked_ns <= after.listed_ns && after.listed_ns < before.listed_ns + snapshot.elapsed_ns,
        "{after:?}"
    );
    runtime.block_on(runtime.spawn(outer(2))).unwrap();
    let (snapshot, later) = parked("reset");
    assert_eq!((later.polls, later.busy_ns), outer_polls(&snapshot));
    assert!(later.polls < before.polls, "{later:?}");
}

#[test]
fn a_worker_that_reuses_a_tree_counts_only_its_own_polls() {
    diagnose_isolation::isolated!();
    let first = one_worker("first");
    first.block_on(first.spawn(outer(50))).unwrap();
    let (first_polls, _) = outer_polls(&parked("first").0);
    drop(first);
    let second = one_worker("second");
    second.block_on(second.spawn(outer(2))).unwrap();
    let (snapshot, worker) = parked("second");
    assert_eq!(worker.polls, outer_polls(&snapshot).0 - first_polls);
}
