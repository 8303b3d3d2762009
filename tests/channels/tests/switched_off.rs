//! While recording is off, channels work and leave no record.

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use tokio::sync::{mpsc, oneshot};

#[tokio::test]
async fn channels_created_while_recording_is_off_are_unknown() {
    diagnose_isolation::isolated!();
    diagnose::set_enabled(false);
    let (made, (sender, mut receiver)) = (here(), mpsc::channel(1));
    let (other, (single, answer)) = (here(), oneshot::channel());
    let task = tokio::spawn(async move {
        single.send(receiver.recv().await).unwrap();
        receiver.recv().await
    });
    tokio::task::yield_now().await;
    assert!(look().made(made).is_none() && look().made(other).is_none());
    diagnose::set_enabled(true);
    sender.send(1).await.unwrap();
    assert_eq!(answer.await, Ok(Some(1)));
    drop(sender);
    assert_eq!(task.await.unwrap(), None);
    assert!(look().0.waits.is_empty());
}
