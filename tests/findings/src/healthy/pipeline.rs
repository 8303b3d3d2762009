//! A pipeline with back-pressure, from a fast source to a slow sink. Its workers share one
//! receiver, few tasks at a time use the store, and blocking work has its own threads.

use std::sync::Arc;
use std::time::Duration;

use diagnose::tokio::sync::{Mutex, Semaphore, mpsc};
use diagnose::tokio::task::{JoinSet, spawn_blocking};
use diagnose::{diagnose, tokio};

pub(crate) async fn run() {
    let (raw, received) = mpsc::channel(16);
    let (parsed, stored_from) = mpsc::channel(16);
    let (stored, sunk) = mpsc::channel(16);
    let received = Arc::new(Mutex::new(received));
    tokio::spawn(source(raw));
    for _ in 0..4 {
        tokio::spawn(worker(Arc::clone(&received), parsed.clone()));
    }
    drop(parsed);
    tokio::spawn(store_all(stored_from, stored));
    sink(sunk).await;
}

#[diagnose]
async fn source(raw: mpsc::Sender<u64>) {
    for number in 0.. {
        if raw.send(number).await.is_err() {
            return;
        }
    }
}

/// One of several workers with one receiver, which they share through a lock.
#[diagnose]
async fn worker(received: Arc<Mutex<mpsc::Receiver<u64>>>, parsed: mpsc::Sender<u64>) {
    while let Some(number) = next(&received).await {
        let number = if number % 4 == 0 { compress(number).await } else { parse(number) };
        if parsed.send(number).await.is_err() {
            return;
        }
    }
}

#[diagnose]
async fn next(received: &Mutex<mpsc::Receiver<u64>>) -> Option<u64> {
    received.lock().await.recv().await
}

#[diagnose]
fn parse(number: u64) -> u64 {
    (0..500).fold(number, |sum: u64, step| std::hint::black_box(sum.rotate_left(5) ^ step))
}

/// Does long work on a thread for blocking work.
#[diagnose]
async fn compress(number: u64) -> u64 {
    spawn_blocking(move || squeeze(number)).await.expect("no panic")
}

#[diagnose]
fn squeeze(number: u64) -> u64 {
    let began = std::time::Instant::now();
    let mut sum = number;
    while began.elapsed() < Duration::from_millis(5) {
        sum = std::hint::black_box(sum.rotate_left(5) ^ number);
    }
    sum
}

/// Keeps up to ten numbers in flight, four of them in the store.
#[diagnose]
async fn store_all(mut parsed: mpsc::Receiver<u64>, stored: mpsc::Sender<u64>) {
    let permits = Arc::new(Semaphore::new(4));
    let mut stores = JoinSet::new();
    while let Some(number) = parsed.recv().await {
        stores.spawn(store(number, Arc::clone(&permits), stored.clone()));
        while stores.len() >= 10 {
            stores.join_next().await;
        }
    }
}

#[diagnose]
async fn store(number: u64, permits: Arc<Semaphore>, stored: mpsc::Sender<u64>) {
    let permit = permits.acquire().await.expect("it is open");
    tokio::time::sleep(Duration::from_millis(1 + number % 2)).await;
    drop(permit);
    let _ = stored.send(number).await;
}

#[diagnose]
async fn sink(mut stored: mpsc::Receiver<u64>) {
    let mut arrived = 0;
    while let Some(number) = stored.recv().await {
        std::hint::black_box(number);
        arrived += 1;
        if arrived % 200 == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}
