//! A program that ends by itself: its tasks are done and its locks are gone when it is asked.

use std::sync::Arc;
use std::time::Duration;

use diagnose::{diagnose, tokio};
use tokio::sync::Mutex;

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
