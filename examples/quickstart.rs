//! A key-value server under load, and where its time goes.
//!
//! ```text
//! cargo run --release --example quickstart
//! ```
//! A real TCP server on a multi-threaded tokio runtime, and a client that loads it over loopback
//! for two seconds with 16 connections. The functions that serve a connection are annotated; the
//! accept loop and the client are not. At the end it prints the table, and writes
//! `target/diagnose/quickstart.{html,svg,folded,txt,json}`.
//!
//! It imports plain tokio, to show what the attribute alone records: no lock, and no place where a
//! task was spawned. `use diagnose::tokio;` adds both, as in `stuck.rs`.

use std::collections::HashMap;
use std::hint::black_box;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use diagnose::diagnose;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

const CONNECTIONS: u64 = 16;
const LOAD: Duration = Duration::from_secs(2);
const KEYS: u64 = 512;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    diagnose::install();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    println!("serving on {address}, pid {}; SIGUSR1 writes the reports at any time", std::process::id());
    let server = tokio::spawn(accept(listener));
    let client = std::thread::spawn(move || client::load(address));
    let requests = tokio::task::spawn_blocking(|| client.join()).await?;
    server.abort();
    println!("\n{} requests in {LOAD:?}\n", requests.map_err(|_| "the client panicked")??);

    let mut table = Vec::new();
    diagnose::dump_to(diagnose::Format::Text, &mut table)?;
    println!("{}", String::from_utf8_lossy(&table));
    for extension in ["html", "svg", "folded", "txt", "json"] {
        println!("wrote {}", diagnose::dump(format!("target/diagnose/quickstart.{extension}"))?.display());
    }
    Ok(())
}

/// Not annotated: a loop that only accepts would be one long wait in the flame graph.
async fn accept(listener: TcpListener) -> io::Result<()> {
    let store = Arc::new(Store::default());
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(kv_server(stream, store.clone()));
    }
}

/// Values in shards, each behind its own lock.
#[derive(Default)]
struct Store {
    shards: [Mutex<HashMap<String, String>>; 8],
}

/// Serves one connection. Each is a task, and so a root of the tree.
#[diagnose(root)]
async fn kv_server(stream: TcpStream, store: Arc<Store>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    while stream.read_line(&mut line).await? > 0 {
        let reply = handle(&store, line.trim_end()).await;
        stream.write_all(reply.as_bytes()).await?;
        line.clear();
    }
    Ok(())
}

#[diagnose]
async fn handle(store: &Store, line: &str) -> String {
    let mut words = line.splitn(3, ' ');
    match (words.next(), words.next(), words.next()) {
        (Some("GET"), Some(key), None) => store.get(key).await.unwrap_or_else(|| "none".to_owned()) + "\n",
        (Some("SET"), Some(key), Some(value)) => store.set(key, value).await,
        (Some("SUM"), Some(key), None) => format!("{:016x}\n", store.sum(key).await),
        _ => "what?\n".to_owned(),
    }
}

impl Store {
    #[diagnose]
    async fn get(&self, key: &str) -> Option<String> {
        self.lookup(key).await
    }

    /// Waits for the lock.
    #[diagnose]
    async fn lookup(&self, key: &str) -> Option<String> {
        self.shard(key).lock().await.get(key).cloned()
    }

    /// Keeps the lock until the write is in the journal.
    #[diagnose]
    async fn set(&self, key: &str, value: &str) -> String {
        let mut values = self.shard(key).lock().await;
        journal().await;
        values.insert(key.to_owned(), value.to_owned());
        "stored\n".to_owned()
    }

    fn shard(&self, key: &str) -> &Mutex<HashMap<String, String>> {
        &self.shards[key.bytes().map(usize::from).sum::<usize>() % self.shards.len()]
    }

    #[diagnose]
    async fn sum(&self, key: &str) -> u64 {
        let value = self.lookup(key).await.unwrap_or_default();
        checksum(&value)
    }
}

/// Waits for a timer, as a write to a disk would.
#[diagnose]
async fn journal() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Computes for about 100 µs.
#[diagnose]
fn checksum(value: &str) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for _ in 0..1_000 {
        for byte in value.bytes() {
            sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        sum = black_box(sum.rotate_left(5));
    }
    sum
}

/// The load, on its own thread and runtime.
mod client {
    use std::io;
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::time::{Duration, Instant};

    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::TcpStream;

    use super::{CONNECTIONS, KEYS, LOAD};

    /// Loads the server for [`LOAD`]. Returns the number of requests.
    pub(crate) fn load(server: SocketAddr) -> io::Result<u64> {
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
            let requests = Arc::new(AtomicU64::new(0));
            let deadline = Instant::now() + LOAD;
            let clients: Vec<_> = (0..CONNECTIONS)
                .map(|number| tokio::spawn(connection(server, number, deadline, requests.clone())))
                .collect();
            while Instant::now() < deadline {
                tokio::time::sleep(Duration::from_millis(250)).await;
                println!("{:>8} requests", requests.load(Relaxed));
            }
            for client in clients {
                client.await.map_err(io::Error::other)??;
            }
            Ok(requests.load(Relaxed))
        })
    }

    async fn connection(
        server: SocketAddr,
        number: u64,
        deadline: Instant,
        requests: Arc<AtomicU64>,
    ) -> io::Result<()> {
        let mut stream = BufReader::new(TcpStream::connect(server).await?);
        stream.get_ref().set_nodelay(true)?;
        let mut random = number + 1;
        let mut reply = String::new();
        while Instant::now() < deadline {
            // Xorshift: every run sends the same requests.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let key = random % KEYS;
            let request = match random / KEYS % 20 {
                0 => format!("SET key-{key} {random:0100}\n"),
                1..=6 => format!("SUM key-{key}\n"),
                _ => format!("GET key-{key}\n"),
            };
            stream.write_all(request.as_bytes()).await?;
            reply.clear();
            stream.read_line(&mut reply).await?;
            requests.fetch_add(1, Relaxed);
        }
        Ok(())
    }
}
