//! A `recv` future that is created again for each poll counts as one wait.

use std::future::{Future, poll_fn};

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use diagnose_reports::model::WaitMode;
use tokio::sync::mpsc;

#[tokio::test]
async fn a_receive_created_anew_for_each_poll_is_a_wait() {
    diagnose_isolation::isolated!();
    let (made, (sender, mut receiver)) = (here(), mpsc::channel::<u8>(1));
    let task = tokio::spawn(poll_fn(move |context| Box::pin(receiver.recv()).as_mut().poll(context)));
    tokio::task::yield_now().await;
    let seen = look();
    let waits = seen.waits(made, WaitMode::Receive);
    assert_eq!((waits.len(), waits[0].wakers, waits[0].is_set_aside), (1, 1, false));
    let waiting = seen.0.tasks.iter().find(|task| Some(task.id) == waits[0].task).unwrap();
    assert_eq!((waiting.wakers, waiting.opaque_wakers), (Some(1), Some(0)));
    sender.send(1).await.unwrap();
    assert_eq!(task.await.unwrap(), Some(1));
    assert!(look().waits(made, WaitMode::Receive).is_empty());
}
