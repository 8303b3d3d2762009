//! tokio's receiver keeps the waker of a `recv` that was given up. Whether that wakes anybody for something is on record.

use std::future::{Future, poll_fn};
use std::task::Poll;

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use diagnose_reports::{Confidence, Mode, VerdictKind};
use tokio::sync::{Mutex, mpsc};

/// ```text
/// polls    1                2                3
///          lock, recv ····· recv, given up;  lock, which it holds
/// ```
#[tokio::test]
async fn a_receive_that_was_given_up_wakes_for_nothing() {
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
    for _ in 0..4 {
        tokio::task::yield_now().await;
    }
    let seen = look();
    assert!(seen.waits(made_channel, Mode::Receive).is_empty());
    let own = seen.waits(made, Mode::Lock)[0].task;
    let waiting = seen.0.tasks.iter().find(|task| Some(task.id) == own).unwrap();
    assert_eq!((waiting.wakers, waiting.opaque_wakers), (Some(2), Some(0)));
    let verdicts = seen.0.verdicts();
    let verdict = verdicts.iter().find(|it| it.chain.iter().any(|link| Some(link.id) == own)).unwrap();
    assert_eq!((verdict.confidence, verdict.kind), (Confidence::Proven, VerdictKind::SelfWait));
    // The waker is kept all the same.
    sender.send(1).await.unwrap();
    assert!(!task.is_finished());
    task.abort();
}

#[tokio::test]
async fn a_receive_that_is_made_anew_for_each_poll_is_waited_for() {
    let (made, (sender, mut receiver)) = (here(), mpsc::channel::<u8>(1));
    let task = tokio::spawn(poll_fn(move |context| Box::pin(receiver.recv()).as_mut().poll(context)));
    tokio::task::yield_now().await;
    let seen = look();
    let waits = seen.waits(made, Mode::Receive);
    assert_eq!((waits.len(), waits[0].wakers, waits[0].is_parked), (1, 1, false));
    let waiting = seen.0.tasks.iter().find(|task| Some(task.id) == waits[0].task).unwrap();
    assert_eq!((waiting.wakers, waiting.opaque_wakers), (Some(1), Some(0)));
    sender.send(1).await.unwrap();
    assert_eq!(task.await.unwrap(), Some(1));
    assert!(look().waits(made, Mode::Receive).is_empty());
}
