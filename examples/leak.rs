//! A task per request that never ends: `cargo run --release --example leak`.
//!
//! Each order starts a task that waits for a message that never comes. No order is slow, but memory
//! grows. The finding names the line of the spawn, the number of live tasks, how many more they are
//! than in the snapshot before, and how fast they grow.

use std::time::Duration;

use diagnose::{diagnose, tokio};
use tokio::sync::broadcast;

/// Waits for the event "shipped", which is never sent.
#[diagnose]
async fn notify_customer(order: u64, mut events: broadcast::Receiver<u64>) {
    while let Ok(shipped) = events.recv().await {
        if shipped == order {
            return;
        }
    }
}

#[diagnose]
async fn place_order(order: u64, events: broadcast::Sender<u64>) {
    tokio::time::sleep(Duration::from_millis(2)).await;
    tokio::spawn(notify_customer(order, events.subscribe()));
}

#[tokio::main]
async fn main() -> Result<(), diagnose::Error> {
    diagnose::install();
    let (events, _) = broadcast::channel(16);
    let mut before = diagnose::snapshot();
    for order in 0..600 {
        if order == 200 {
            before = diagnose::snapshot();
        }
        tokio::spawn(place_order(order, events.clone())); // each order in a task, as in a server
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    for finding in diagnose::snapshot().findings_since(&before) {
        println!("{finding}\n");
    }
    println!("wrote {}", diagnose::dump("target/diagnose/leak.txt")?.display());
    Ok(())
}
