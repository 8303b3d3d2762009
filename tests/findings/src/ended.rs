//! Programs that end by themselves: their tasks are done and their locks are gone when they are
//! asked. One holds a lock over a query; the others have waits for locks that are as they should
//! be.

use std::sync::Arc;
use std::time::Duration;

use diagnose::{diagnose, tokio};
use tokio::sync::{Mutex, RwLock, Semaphore, mpsc};

#[diagnose]
async fn query() {
    tokio::time::sleep(Duration::from_millis(8)).await;
}

#[diagnose]
async fn order(rows: Arc<Mutex<u64>>) {
    let mut rows = rows.lock().await; // FAULT: ended
    query().await; // FAULT: ended
    *rows += 1;
}

#[diagnose]
async fn client(rows: Arc<Mutex<u64>>) {
    for _ in 0..15 {
        order(Arc::clone(&rows)).await;
    }
}

/// Runs eight clients to their end.
pub(crate) async fn run() {
    let rows = Arc::new(Mutex::new(0));
    let clients: Vec<_> = (0..8).map(|_| tokio::spawn(client(Arc::clone(&rows)))).collect();
    for client in clients {
        client.await.expect("a client ends");
    }
}

#[diagnose]
async fn read(rows: Arc<RwLock<u64>>) {
    for _ in 0..30 {
        drop(rows.read().await);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// All wait for one hold at the start.
pub(crate) async fn migration() {
    let rows = Arc::new(RwLock::new(0));
    let mut migration = rows.write().await;
    let readers: Vec<_> = (0..20).map(|_| tokio::spawn(read(Arc::clone(&rows)))).collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    *migration += 1;
    drop(migration);
    for reader in readers {
        reader.await.expect("it ends");
    }
}

#[diagnose]
async fn fetch(permits: Arc<Semaphore>) {
    let _permit = permits.acquire().await.expect("it is open");
    tokio::time::sleep(Duration::from_millis(5)).await;
}

/// Each batch has permits of its own, which bound how many items are fetched at once.
pub(crate) async fn batches() {
    for _ in 0..40 {
        let permits = Arc::new(Semaphore::new(4));
        let items: Vec<_> = (0..16).map(|_| tokio::spawn(fetch(Arc::clone(&permits)))).collect();
        for item in items {
            item.await.expect("it ends");
        }
    }
}

#[diagnose]
async fn work(jobs: Arc<Mutex<mpsc::Receiver<u32>>>) {
    loop {
        let job = jobs.lock().await.recv().await;
        if job.is_none() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
}

/// Workers take turns at one receiver.
pub(crate) async fn turns() {
    let (sender, receiver) = mpsc::channel(8);
    let jobs = Arc::new(Mutex::new(receiver));
    let workers: Vec<_> = (0..4).map(|_| tokio::spawn(work(Arc::clone(&jobs)))).collect();
    for job in 0..200 {
        sender.send(job).await.expect("there are workers");
        tokio::time::sleep(Duration::from_millis(4)).await;
    }
    drop(sender);
    for worker in workers {
        worker.await.expect("it ends");
    }
}
