//! A shop over HTTP, under load over keep-alive connections: a cache behind a lock that is held for
//! a moment, a pool with enough connections, background tasks, and a graceful shutdown.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::get;
use diagnose::tokio::sync::{Mutex, Notify, RwLock, Semaphore, mpsc, oneshot, watch};
use diagnose::{diagnose, tokio};
use tokio::net::TcpListener;

use crate::client::client;

struct Shop {
    cache: RwLock<HashMap<u64, u64>>,
    connections: Semaphore,
    idle: Mutex<Vec<u64>>,
    audit: mpsc::Sender<(u64, oneshot::Sender<()>)>,
    stop: watch::Receiver<bool>,
    flushed: Notify,
}

pub(crate) async fn run() {
    let (audit, entries) = mpsc::channel(64);
    let (stop, stopped) = watch::channel(false);
    let shop = Arc::new(Shop {
        cache: RwLock::default(),
        connections: Semaphore::new(16),
        idle: Mutex::new((0..16).collect()),
        audit,
        stop: stopped,
        flushed: Notify::new(),
    });
    let auditor = tokio::spawn(write_audit(entries));
    let evicts = tokio::spawn(evict(Arc::clone(&shop)));
    let reports = tokio::spawn(report(Arc::clone(&shop)));
    let app = Router::new()
        .route("/orders/{id}", get(get_order))
        .route("/slow/{id}", get(get_history))
        .route("/jobs/{id}", get(start_job))
        .with_state(Arc::clone(&shop));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it is bound");
    let mut stops = shop.stop.clone();
    let serves = axum::serve(listener, app).with_graceful_shutdown(async move {
        let _ = stops.wait_for(|stop| *stop).await;
    });
    let server = tokio::spawn(async move { serves.await });
    for number in 0..12_u64 {
        let route = ["orders", "orders", "orders", "slow", "orders", "jobs"]
            [usize::try_from(number % 6).unwrap_or(0)];
        let paths = (0..500).map(|id| format!("/{route}/{}", id * 7 + number)).collect();
        tokio::spawn(client(address, paths, Duration::from_millis(15 + number), usize::MAX));
    }
    // Serves until the process exits.
    let _ = server.await;
    let _ = stop.send(true);
    let _ = tokio::join!(auditor, evicts, reports);
}

#[diagnose]
async fn get_order(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    if let Some(row) = shop.cache.read().await.get(&id) {
        return row.to_string();
    }
    let row = query(&shop, id).await;
    shop.cache.write().await.insert(id, row);
    let (done, written) = oneshot::channel();
    if shop.audit.send((id, done)).await.is_ok() {
        let _ = written.await;
    }
    row.to_string()
}

/// A query that takes long because it reads a lot.
#[diagnose]
async fn get_history(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    let mut sum = 0;
    for part in 0..10 {
        sum += query(&shop, id + part).await;
    }
    sum.to_string()
}

/// A job that outlives its request by some seconds.
#[diagnose]
async fn start_job(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    tokio::spawn(job(shop, id));
    "accepted".to_owned()
}

#[diagnose]
async fn job(shop: Arc<Shop>, id: u64) {
    for step in 0..20 {
        tokio::time::sleep(Duration::from_millis(150)).await;
        query(&shop, id + step).await;
    }
}

#[diagnose]
async fn query(shop: &Shop, id: u64) -> u64 {
    let _permit = shop.connections.acquire().await.expect("it is open");
    let connection = shop.idle.lock().await.pop();
    tokio::time::sleep(Duration::from_millis(2 + id % 3)).await;
    shop.idle.lock().await.extend(connection);
    id * 2
}

#[diagnose]
async fn write_audit(mut entries: mpsc::Receiver<(u64, oneshot::Sender<()>)>) {
    while let Some((entry, done)) = entries.recv().await {
        std::hint::black_box(entry);
        let _ = done.send(());
    }
}

#[diagnose]
async fn evict(shop: Arc<Shop>) {
    let mut ticks = tokio::time::interval(Duration::from_millis(200));
    let mut stop = shop.stop.clone();
    loop {
        tokio::select! {
            _ = ticks.tick() => shop.cache.write().await.retain(|id, _| id % 3 != 0),
            _ = stop.changed() => return,
        }
    }
}

/// Waits for a flush, which is requested once a day.
#[diagnose]
async fn report(shop: Arc<Shop>) {
    let mut stop = shop.stop.clone();
    loop {
        tokio::select! {
            () = shop.flushed.notified() => {}
            _ = stop.changed() => return,
        }
    }
}
