//! A server of small requests over TCP, with a timeout around each handler, a pool of connections
//! to a store, and a cache. One in five hundred queries takes far longer than the timeout, and
//! clients disconnect midway.
//!
//! Not annotated: the connections, the middleware, the store's own tasks.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use diagnose::tokio::sync::{Mutex, OwnedSemaphorePermit, RwLock, Semaphore, mpsc, oneshot};
use diagnose::{diagnose, tokio};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use crate::Load;

const CLIENTS: u64 = 160;
const CONNECTIONS: usize = 8;
const KEYS: u64 = 1_000;
const TIMEOUT: Duration = Duration::from_millis(50);

/// A query to the store, with the sender for its answer.
struct Query {
    key: u64,
    reply: oneshot::Sender<u64>,
}

struct State {
    cache: RwLock<HashMap<u64, u64>>,
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<Connection>>,
    store: mpsc::Sender<Query>,
}

/// A connection of the pool.
struct Connection {
    queries: u64,
}

pub(crate) async fn run(load: Arc<Load>) {
    let (store, queries) = mpsc::channel(64);
    let state = Arc::new(State {
        cache: RwLock::default(),
        permits: Arc::new(Semaphore::new(CONNECTIONS)),
        idle: Mutex::new((0..CONNECTIONS).map(|_| Connection { queries: 0 }).collect()),
        store,
    });
    let stores = ::tokio::spawn(answer(queries));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it is bound");
    let accepts = ::tokio::spawn(accept(listener, state));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let load = Arc::clone(&load);
            tokio::spawn(async move { client(address, number, &load).await })
        })
        .collect();
    for client in clients {
        client.await.expect("no panic").expect("the server is there");
    }
    accepts.abort();
    let _ = accepts.await;
    stores.await.expect("no panic");
}

/// Spawns a task for each connection, as a web framework does.
async fn accept(listener: TcpListener, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        ::tokio::spawn(serve(stream, Arc::clone(&state)));
    }
}

async fn serve(mut stream: TcpStream, state: Arc<State>) -> io::Result<()> {
    loop {
        let key = stream.read_u64().await?;
        let answer = ::tokio::time::timeout(TIMEOUT, handle(&state, key)).await;
        stream.write_u64(answer.unwrap_or(408)).await?;
    }
}

#[diagnose]
async fn handle(state: &State, key: u64) -> u64 {
    if let Some(value) = state.cache.read().await.get(&key) {
        return *value;
    }
    let (connection, permit) = check_out(state).await;
    let value = query(state, connection, key, permit).await;
    let mut cache = state.cache.write().await;
    if cache.len() > 100 {
        cache.clear();
    }
    cache.insert(key, value);
    value
}

#[diagnose]
async fn check_out(state: &State) -> (Connection, OwnedSemaphorePermit) {
    let permit = Arc::clone(&state.permits).acquire_owned().await.expect("it is open");
    let connection = state.idle.lock().await.pop();
    (connection.unwrap_or(Connection { queries: 0 }), permit)
}

#[diagnose]
async fn query(state: &State, mut connection: Connection, key: u64, permit: OwnedSemaphorePermit) -> u64 {
    connection.queries += 1;
    let (reply, value) = oneshot::channel();
    state.store.send(Query { key, reply }).await.expect("the store is there");
    let value = value.await.expect("it answers");
    state.idle.lock().await.push(connection);
    drop(permit);
    value
}

/// The store: spawns an unrecorded task for each query, as a library would.
async fn answer(mut queries: mpsc::Receiver<Query>) {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    while let Some(Query { key, reply }) = queries.recv().await {
        let is_slow = COUNT.fetch_add(1, Relaxed) % 500 == 499;
        ::tokio::spawn(async move {
            let time = if is_slow { 400 } else { 1 + key % 3 };
            ::tokio::time::sleep(Duration::from_millis(time)).await;
            let _ = reply.send(key * 2);
        });
    }
}

#[diagnose]
async fn client(address: std::net::SocketAddr, number: u64, load: &Load) -> io::Result<()> {
    let mut key = number;
    while load.goes_on() {
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        for request in 0..50 {
            key = key.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            stream.write_u64((key >> 33) % KEYS).await?;
            if request == 49 && key % 3 == 0 {
                break; // It hangs up.
            }
            stream.read_u64().await?;
            load.count();
            sleep(Duration::from_millis(key >> 60)).await;
        }
    }
    Ok(())
}
