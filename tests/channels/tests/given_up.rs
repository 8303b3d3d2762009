//! tokio's receiver keeps the waker of a canceled `recv`. Records show if it wakes a task in vain.

use std::future::{Future, poll_fn};
use std::task::Poll;

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use diagnose_reports::model::WaitMode;
use diagnose_reports::{Confidence, VerdictKind};
use tokio::sync::{Mutex, mpsc};

/// ```text
/// polls    1                2                3
///          lock, recv ····· recv, given up;  lock, which it holds
/// ```
#[tokio::test]
async fn a_canceled_receive_wakes_its_task_in_vain() {
    diagnose_isolation::isolated!();
    let (made, lock) = (here(), Mutex::new(()));
    let (made_channel, (sender, mut receiver)) = (here(), mpsc::channel::<u8>(1));
    let task = tokio::spawn(async move {
        let _guard = lock.lock().await;
        let mut receiving = Box::pin(receiver.recv());
        let mut polls = 0;
        poll_fn(|context| {
            polls += 1;
            context.waker().wake_by_ref();
            assert!(receiving.as_mut().poll(context).is_pending());
            if polls == 2 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        drop(receiving);
        drop(lock.lock().await);
        receiver.recv().await
    });
    // The owner of the handle could abort the task.
    drop(task);
    for _ in 0..4 {
        tokio::task::yield_now().await;
    }
    let seen = look();
    assert!(seen.waits(made_channel, WaitMode::Receive).is_empty());
    let own = seen.waits(made, WaitMode::Lock)[0].task;
    let waiting = seen.0.tasks.iter().find(|task| Some(task.id) == own).unwrap();
    assert_eq!((waiting.wakers, waiting.opaque_wakers), (Some(2), Some(0)));
    let verdicts = seen.0.verdicts();
    let verdict = verdicts.iter().find(|it| it.chain.iter().any(|link| link.task() == own)).unwrap();
    assert_eq!((verdict.confidence, verdict.kind), (Confidence::Proven, VerdictKind::SelfWait));
    // The receiver still keeps the waker.
    sender.send(1).await.unwrap();
    assert!(look().0.tasks.iter().any(|task| Some(task.id) == own), "it has not ended");
}
