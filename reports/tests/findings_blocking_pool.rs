//! The rule `blocking_pool` on drawn jobs: how many threads, who waits for one, and for how long.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{BlockingPool, RunState, SiteIndex, Task, TaskId, TaskKind};

use crate::support::tree;

const MS: u64 = 1_000_000;

/// A pool of two threads with `running` jobs, and `waiting` jobs that were spawned one after the
/// other by `spawners` tasks, the oldest `oldest_ms` ago, the youngest `youngest_ms` ago.
fn jobs(running: u64, waiting: u64, spawners: u64, oldest_ms: u64, youngest_ms: u64) -> Snapshot {
    let mut snapshot = tree("read_blob | calls=400 completed=398 polls=400 busy=23_800_000_000");
    snapshot.elapsed_ns = 12_000 * MS;
    let mut pool = BlockingPool::default();
    (pool.runtime_number, pool.threads) = (1, 2);
    snapshot.blocking_pools.push(pool);
    for number in 0..running + waiting {
        let mut job = Task::default();
        (job.id, job.site, job.kind) = (TaskId::new(number + 1), SiteIndex::new(0), TaskKind::Blocking);
        (job.runtime_number, job.state, job.since_ns) = (1, RunState::Running, 30 * MS);
        if let Some(place) = number.checked_sub(running) {
            job.state = RunState::Unpolled;
            job.spawned_by = Some(TaskId::new(1_000 + place % spawners));
            job.since_ns = (oldest_ms - (oldest_ms - youngest_ms) * place / (waiting - 1)) * MS;
        }
        snapshot.tasks.push(job);
    }
    snapshot
}

fn sentences(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn a_pool_whose_jobs_come_faster_than_they_run_is_found() {
    let findings = sentences(&jobs(2, 25, 25, 748, 10));
    let [finding] = &findings[..] else { panic!("one finding: {findings:?}") };
    assert!(
        finding.starts_with(
            "all 2 threads for blocking jobs are busy, most with `read_blob` (src/main.rs:1); 25 more jobs wait for \
             one, the oldest for 748 ms. Next: make these jobs shorter"
        ),
        "{finding}"
    );
}

#[test]
fn a_pool_with_a_free_thread_or_a_short_queue_is_healthy() {
    assert_eq!(sentences(&jobs(1, 25, 25, 748, 10)), [""; 0], "a thread is free");
    assert_eq!(sentences(&jobs(2, 9, 9, 748, 10)), [""; 0], "a short queue");
    assert_eq!(sentences(&jobs(2, 25, 25, 99, 10)), [""; 0], "a short wait");
}

#[test]
fn a_batch_of_jobs_waits_in_turn_by_design() {
    assert_eq!(sentences(&jobs(2, 25, 25, 748, 400)), [""; 0], "all were spawned at once");
    assert_eq!(sentences(&jobs(2, 25, 3, 748, 10)), [""; 0], "a few tasks spawn them");
}
