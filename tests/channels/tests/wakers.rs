//! `Builder::wakers` selects the futures that get our waker; only those are in a queue.

use diagnose::{Builder, Wakers, tokio};
use tokio::sync::mpsc;

/// While one task receives, returns the number of tasks with a known waker count, and of waits.
async fn known(wakers: Wakers) -> (usize, usize) {
    Builder::new().signal(None).wakers(wakers).reinstall().unwrap();
    let (sender, mut receiver) = mpsc::channel::<u8>(1);
    let task = tokio::spawn(async move { receiver.recv().await });
    tokio::task::yield_now().await;
    let seen = diagnose::snapshot();
    sender.send(7).await.unwrap();
    assert_eq!(task.await.unwrap(), Some(7), "{wakers:?}");
    let is_known = |task: &&diagnose::model::Task| {
        task.state == diagnose::model::RunState::Waiting && task.wakers == Some(1)
    };
    (seen.tasks.iter().filter(is_known).count(), seen.waits.len())
}

#[tokio::test]
async fn only_a_wait_with_a_known_waker_is_in_a_queue() {
    diagnose_isolation::isolated!();
    assert_eq!(known(Wakers::Off).await, (0, 0));
    assert_eq!(known(Wakers::Tasks).await, (1, 0));
    assert_eq!(known(Wakers::All).await, (1, 1));
}
