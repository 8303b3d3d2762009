//! A pipeline with back-pressure: a source faster than its sink, stages with small buffers,
//! blocking work, and a bounded fan-out. The sink pauses for longer than the watchdog's threshold,
//! so that everything before it waits.
//!
//! Not annotated: the fan-out, and the stage before it.

use std::sync::Arc;
use std::time::Duration;

use diagnose::tokio::sync::{Barrier, Notify, Semaphore, mpsc};
use diagnose::tokio::task::{JoinSet, spawn_blocking};
use diagnose::tokio::time::sleep;
use diagnose::{async_channel, diagnose, tokio};
use futures::{StreamExt as _, stream};

use crate::Load;

const DECODERS: u64 = 4;

/// An item of the pipeline.
struct Batch {
    number: u64,
    sum: u64,
}

pub(crate) async fn run(load: Arc<Load>) {
    let (raw, decode_from) = async_channel::bounded(8);
    let (decoded, stored_from) = mpsc::channel(4);
    let (stored, sunk_from) = mpsc::channel(4);
    let drained = Arc::new(Notify::new());
    let source = tokio::spawn(source(raw, Arc::clone(&load), Arc::clone(&drained)));
    let begin = Arc::new(Barrier::new(usize::try_from(DECODERS).expect("they are few")));
    let mut decoders = JoinSet::new();
    for _ in 0..DECODERS {
        decoders.spawn(decode(decode_from.clone(), decoded.clone(), Arc::clone(&begin)));
    }
    drop((decode_from, decoded));
    let fan = ::tokio::spawn(fan_out(stored_from, stored));
    sink(sunk_from, &load, &drained).await;
    source.await.expect("no panic");
    while let Some(decoder) = decoders.join_next().await {
        decoder.expect("no panic");
    }
    fan.await.expect("no panic");
}

#[diagnose]
async fn source(raw: async_channel::Sender<u64>, load: Arc<Load>, drained: Arc<Notify>) {
    let mut number = 0;
    while load.goes_on() {
        if raw.send(number).await.is_err() {
            return;
        }
        number += 1;
        // Every 2,000 items it waits until all of them have arrived.
        if number % 2_000 == 0 {
            drained.notified().await;
        }
    }
}

#[diagnose]
async fn decode(raw: async_channel::Receiver<u64>, decoded: mpsc::Sender<Batch>, begin: Arc<Barrier>) {
    begin.wait().await;
    while let Ok(number) = raw.recv().await {
        let batch = if number % 10 == 0 {
            spawn_blocking(move || parse(number)).await.expect("no panic")
        } else {
            parse(number)
        };
        if decoded.send(batch).await.is_err() {
            return;
        }
    }
}

#[diagnose]
fn parse(number: u64) -> Batch {
    let sum = (0..2_000).fold(number, |sum: u64, step| std::hint::black_box(sum.rotate_left(5) ^ step));
    Batch { number, sum }
}

/// Eight batches are in flight at a time, three of them in the store.
async fn fan_out(batches: mpsc::Receiver<Batch>, stored: mpsc::Sender<Batch>) {
    let permits = Arc::new(Semaphore::new(3));
    let batches = stream::unfold(batches, |mut batches| async { Some((batches.recv().await?, batches)) });
    let stores = batches.map(|batch| store(batch, Arc::clone(&permits)));
    let mut stores = Box::pin(stores.buffer_unordered(8));
    while let Some(batch) = stores.next().await {
        if stored.send(batch).await.is_err() {
            return;
        }
    }
}

#[diagnose]
async fn store(batch: Batch, permits: Arc<Semaphore>) -> Batch {
    let _permit = permits.acquire().await.expect("it is open");
    sleep(Duration::from_millis(1 + batch.number % 2)).await;
    batch
}

#[diagnose]
async fn sink(mut stored: mpsc::Receiver<Batch>, load: &Load, drained: &Notify) {
    let mut sum = 0;
    let mut arrived = 0;
    while let Some(batch) = stored.recv().await {
        sum ^= batch.sum;
        arrived += 1;
        load.count();
        if arrived % 500 == 0 {
            sleep(Duration::from_millis(250)).await;
        }
        if arrived % 2_000 == 0 {
            drained.notify_one();
        }
    }
    std::hint::black_box(sum);
}
