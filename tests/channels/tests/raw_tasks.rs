//! Tasks that tokio itself spawns, counted beside the recorded ones.

use std::future::pending;

use diagnose::{diagnose, tokio};
use diagnose_channels_tests::look;
use tokio::task::yield_now;

/// Keeps a clone of the waker, so that the executor's is known.
#[diagnose]
async fn waits() {
    ::tokio::sync::Notify::new().notified().await;
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
    let seen = loop {
        let seen = look();
        let is_waiting = |task: &&diagnose::model::Task| task.is_unspawned && task.wakers > Some(0);
        if seen.0.tasks.iter().filter(is_waiting).count() == 4 {
            break seen;
        }
        yield_now().await;
    };
    assert_eq!(seen.0.unrecorded_tasks, 1);
}
