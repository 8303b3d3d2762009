//! A test that fails with the cause instead of hanging: `cargo test --example tests`.
//!
//! `within` panics if its future takes longer than the limit, and the message has the task tree. So
//! a test that deadlocks on a build server fails after two seconds, with the cause in its log.
//! `cargo run --example tests` shows such a message.

use std::time::Duration;

use diagnose::{diagnose, tokio};
use tokio::sync::mpsc;

/// Sums up what it receives, until all senders are gone.
#[diagnose]
async fn sum(mut numbers: mpsc::Receiver<u64>) -> u64 {
    let mut sum = 0;
    while let Some(number) = numbers.recv().await {
        sum += number;
    }
    sum
}

#[cfg(test)]
#[tokio::test]
async fn all_numbers_are_summed_up() {
    let (sender, receiver) = mpsc::channel(8);
    let sum = tokio::spawn(sum(receiver));
    for number in 1..=4 {
        sender.send(number).await.expect("the receiver is alive");
    }
    // Without this line the test would hang: `within` panics, and its message shows the cause.
    drop(sender);
    assert_eq!(diagnose::within(Duration::from_secs(2), sum).await.expect("no panic"), 10);
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (sender, receiver) = mpsc::channel(8);
    sender.send(1).await.expect("the receiver is alive");
    let test = tokio::spawn(async move {
        let sum = tokio::spawn(sum(receiver));
        // The sender is still alive, so `sum` waits forever.
        diagnose::within(Duration::from_millis(200), sum).await
    });
    let panic = test.await.expect_err("the test fails in time");
    assert!(panic.is_panic());
    drop(sender);
}
