//! Calls that are dropped before they are ready: `cargo run --release --example cancel`.
//!
//! A time limit of 20 ms around a query of 5 to 40 ms: half of the work is thrown away. The finding
//! says how many calls of `query` are cancelled and after how long. The tables count completed and
//! cancelled calls separately.

use std::time::Duration;

use diagnose::{diagnose, tokio};
use tokio::time::{sleep, timeout};

#[diagnose]
async fn query(number: u64) -> u64 {
    sleep(Duration::from_millis(5 + number % 8 * 5)).await;
    number
}

#[diagnose]
async fn handle(number: u64) -> Option<u64> {
    timeout(Duration::from_millis(20), query(number)).await.ok()
}

#[tokio::main]
async fn main() -> Result<(), diagnose::Error> {
    diagnose::install();
    let clients = (0..16).map(|client| {
        tokio::spawn(async move {
            let mut answered = 0;
            for request in 0..40 {
                answered += u64::from(handle(client + request).await.is_some());
            }
            answered
        })
    });
    let mut answered = 0;
    for client in clients.collect::<Vec<_>>() {
        answered += client.await.expect("no task panics");
    }
    println!("{answered} of 640 requests answered in time\n");
    for finding in diagnose::snapshot().findings() {
        println!("{finding}\n");
    }
    println!("wrote {}", diagnose::dump("target/diagnose/cancel.txt")?.display());
    Ok(())
}
