//! Background tasks that make progress, each in one of four ways.

use std::sync::Arc;

use diagnose::FutureExt as _;

use crate::drop_in::tokio;
use tokio::runtime::Runtime;
use tokio::sync::{Mutex, mpsc};
use tokio::task::yield_now;
use tokio::time::{Duration, sleep};

/// The name of these tasks.
pub(crate) const NAME: &str = "noise";

/// Spawns `count` tasks. A sender and its receiver count as two.
pub(crate) fn spawn(runtime: &Runtime, count: u32) {
    let lock = Arc::new(Mutex::new(0));
    let mut number = 0;
    while number < count {
        let pause = Duration::from_millis(u64::from(2 + 2 * (number % 5)));
        match number % 4 {
            0 | 1 => drop(runtime.spawn(sleeps(pause).diagnose(NAME))),
            2 => drop(runtime.spawn(locks(Arc::clone(&lock), pause).diagnose(NAME))),
            _ => {
                let (sender, receiver) = mpsc::channel(2);
                runtime.spawn(sends(sender, pause).diagnose(NAME));
                runtime.spawn(receives(receiver).diagnose(NAME));
                number += 1;
            }
        }
        number += 1;
    }
}

async fn sleeps(pause: Duration) {
    loop {
        sleep(pause).await;
    }
}

async fn locks(lock: Arc<Mutex<u64>>, pause: Duration) {
    loop {
        let mut count = lock.lock().await;
        yield_now().await;
        *count += 1;
        drop(count);
        sleep(pause).await;
    }
}

async fn sends(sender: mpsc::Sender<u64>, pause: Duration) {
    let mut number = 0;
    loop {
        sleep(pause).await;
        for _ in 0..3 {
            number += 1;
            let _ = sender.send(number).await;
        }
    }
}

async fn receives(mut receiver: mpsc::Receiver<u64>) {
    while receiver.recv().await.is_some() {}
}
