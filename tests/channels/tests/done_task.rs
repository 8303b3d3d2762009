//! Channel ends of a finished task are likely with the tasks that it spawned, and guards may have
//! been returned.
//!
//! Each is the only test of its process, as a thread that starts later may own the ends too.

use std::sync::Arc;
use std::time::{Duration, Instant};

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use diagnose_reports::model::{Attribution, Holding, Role, TaskId, WaitMode};
use tokio::sync::{Mutex, broadcast, mpsc};

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
    assert_eq!(attribution(made), Attribution::Likely, "forgotten, or handed on by code that is not known");
    let (made, lock) = (here(), Mutex::new(0));
    let guard = runtime.block_on(async { lock.lock().await });
    assert_eq!(attribution(made), Attribution::Unknown, "with the caller");
    drop(guard);
}

/// A map of senders lends them to the tasks that subscribe. The creator has none of them itself.
#[tokio::test]
async fn a_task_that_subscribes_did_not_use_the_sender_last() {
    diagnose_isolation::isolated!();
    let (made, sender) = (here(), Arc::new(broadcast::Sender::<u8>::new(1)));
    let creator = diagnose::snapshot().tasks[0].id;
    let lent = sender.clone();
    let receiver = tokio::spawn(async move { lent.subscribe() }).await.unwrap();
    let last = |role| look().holdings(made, role)[0].task;
    assert_eq!(last(Role::Sends), Some(creator));
    assert_ne!(last(Role::Receives), Some(creator));
    let lent = sender.clone();
    tokio::spawn(async move { lent.send(1).map(drop) }).await.unwrap().unwrap();
    assert_ne!(last(Role::Sends), Some(creator), "sending is a use");
    drop(receiver);
}
