//! The service whose builds `examples/ci.sh` compares: `cargo run --release --example ci`.
//!
//! With `-- slower`, `parse` has twice the work, as after a change that made it slower.
//! The recording is written to the path that follows, `target/diagnose/ci.json` unless one is
//! given.

use std::hint::black_box;
use std::time::Duration;

use diagnose::{diagnose, tokio};
use tokio::time::sleep;

/// Rounds over the input, and so the work of a request.
const ROUNDS: u64 = 2_000;

#[diagnose]
async fn handle(number: u64, rounds: u64) -> u64 {
    parse(number, rounds).await + query().await
}

/// Computes.
#[diagnose]
async fn parse(number: u64, rounds: u64) -> u64 {
    (0..rounds).fold(number, |sum, round| black_box(sum.rotate_left(5) ^ round).wrapping_mul(0x100_0000_01b3))
}

/// Waits, as for a database.
#[diagnose]
async fn query() -> u64 {
    sleep(Duration::from_millis(1)).await;
    1
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), diagnose::Error> {
    let mut arguments = std::env::args().skip(1).peekable();
    let is_slower = arguments.next_if_eq("slower").is_some();
    let path = arguments.next().unwrap_or_else(|| "target/diagnose/ci.json".to_owned());
    let rounds = if is_slower { ROUNDS * 2 } else { ROUNDS };

    let clients = (0..8).map(|client| {
        tokio::spawn(async move {
            for request in 0..1_000 {
                handle(client + request, rounds).await;
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.expect("no task panics");
    }
    println!("wrote {}", diagnose::dump(path)?.display());
    Ok(())
}
