//! Tasks that tokio itself spawns, counted beside the recorded ones.

use std::future::pending;

use diagnose::{diagnose, tokio};
use diagnose_channels_tests::{Seen, look};
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tokio::task::yield_now;

/// Keeps a clone of the waker, so that the executor's is known.
#[diagnose]
async fn waits() {
    ::tokio::sync::Notify::new().notified().await;
}

/// Takes snapshots until this many roots wait, and returns the last one.
async fn look_at(roots: usize) -> Seen {
    loop {
        let seen = look();
        let is_waiting = |task: &&diagnose::model::Task| task.is_unspawned && task.wakers > Some(0);
        if seen.0.tasks.iter().filter(is_waiting).count() == roots {
            return seen;
        }
        yield_now().await;
    }
}

// raw task 1   ├ waits, waits, waits ─▶     three roots on record, one task
// raw task 2   ├ waits ──────────────▶
// raw task 3   ├────────────────────▶
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn roots_that_one_raw_task_polls_stand_for_one_task() {
    diagnose_isolation::isolated!();
    ::tokio::spawn(async { ::tokio::join!(waits(), waits(), waits()) });
    ::tokio::spawn(waits());
    ::tokio::spawn(pending::<()>());
    assert_eq!(look_at(4).await.0.unrecorded_tasks, 1);
}

// raw task 1   ├ waits, waits, waits ─▶     each is polled with a waker of the combinator
// raw task 2   ├────────────────────▶
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn roots_with_wakers_of_a_combinator_stand_for_no_task() {
    diagnose_isolation::isolated!();
    ::tokio::spawn(async {
        let mut all: FuturesUnordered<_> = (0..3).map(|_| waits()).collect();
        all.next().await;
    });
    ::tokio::spawn(pending::<()>());
    assert_eq!(look_at(3).await.0.unrecorded_tasks, 2);
}
