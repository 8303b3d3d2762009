//! Idioms that look like faults: a select loop with a tick, a deadline around `recv`, hedged
//! requests, disabled `select!` branches, a token bucket, a cache with expiry, and retries.

use std::sync::Arc;
use std::time::Duration;

use diagnose::tokio::sync::{Mutex, Notify, OnceCell, Semaphore, mpsc};
use diagnose::{diagnose, tokio};

pub(crate) async fn run() {
    let (items, received) = mpsc::channel(8);
    tokio::spawn(batch(received));
    tokio::spawn(produce(items));
    tokio::spawn(select_loop());
    tokio::spawn(hedge());
    tokio::spawn(bucket());
    tokio::spawn(cache());
    tokio::spawn(shared_state());
    tokio::spawn(once());
    tokio::time::sleep(Duration::from_secs(3600)).await;
}

#[diagnose]
async fn produce(items: mpsc::Sender<u64>) {
    for item in 0.. {
        tokio::time::sleep(Duration::from_millis(3 + item % 9)).await;
        if items.send(item).await.is_err() {
            return;
        }
    }
}

/// Half of the waits time out, and then the batch is written.
#[diagnose]
async fn batch(mut received: mpsc::Receiver<u64>) {
    let mut batch = Vec::new();
    loop {
        match tokio::time::timeout(Duration::from_millis(6), next_item(&mut received)).await {
            Ok(Some(item)) => batch.push(item),
            Ok(None) => return,
            Err(_) => batch.clear(),
        }
    }
}

#[diagnose]
async fn next_item(received: &mut mpsc::Receiver<u64>) -> Option<u64> {
    received.recv().await
}

/// Each turn drops the losing futures, and never polls the one of the disabled branch.
#[diagnose]
async fn select_loop() {
    let (work, mut received) = mpsc::channel(4);
    tokio::spawn(async move { while work.send(1_u64).await.is_ok() {} });
    let mut ticks = tokio::time::interval(Duration::from_millis(10));
    let is_stopping = std::hint::black_box(false);
    loop {
        tokio::select! {
            biased;
            _ = ticks.tick() => {}
            _ = next_item(&mut received) => tokio::time::sleep(Duration::from_millis(1)).await,
            () = flush(), if is_stopping => return,
        }
    }
}

#[diagnose]
async fn flush() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

/// Queries two replicas and takes the first answer.
#[diagnose]
async fn hedge() {
    for number in 0.. {
        tokio::select! {
            _ = replica(number) => {}
            _ = replica(number + 1) => {}
        }
    }
}

#[diagnose]
async fn replica(number: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(4 + number % 5)).await;
    number
}

/// Ten requests at a time wait for tokens, of which there is one every few milliseconds.
#[diagnose]
async fn bucket() {
    let tokens = Arc::new(Semaphore::new(5));
    let refill = Arc::clone(&tokens);
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(Duration::from_millis(5));
        loop {
            ticks.tick().await;
            refill.add_permits(1);
        }
    });
    loop {
        tokens.acquire().await.expect("it is open").forget();
        replica(3).await;
    }
}

/// Each entry has a task that removes it after a minute.
#[diagnose]
async fn cache() {
    let entries = Arc::new(Mutex::new(Vec::new()));
    for key in 0_u64.. {
        entries.lock().await.push(key);
        tokio::spawn(expire(Arc::clone(&entries), key));
        tokio::time::sleep(Duration::from_millis(8)).await;
    }
}

#[diagnose]
async fn expire(entries: Arc<Mutex<Vec<u64>>>, key: u64) {
    tokio::time::sleep(Duration::from_secs(60)).await;
    entries.lock().await.retain(|own| *own != key);
}

/// Many tasks change one value, each for a moment.
#[diagnose]
async fn shared_state() {
    let state = Arc::new(Mutex::new(0_u64));
    let changed = Arc::new(Notify::new());
    for _ in 0..16 {
        tokio::spawn(change(Arc::clone(&state), Arc::clone(&changed)));
    }
    loop {
        changed.notified().await;
    }
}

#[diagnose]
async fn change(state: Arc<Mutex<u64>>, changed: Arc<Notify>) {
    loop {
        *state.lock().await += 1;
        changed.notify_one();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// All tasks wait for the first initialization.
#[diagnose]
async fn once() {
    let cell = Arc::new(OnceCell::new());
    for _ in 0..10 {
        let cell = Arc::clone(&cell);
        tokio::spawn(async move { *cell.get_or_init(|| replica(7)).await });
    }
}
