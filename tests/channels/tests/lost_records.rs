//! Records of channels and tasks that an earlier use of the same record must not leave anything in.

use std::future::poll_fn;
use std::task::Poll;

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use diagnose_reports::model::{RunState, WaitMode};
use tokio::sync::{broadcast, mpsc, watch};

/// The budget of a poll is used up, so tokio lets the task yield, and wakes it. Then it waits.
#[tokio::test]
async fn a_wake_from_before_the_wait_is_no_wake_of_it() {
    diagnose_isolation::isolated!();
    let (sender, mut receiver) = mpsc::channel::<u32>(1);
    let task = tokio::spawn(async move {
        while tokio::task::coop::has_budget_remaining() {
            tokio::task::coop::consume_budget().await;
        }
        receiver.recv().await
    });
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    let seen = look();
    let waits: Vec<_> = seen.0.waits.iter().filter(|wait| wait.mode == WaitMode::Receive).collect();
    assert_eq!(waits.len(), 1);
    assert_eq!(waits[0].woken_ns, None, "it has been polled since");
    sender.send(7).await.unwrap();
    assert_eq!(task.await.unwrap(), Some(7));
}

/// A server converts a receiver for each of its connections.
#[tokio::test]
async fn receivers_that_become_originals_are_listed_once_per_line() {
    diagnose_isolation::isolated!();
    let (made, (sender, _receiver)) = (here(), broadcast::channel::<u32>(16));
    for _ in 0..100 {
        drop(::tokio::sync::broadcast::Receiver::from(sender.subscribe()));
    }
    let seen = look();
    let receivers = seen.resource((made.0, made.1)).holdings.len();
    assert!(receivers <= 4, "{receivers} holdings");
}

/// The first poll clones its waker, and then wakes by that of the poll.
#[tokio::test]
async fn a_wake_of_a_first_poll_does_not_stamp_later_wakes() {
    diagnose_isolation::isolated!();
    let (raw, waits) = ::tokio::sync::oneshot::channel::<()>();
    let sleeper = tokio::spawn(waits);
    tokio::task::yield_now().await;
    let mut clone = None;
    let pool = diagnose::Resource::new("pool", 1);
    let yields = poll_fn(|context| {
        let is_first = clone.is_none();
        clone.get_or_insert_with(|| context.waker().clone());
        if is_first {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    });
    diagnose::wait("a unit", &pool, yields).await;
    raw.send(()).unwrap();
    let seen = look();
    let since = |state| seen.0.tasks.iter().find(|task| task.state == state).map(|task| task.since_ns);
    let (queued, running) = (since(RunState::Queued), since(RunState::Running));
    assert!(queued.is_some() && queued <= running, "it was woken in this poll: {queued:?}, {running:?}");
    sleeper.await.unwrap().unwrap();
}

/// The record of the borrow is used again for the clone.
#[tokio::test]
async fn a_receiver_that_was_borrowed_and_cloned_is_borrowed_no_more() {
    diagnose_isolation::isolated!();
    let (made, (sender, receiver)) = (here(), watch::channel(0));
    assert_eq!(*receiver.borrow(), 0);
    let _clone = receiver.clone();
    for value in 1..=100 {
        sender.send(value).unwrap();
    }
    assert_eq!(look().resource((made.0, made.1)).usage.contended, 0);
}

/// Nobody else uses the channel.
#[test]
fn a_thread_that_finds_a_free_slot_does_not_wait_for_one() {
    diagnose_isolation::isolated!();
    let (made, (sender, mut receiver)) = (here(), mpsc::channel(1));
    for message in 0..100 {
        sender.blocking_send(message).unwrap();
        assert_eq!(receiver.blocking_recv(), Some(message));
    }
    assert_eq!(look().resource((made.0, made.1)).usage.contended, 0);
}
