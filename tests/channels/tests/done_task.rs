//! Channel ends of a finished task are likely with the tasks that it spawned, and guards may have
//! been returned.
//!
//! Each is the only test of its process, as a thread that starts later may own the ends too.

use std::time::{Duration, Instant};

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use diagnose_reports::model::{Attribution, Holding, Role, TaskId, WaitMode};
use tokio::sync::{Mutex, mpsc};

/// Returns the task that owns both ends, and the sender's holding.
async fn sender_of_a_done_task() -> (TaskId, Holding) {
    let start = tokio::spawn(async move {
        let (made, (sender, mut receiver)) = (here(), mpsc::channel::<u8>(1));
        let spawned = tokio::spawn(async move {
            let received = receiver.recv().await;
            drop(sender);
            received
        });
        (made, spawned)
    });
    let (made, spawned) = start.await.unwrap();
    tokio::task::yield_now().await;
    let seen = look();
    spawned.abort();
    (seen.waits(made, WaitMode::Receive)[0].task.unwrap(), seen.holdings(made, Role::Sends)[0].clone())
}

#[tokio::test]
async fn senders_of_a_done_task_are_likely_with_the_tasks_it_spawned() {
    diagnose_isolation::isolated!();
    let began = Instant::now();
    let (mut task, mut sender) = sender_of_a_done_task().await;
    // The harness thread's start time is coarse: while it may be later, the owner is unknown.
    while sender.attribution == Attribution::Unknown && began.elapsed() < Duration::from_secs(60) {
        (task, sender) = sender_of_a_done_task().await;
    }
    assert_eq!((sender.attribution, &*sender.candidates), (Attribution::Likely, &[task][..]));
}

#[test]
fn a_guard_that_block_on_returns_was_not_forgotten() {
    diagnose_isolation::isolated!();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (made, lock) = (here(), Mutex::new(0));
    let attribution = |made| look().holdings(made, Role::Holds)[0].attribution;
    runtime.block_on(async { std::mem::forget(lock.lock().await) });
    assert_eq!(attribution(made), Attribution::Exact, "forgotten");
    let (made, lock) = (here(), Mutex::new(0));
    let guard = runtime.block_on(async { lock.lock().await });
    assert_eq!(attribution(made), Attribution::Unknown, "with the caller");
    drop(guard);
}
