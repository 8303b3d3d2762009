//! Messages of a broadcast channel that slow receivers miss.

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use diagnose_reports::model::{Place, ResourceKind, Role, Usage};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::broadcast::{self, Receiver, Sender};

/// The use of the only broadcast channel.
fn usage() -> Usage {
    let seen = look();
    let mut channels = seen.0.resources.iter().filter(|it| it.kind == ResourceKind::Broadcast);
    let usage = channels.next().expect("it is alive").usage.clone();
    assert!(channels.next().is_none());
    usage
}

fn fill(sender: &Sender<u32>, messages: u32) {
    (0..messages).for_each(|message| drop(sender.send(message)));
}

/// A channel for four messages, with ten sent.
fn lagging() -> (Sender<u32>, Receiver<u32>) {
    let (sender, receiver) = broadcast::channel(4);
    fill(&sender, 10);
    (sender, receiver)
}

// sent      0 1 2 3 4 5 6 7 8 9
// missed    ├─────────┤
#[tokio::test]
async fn a_receiver_that_lags_misses_messages_where_it_receives() {
    diagnose_isolation::isolated!();
    let (sender, mut receiver) = lagging();
    assert_eq!(usage().missed, 0);
    let (at, received) = (here(), receiver.recv().await);
    assert_eq!(received, Err(RecvError::Lagged(6)));
    assert_eq!(receiver.recv().await, Ok(6));
    let seen = usage();
    assert_eq!((seen.acquisitions, seen.missed), (10, 6));
    assert_eq!(seen.missed_at.as_ref().map(|it: &Place| it.line), Some(at.1));
    fill(&sender, 9);
    assert_eq!((usage().missed, receiver.try_recv()), (6, Err(TryRecvError::Lagged(8))));
    assert_eq!(usage().missed, 14);
    assert!(usage().waiters.is_empty(), "nobody waited for a lock");
}

/// A receiver that is half as fast as the sender gets an error for every message.
#[tokio::test]
async fn a_receiver_that_lags_again_and_again_uses_only_what_it_gets() {
    diagnose_isolation::isolated!();
    let (sender, mut receiver) = lagging();
    for _ in 0..100 {
        assert!(matches!(receiver.recv().await, Err(RecvError::Lagged(_))));
        receiver.recv().await.unwrap();
        fill(&sender, 2);
    }
    let seen = look();
    let channel = seen.0.resources.iter().find(|it| it.kind == ResourceKind::Broadcast).unwrap();
    let uses = channel.holdings.iter().find(|end| end.role == Role::Receives).unwrap().uses;
    // The first error counts too: it says who has the receiver.
    assert_eq!((uses, channel.usage.missed, channel.usage.acquisitions), (101, 6 + 99, 210));
    let findings = seen.0.findings();
    let [finding] = &findings[..] else { panic!("one finding: {findings:?}") };
    assert!(finding.sentence.contains("missed 105 messages"), "{finding}");
}

#[tokio::test]
async fn a_thread_that_lags_misses_messages_too() {
    diagnose_isolation::isolated!();
    let (_sender, mut receiver) = lagging();
    let received = std::thread::spawn(move || (receiver.blocking_recv(), receiver)).join().unwrap();
    assert_eq!(received.0, Err(RecvError::Lagged(6)));
    assert_eq!(usage().missed, 6);
}

#[tokio::test]
async fn a_reset_forgets_what_was_missed() {
    diagnose_isolation::isolated!();
    let (sender, mut receiver) = lagging();
    assert!(receiver.recv().await.is_err());
    diagnose::reset();
    let seen = usage();
    assert_eq!((seen.acquisitions, seen.missed, seen.missed_at), (0, 0, None));
    fill(&sender, 5);
    assert_eq!(receiver.recv().await, Err(RecvError::Lagged(5)));
    assert_eq!((usage().acquisitions, usage().missed), (5, 5));
}

// thread    ├ send, receive: 5 times ┤ nothing waits
#[test]
fn a_message_that_is_there_is_received_without_a_wait_and_not_kept() {
    diagnose_isolation::isolated!();
    let (sender, mut receiver) = broadcast::channel(4);
    for message in 0..5 {
        sender.send(message).unwrap();
        assert_eq!(receiver.blocking_recv(), Ok(message));
    }
    let seen = look();
    let mut channels = seen.0.resources.iter().filter(|it| it.kind == ResourceKind::Broadcast);
    let channel = channels.next().expect("it is alive");
    assert_eq!((channel.usage.acquisitions, channel.usage.contended, channel.filled), (5, 0, 0));
}
