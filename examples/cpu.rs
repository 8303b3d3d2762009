//! A handler that computes for too long on a worker thread: `cargo run --release --example cpu`.
//!
//! `thumbnail` is a plain function without the attribute. Its time is the self time of the handler
//! that calls it, so the finding names `upload`. With `#[diagnose]` on `thumbnail` it would be a
//! function of its own in every report. While one upload computes, the other requests of that
//! worker wait in the queue.

use std::hint::black_box;
use std::time::{Duration, Instant};

use diagnose::{diagnose, tokio};

/// Computes for about 15 ms.
fn thumbnail(image: u64) -> u64 {
    let begun = Instant::now();
    let mut sum = image;
    while begun.elapsed() < Duration::from_millis(15) {
        sum = black_box(sum.wrapping_mul(6_364_136_223_846_793_005).rotate_left(9));
    }
    sum
}

/// The remedy is `tokio::task::spawn_blocking(move || thumbnail(image))`.
#[diagnose]
async fn upload(image: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(1)).await;
    thumbnail(image)
}

#[diagnose]
async fn health() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), diagnose::Error> {
    diagnose::install();
    let uploads = (0..4).map(|client| {
        tokio::spawn(async move {
            for image in 0..80 {
                upload(client * 100 + image).await;
            }
        })
    });
    let checks = (0..8).map(|_| {
        tokio::spawn(async {
            for _ in 0..300 {
                health().await;
            }
        })
    });
    for task in uploads.chain(checks).collect::<Vec<_>>() {
        task.await.expect("no task panics");
    }
    for finding in diagnose::snapshot().findings() {
        println!("{finding}\n");
    }
    println!("wrote {}", diagnose::dump("target/diagnose/cpu.svg")?.display());
    Ok(())
}
