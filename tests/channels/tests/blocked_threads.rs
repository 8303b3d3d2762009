//! A thread blocked by a channel is recorded.

use diagnose::tokio;
use diagnose_channels_tests::{Seen, here, look};
use diagnose_reports::model::{Role, WaitMode};
use std::thread;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Takes snapshots until one is as expected.
fn until(expected: impl Fn(&Seen) -> bool) -> Seen {
    loop {
        let seen = look();
        if expected(&seen) {
            return seen;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_thread_waits_for_a_message() {
    diagnose_isolation::isolated!();
    let (made, (sender, mut receiver)) = (here(), mpsc::channel(1));
    let blocked = thread::spawn(move || receiver.blocking_recv());
    let seen = until(|seen| !seen.waits(made, WaitMode::Receive).is_empty());
    assert!(seen.waits(made, WaitMode::Receive)[0].thread_id.is_some());
    sender.blocking_send(3).unwrap();
    assert_eq!(blocked.join().unwrap(), Some(3));
}

#[test]
fn a_borrow_of_a_watched_value_blocks_the_sender_and_the_next_borrower() {
    diagnose_isolation::isolated!();
    let (made, (sender, receiver)) = (here(), watch::channel(0));
    let borrowed = receiver.borrow();
    let late = receiver.clone();
    assert_eq!(look().holdings(made, Role::Holds).len(), 1);
    thread::scope(|scope| {
        scope.spawn(|| sender.send(1).unwrap());
        let seen = until(|seen| !seen.waits(made, WaitMode::Send).is_empty());
        assert!(seen.waits(made, WaitMode::Send)[0].thread_id.is_some());
        scope.spawn(|| *late.borrow());
        let both = |seen: &Seen| {
            !seen.waits(made, WaitMode::Read).is_empty() || seen.holdings(made, Role::Holds).len() == 2
        };
        until(both);
        drop(borrowed);
    });
    let seen = look();
    assert!(seen.waits(made, WaitMode::Send).is_empty() && seen.waits(made, WaitMode::Read).is_empty());
    assert!(seen.holdings(made, Role::Holds).is_empty());
    assert_eq!(*receiver.borrow(), 1);
}

#[test]
fn values_that_are_borrowed_at_the_same_time_are_counted() {
    diagnose_isolation::isolated!();
    let (made, (sender, receiver)) = (here(), watch::channel(0));
    let first = receiver.borrow();
    let second = receiver.borrow();
    drop(first);
    thread::scope(|scope| {
        scope.spawn(|| sender.send(1).unwrap());
        until(|seen| !seen.waits(made, WaitMode::Send).is_empty());
        drop(second);
    });
    assert!(look().waits(made, WaitMode::Send).is_empty());
}
