//! The rule `hog` on many workers, on the thread `main`, beside another hog, and at blocking locks.

use crate::findings_locks::add_mutex;
use crate::findings_polls::{on_one_worker, rules};
use diagnose_reports::Snapshot;
use diagnose_reports::model::{SiteIndex, SiteKind, Task, TaskId};

const SECOND: u64 = 1_000_000_000;

/// Ten seconds of 8 workers on which `thumb` computes 30 ms in each of its polls.
#[test]
fn a_hog_that_is_a_small_part_of_many_workers_is_found() {
    let thumbs = |polls: u64, bucket: &str, each_ms: u64| {
        let busy = polls * each_ms * 1_000_000;
        let mut snapshot = on_one_worker(
            &format!(
                "thumb | calls={polls} completed={polls} polls={polls} busy={busy} idle=9_000_000_000 polls@{bucket}={polls}"
            ),
            busy,
        );
        (snapshot.workers[0].listed_ns, snapshot.workers[0].busy_ns) = (10 * SECOND, busy);
        for _ in 1..8 {
            let mut worker = snapshot.workers[0].clone();
            (worker.cpu_ns, worker.busy_ns, worker.thread_id) = (Some(0), 0, None);
            snapshot.workers.push(worker);
        }
        rules(&snapshot)
    };
    assert_eq!(thumbs(100, "16777216..33554432", 30), ["hog"], "3.75 % of the time of all workers");
    assert_eq!(thumbs(19, "16777216..33554432", 30), [""; 0], "seldom");
    assert_eq!(thumbs(300, "4194304..8388608", 8), [""; 0], "3 % of their time, in short polls");
}

/// A command that computes 30 ms for each of a hundred files. Its runtime is not on record.
#[test]
fn the_main_of_a_command_delays_nobody() {
    let command = |change: fn(&mut Snapshot)| {
        let mut snapshot = on_one_worker(
            "main | calls=1 pending=1 polls=101 busy=3_000_000_000 idle=1_000_000_000\n  \
             run | calls=1 pending=1 polls=101 busy=3_000_000_000 idle=1_000_000_000 polls@16777216..33554432=100",
            0,
        );
        snapshot.workers.clear();
        snapshot.nodes[0].is_unspawned = true;
        let thread = &mut snapshot.threads[0];
        (thread.nodes, thread.cpu_ns, thread.delayed_ns) = (2, Some(3 * SECOND), Some(0));
        change(&mut snapshot);
        rules(&snapshot)
    };
    assert_eq!(command(|_| ()), [""; 0]);
    assert_eq!(command(|it| it.threads[0].name = "tokio-rt-worker".into()), ["hog"], "others wait for it");
    assert_eq!(command(|it| it.nodes[0].calls = 2), ["hog"], "there is another task");
    assert_eq!(command(|it| it.nodes[0].is_unspawned = false), ["hog"], "a task that was spawned");
}

/// `main` builds an index, which takes 3 s of CPU. Requests wait for a worker for other reasons.
#[test]
fn waits_for_workers_are_not_due_to_a_task_that_its_thread_blocks_on() {
    let build = |change: fn(&mut Snapshot)| {
        let mut snapshot = on_one_worker(
            "main | calls=1 pending=1 polls=101 busy=3_000_000_000 idle=7_000_000_000\n  \
             build | calls=1 pending=1 polls=101 busy=3_000_000_000 idle=7_000_000_000 polls@16777216..33554432=100\n\
             get | calls=1000 completed=1000 polls=2000 busy=100_000_000 queued=2_000_000_000 idle=5_000_000_000",
            SECOND / 10,
        );
        (snapshot.workers[0].listed_ns, snapshot.workers[0].busy_ns) = (10 * SECOND, SECOND / 10);
        let mut main = Task::default();
        (main.id, main.site, main.thread_id) = (TaskId::new(1), SiteIndex::new(0), Some(1));
        snapshot.tasks.push(main);
        change(&mut snapshot);
        rules(&snapshot).len()
    };
    assert_eq!(build(|_| ()), 0);
    assert_eq!(build(|it| it.tasks[0].thread_id = Some(7)), 1, "the worker is that thread");
    assert_eq!(build(|it| it.tasks[0].runtime_number = 1), 1, "a worker may have polled it");
    assert_eq!(build(|it| it.tasks[0].is_unspawned = true), 1, "its thread is unknown");
    assert_eq!(build(|it| it.nodes[0].calls = 2), 1, "one of them has ended");
}

/// `resize` blocks for longer than `sign` computes.
#[test]
fn a_second_hog_counts_beside_the_first() {
    let both = |sign_ms: u64| {
        let sign = sign_ms * 1_000_000;
        let all = 5 * SECOND + sign;
        let polls = sign_ms / 25;
        let drawing = format!(
            "get | calls=100 completed=100 polls=100 busy={all} queued=9_000_000_000 idle=9_000_000_000\n  \
             resize | calls=50 completed=50 polls=50 busy=5_000_000_000 polls@67108864..134217728=50\n  \
             sign | calls={polls} completed={polls} polls={polls} busy={sign} polls@16777216..33554432={polls}"
        );
        rules(&on_one_worker(&drawing, all)).len()
    };
    assert_eq!([both(1_000), both(100)], [2, 1], "17 % of all busy time, and 2 %");
}

/// A thread holds a lock of std for 60 ms, 70 times; 100 of the requests wait for it in a poll.
#[test]
fn polls_that_wait_for_a_lock_are_explained_by_it() {
    let hits = |at: &str, waited_ms: u64| {
        let mut snapshot = on_one_worker(
            "hit | calls=1000 completed=1000 polls=2000 busy=5_000_000_000 queued=2_000_000_000 idle=9_000_000_000 \
             polls@33554432..67108864=100\n  \
             sleep(PAUSE).await | calls=1000 completed=1000 polls=2000 idle=9_000_000_000 self_idle=9_000_000_000",
            SECOND,
        );
        snapshot.sites[1].kind = SiteKind::Await;
        add_mutex(&mut snapshot, at, 100, waited_ms, 4_200);
        rules(&snapshot)
    };
    assert_eq!(hits("hit", 4_900), ["contended"]);
    assert_eq!(hits("hit", 2_400), ["hog", "contended"], "half of the polls are long without it");
    assert_eq!(hits("sleep(PAUSE).await", 4_900), ["hog", "contended"], "it is awaited");
}
