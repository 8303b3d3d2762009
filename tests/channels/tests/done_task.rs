//! Where the ends of a channel are that a task has made which is done. One test: a thread that begins later may have them.

use std::time::{Duration, Instant};

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use diagnose_reports::model::{Attribution, Holding, Role, TaskId, WaitMode};
use tokio::sync::mpsc;

/// The task that has both ends, and its sender.
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
async fn they_are_likely_with_those_that_it_has_spawned() {
    diagnose_isolation::isolated!();
    let began = Instant::now();
    let (mut task, mut sender) = sender_of_a_done_task().await;
    // The kernel tells roughly when the thread of the harness began: as long as that may be later, nobody knows.
    while sender.attribution == Attribution::Unknown && began.elapsed() < Duration::from_secs(60) {
        (task, sender) = sender_of_a_done_task().await;
    }
    assert_eq!((sender.attribution, &*sender.candidates), (Attribution::Likely, &[task][..]));
}
