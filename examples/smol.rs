//! Tasks that wait for a full channel on smol: `cargo run --release --example smol`.
//!
//! `diagnose::smol` re-exports smol and records its tasks. The feature `async-channel` also records
//! its channels. The consumer is slower than the producers, so the report lists the producers as
//! waiters of the full channel.

use std::time::Duration;

use diagnose::diagnose;
use diagnose::smol::{self, Timer, channel};

#[diagnose]
async fn produce(items: channel::Sender<u64>, producer: u64) {
    for item in 0..20 {
        if items.send(producer * 100 + item).await.is_err() {
            return;
        }
    }
}

#[diagnose]
async fn consume(items: channel::Receiver<u64>) -> u64 {
    let mut sum = 0;
    while let Ok(item) = items.recv().await {
        Timer::after(Duration::from_millis(2)).await;
        sum += item;
    }
    sum
}

fn main() -> Result<(), diagnose::Error> {
    diagnose::install();
    let (sender, receiver) = channel::bounded(4);
    let consumer = smol::spawn(consume(receiver));
    for producer in 0..4 {
        smol::spawn(produce(sender.clone(), producer)).detach();
    }
    drop(sender);
    smol::block_on(async {
        Timer::after(Duration::from_millis(50)).await;
        println!("{}", diagnose::tree());
        println!("{}", diagnose::waiters());
        println!("sum {}", consumer.await);
    });
    println!("wrote {}", diagnose::dump("target/diagnose/smol.txt")?.display());
    Ok(())
}
