//! A wait for room shows its place, the waiters ahead, and the receiver's task.

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use diagnose_reports::model::{ResourceKind, Role, WaitMode};
use tokio::sync::mpsc;

#[tokio::test]
async fn a_sender_waits_for_capacity_that_the_receiver_can_free() {
    diagnose_isolation::isolated!();
    let (made, (sender, mut receiver)) = (here(), mpsc::channel(1));
    sender.send(1).await.unwrap();
    let (sent, other) = (here(), sender.clone());
    let line = sent.1 + 3;
    let task = tokio::spawn(async move {
        other.send(2).await.unwrap();
    });
    tokio::task::yield_now().await;

    let seen = look();
    let channel = seen.resource(made);
    assert_eq!((channel.kind, channel.library.as_str()), (ResourceKind::Mpsc, "tokio"));
    assert_eq!((channel.capacity, channel.filled, channel.free, channel.is_closed), (Some(1), 1, 0, false));
    let waits = seen.waits(made, WaitMode::Send);
    assert_eq!(waits.len(), 1);
    assert_eq!(waits[0].place.as_ref().unwrap().line, line);
    assert!(!waits[0].is_granted && waits[0].woken_ns.is_none());
    assert_eq!(seen.holdings(made, Role::Sends).len(), 2);
    assert_eq!(seen.holdings(made, Role::Receives).len(), 1);

    assert_eq!(receiver.recv().await, Some(1));
    let seen = look();
    assert!(seen.waits(made, WaitMode::Send)[0].is_granted, "the place is handed on");
    assert_eq!((seen.resource(made).filled, seen.resource(made).free), (0, 0));
    task.await.unwrap();
    assert_eq!(receiver.recv().await, Some(2));
    drop((sender, receiver));
    assert!(look().made(made).is_none(), "it is gone");
}

#[tokio::test]
async fn the_waits_of_a_bounded_channel_are_those_for_a_free_slot() {
    diagnose_isolation::isolated!();
    let (made, (sender, mut receiver)) = (here(), mpsc::channel(1));
    let sends = tokio::spawn(async move {
        for number in 0..10 {
            tokio::task::yield_now().await;
            sender.send(number).await.unwrap();
        }
        sender
    });
    // The receiver waits for each message, and no sender for a slot.
    for number in 0..10 {
        assert_eq!(receiver.recv().await, Some(number));
    }
    let sender = sends.await.unwrap();
    assert_eq!(look().resource(made).usage.waited, 0);
    let sends = tokio::spawn(async move {
        for number in 0..10 {
            sender.send(number).await.unwrap();
        }
    });
    for number in 0..10 {
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
        assert_eq!(receiver.recv().await, Some(number));
    }
    sends.await.unwrap();
    assert!(look().resource(made).usage.waited >= 5);
    drop(receiver);
}

#[tokio::test]
async fn a_sender_that_std_cloned_has_no_place() {
    diagnose_isolation::isolated!();
    let (made, (sender, _receiver)) = (here(), mpsc::channel::<u64>(1));
    let sender = Some(sender);
    let other = sender.clone();
    let seen = look();
    let senders = seen.holdings(made, Role::Sends);
    assert_eq!(senders.len(), 2);
    for it in senders {
        assert!(it.place.as_ref().is_none_or(|place| place.file == file!()), "{:?}", it.place);
    }
    drop(other);
}

#[tokio::test]
async fn reserved_capacity_is_held() {
    diagnose_isolation::isolated!();
    let (made, (sender, mut receiver)) = (here(), mpsc::channel(3));
    let mut permits = sender.reserve_many(2).await.unwrap();
    let one = permits.next().unwrap();
    let seen = look();
    let holds = seen.holdings(made, Role::Holds);
    assert_eq!(holds.iter().map(|holding| holding.units).collect::<Vec<_>>(), [1, 1]);
    assert_eq!((seen.resource(made).filled, seen.resource(made).free), (0, 1));
    one.send(1);
    drop(permits);
    let seen = look();
    assert!(seen.holdings(made, Role::Holds).is_empty());
    assert_eq!((seen.resource(made).filled, seen.resource(made).free), (1, 2));
    assert_eq!(receiver.recv().await, Some(1));
    let owned = sender.try_reserve_owned().unwrap();
    assert_eq!(look().holdings(made, Role::Holds).len(), 1);
    drop(owned);
    assert!(look().holdings(made, Role::Sends).is_empty(), "the sender was in it");
}

#[tokio::test(start_paused = true)]
async fn a_wake_by_the_timer_is_not_taken_for_free_capacity() {
    diagnose_isolation::isolated!();
    let (made, (sender, receiver)) = (here(), mpsc::channel(1));
    sender.send(1).await.unwrap();
    let mut sending = Box::pin(sender.send_timeout(2, std::time::Duration::from_millis(5)));
    let polled =
        std::future::poll_fn(|context| std::task::Poll::Ready(sending.as_mut().poll(context).is_pending()));
    assert!(polled.await);
    ::tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    let seen = look();
    let wait = seen.waits(made, WaitMode::Send)[0].clone();
    assert!(!wait.is_granted && wait.woken_ns.is_none());
    assert!(sending.await.is_err());
    assert!(look().waits(made, WaitMode::Send).is_empty());
    drop(receiver);
}
