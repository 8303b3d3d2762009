//! Tasks that compute all the time, in pieces, and yield after each piece; and clients that await a
//! result from a thread for blocking work.

use std::time::Duration;

use diagnose::tokio::sync::{mpsc, oneshot};
use diagnose::{diagnose, tokio};

pub(crate) async fn run() {
    let (jobs, received) = mpsc::channel(8);
    for number in 0..6 {
        tokio::spawn(simulate(number));
    }
    tokio::spawn(dispatch(received));
    for number in 0..4 {
        tokio::spawn(submit(jobs.clone(), number));
    }
    std::future::pending::<()>().await;
}

/// Simulates without end, and yields after each step.
#[diagnose]
async fn simulate(seed: u64) {
    let mut state = seed;
    loop {
        state = step(state);
        tokio::task::yield_now().await;
    }
}

/// Computes for about 100 µs.
#[diagnose]
fn step(state: u64) -> u64 {
    spin(state, Duration::from_micros(100))
}

fn spin(seed: u64, length: Duration) -> u64 {
    let began = std::time::Instant::now();
    let mut state = seed;
    while began.elapsed() < length {
        state = std::hint::black_box(state.rotate_left(5) ^ seed);
    }
    state
}

#[diagnose]
async fn dispatch(mut received: mpsc::Receiver<(u64, oneshot::Sender<u64>)>) {
    while let Some((seed, reply)) = received.recv().await {
        tokio::task::spawn_blocking(move || reply.send(render(seed)));
    }
}

#[diagnose]
fn render(seed: u64) -> u64 {
    spin(seed, Duration::from_millis(20))
}

#[diagnose]
async fn submit(jobs: mpsc::Sender<(u64, oneshot::Sender<u64>)>, number: u64) {
    loop {
        let (reply, result) = oneshot::channel();
        if jobs.send((number, reply)).await.is_err() {
            return;
        }
        let _ = result.await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
