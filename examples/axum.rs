//! Finds the slow handler of a web service: `cargo run --release --example axum`.
//!
//! `GET /order` needs a row from a cache. The cache is behind one lock, and a miss holds that lock
//! during the query to the database. So all other orders wait for the query of one. The first
//! finding names the lock, the handlers that wait for it, and the line that holds it.
//!
//! The service serves its own load for two seconds, and then prints its findings and ends. In
//! production, `kill -USR1` writes the same report.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::get;
use diagnose::{diagnose, tokio};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

const CONNECTIONS: u64 = 24;
const LOAD: Duration = Duration::from_secs(2);

#[derive(Default)]
struct Cache {
    rows: Mutex<HashMap<u64, String>>,
}

impl Cache {
    /// The fault: holds the lock during the query.
    #[diagnose]
    async fn row(&self, id: u64) -> String {
        let mut rows = self.rows.lock().await;
        if let Some(row) = rows.get(&id) {
            return row.clone();
        }
        let row = query(id).await;
        rows.insert(id, row.clone());
        row
    }
}

/// Waits for the database.
#[diagnose]
async fn query(id: u64) -> String {
    tokio::time::sleep(Duration::from_millis(5)).await;
    format!("row {id}")
}

#[diagnose]
async fn order(State(cache): State<Arc<Cache>>, Path(id): Path<u64>) -> String {
    cache.row(id).await
}

#[diagnose]
async fn health() -> &'static str {
    "ok"
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    diagnose::install();
    let routes = Router::new().route("/order/{id}", get(order)).route("/health", get(health));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let server =
        tokio::spawn(axum::serve(listener, routes.with_state(Arc::<Cache>::default())).into_future());

    let deadline = Instant::now() + LOAD;
    let clients: Vec<_> =
        (0..CONNECTIONS).map(|number| tokio::spawn(client(address, number, deadline))).collect();
    let mut requests = 0;
    for client in clients {
        requests += client.await??;
    }

    println!("{requests} requests in {LOAD:?}\n");
    for finding in diagnose::snapshot().findings() {
        println!("{finding}\n");
    }
    println!("wrote {}", diagnose::dump("target/diagnose/axum.txt")?.display());
    server.abort();
    Ok(())
}

/// Sends one request after the other until `deadline`. Returns their number.
async fn client(address: std::net::SocketAddr, number: u64, deadline: Instant) -> std::io::Result<u64> {
    let mut stream = TcpStream::connect(address).await?;
    let (mut buffer, mut requests) = ([0; 1024], 0);
    while Instant::now() < deadline {
        let path = if requests % 8 == 7 {
            "health".to_owned()
        } else {
            format!("order/{}", number * 1_000 + requests)
        };
        stream.write_all(format!("GET /{path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).await?;
        if stream.read(&mut buffer).await? == 0 {
            break;
        }
        requests += 1;
    }
    Ok(requests)
}
