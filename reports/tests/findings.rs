//! The rules that need a whole machine, or a rare mistake, to show: each on drawn data, and its silence
//! just below.

use crate::support::{empty, place_at, tree};
use diagnose_reports::Snapshot;
use diagnose_reports::model::{SiteIndex, Task, TaskId, TaskKind, Worker};

const SECOND: u64 = 1_000_000_000;

fn rules(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(|finding| finding.rule.to_string()).collect()
}

/// Workers with these ns on a CPU, and waiting for one.
fn workers(times: &[(u64, u64)]) -> Vec<Worker> {
    let worker = |&(cpu_ns, delayed_ns): &(u64, u64)| {
        let mut worker = Worker::default();
        (worker.cpu_ns, worker.delayed_ns) = (Some(cpu_ns), Some(delayed_ns));
        worker
    };
    times.iter().map(worker).collect()
}

/// Ten seconds of 2,000 requests that wait 30 ms for a thread at each of their polls.
fn queueing() -> Snapshot {
    let mut snapshot = tree(
        "request | calls=2000 completed=2000 polls=2000 queued=60_000_000_000 idle=61_000_000_000 \
         busy=100_000_000 polls@32768..65536=2000",
    );
    snapshot.elapsed_ns = 10 * SECOND;
    snapshot
}

#[test]
fn busy_workers_with_a_queue_are_saturated() {
    let mut snapshot = queueing();
    snapshot.workers = workers(&[(9_900_000_000, 50_000_000), (9_800_000_000, 80_000_000)]);
    assert_eq!(rules(&snapshot), ["saturated"]);
    snapshot.workers = workers(&[(9_900_000_000, 50_000_000), (8_000_000_000, 80_000_000)]);
    assert_eq!(rules(&snapshot), [""; 0], "a worker has time left");
}

#[test]
fn busy_workers_without_a_queue_are_a_simulation() {
    let mut snapshot = queueing();
    snapshot.workers = workers(&[(9_900_000_000, 50_000_000), (9_800_000_000, 80_000_000)]);
    snapshot.nodes[0].queued_ns = 2_000_000_000;
    assert_eq!(rules(&snapshot), [""; 0]);
}

#[test]
fn workers_that_wait_for_a_cpu_are_oversubscribed() {
    let mut snapshot = queueing();
    snapshot.workers = workers(&[(2_000_000_000, 7_900_000_000); 2]);
    assert_eq!(rules(&snapshot), ["oversubscribed"]);
}

#[test]
fn one_busy_worker_of_four_is_an_imbalance() {
    let mut snapshot = queueing();
    let idle = (20_000_000, 1_000_000);
    snapshot.workers = workers(&[(9_500_000_000, 50_000_000), idle, idle, idle]);
    assert_eq!(rules(&snapshot), ["imbalance"]);
    snapshot.workers[1].cpu_ns = Some(3_000_000_000);
    assert_eq!(rules(&snapshot), [""; 0], "another one works too");
}

#[test]
fn workers_of_unknown_times_say_nothing() {
    let mut snapshot = queueing();
    snapshot.workers = workers(&[(9_900_000_000, 50_000_000); 2]);
    snapshot.workers[0].cpu_ns = None;
    assert_eq!(rules(&snapshot), [""; 0]);
}

/// A task of ten seconds with 100,000 polls, woken by itself.
fn spinning() -> Snapshot {
    let mut snapshot = tree("spin | calls=1 polls=100_000 pending=1 busy=200_000_000");
    snapshot.elapsed_ns = 10 * SECOND;
    let mut task = Task::default();
    (task.id, task.site, task.kind) = (TaskId::from(1), SiteIndex::new(0), TaskKind::Future);
    task.spawned_at = Some(place_at(7, 5));
    (task.age_ns, task.polls, task.wakes, task.self_wakes) = (10 * SECOND, 100_000, 100_000, 99_000);
    (task.busy_ns, task.queued_ns) = (200_000_000, 9_700_000_000);
    snapshot.tasks = vec![task];
    snapshot
}

#[test]
fn a_task_that_wakes_itself_without_work_is_found() {
    let snapshot = spinning();
    assert_eq!(rules(&snapshot), ["self_wake"]);
    assert_eq!(snapshot.findings()[0].evidence.tasks, [TaskId::from(1)]);
}

#[test]
fn a_task_that_yields_after_work_is_not() {
    let mut snapshot = spinning();
    snapshot.tasks[0].busy_ns = 5 * SECOND;
    snapshot.nodes[0].busy_ns = 5 * SECOND;
    assert!(!rules(&snapshot).contains(&"self_wake".to_owned()), "{:?}", rules(&snapshot));
}

#[test]
fn lost_data_is_named_with_its_number() {
    let mut snapshot = empty();
    assert_eq!(rules(&snapshot), [""; 0]);
    snapshot.dropped.over_labels = 3;
    snapshot.dropped.over_nodes = 41;
    let [finding] = &snapshot.findings()[..] else { panic!("one finding for all losses") };
    assert_eq!(finding.rule.to_string(), "lost_data");
    assert!(finding.sentence.starts_with("41 calls are counted in `[other]`"), "{}", finding.sentence);
    assert!(finding.sentence.ends_with("; 1 loss more in the footer"), "{}", finding.sentence);
}

/// As many polls as a mutated file may claim: found by mutation.
#[test]
fn a_histogram_of_impossible_counts_is_no_panic() {
    let mut snapshot = tree("work | calls=1 polls=1 busy=3_000_000_000 polls@1048576..2097152=1");
    snapshot.elapsed_ns = SECOND;
    let bucket = snapshot.nodes[0].polls_histogram[0];
    for count in [u64::MAX, u64::MAX / 3] {
        let mut huge = bucket;
        (huge.from_ns, huge.to_ns, huge.count) = (u64::MAX / 2, u64::MAX, count);
        snapshot.nodes[0].polls_histogram = vec![huge; 3];
        assert!(snapshot.findings().len() <= 10);
    }
}
