//! A shop over HTTP with faults, each behind its own route. The faults are a lock held during a
//! query, another one that a job holds now and then, one that is held while a bank does not answer,
//! answers that are lost, a channel with a slow receiver, another one that is not on record, more
//! permits than there are, a task that answers all questions,
//! queries one after the other, a CPU hog and a sleep in functions that are not annotated,
//! middleware that is not annotated, a loop that connects to a port where nobody listens, tasks
//! that never end, large futures, and two locks in both orders.
//!
//! A comment `FAULT:` marks its line, or the next one if it stands alone. A finding has to name it.

use std::collections::HashMap;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::get;
use diagnose::tokio::io::AsyncReadExt as _;
use diagnose::tokio::net::TcpStream;
use diagnose::tokio::sync::{Mutex, Notify, RwLock, Semaphore, mpsc, oneshot};
use diagnose::{diagnose, tokio};

struct Shop {
    cache: Cache,
    prices: Mutex<HashMap<u64, u64>>,
    stock: Mutex<HashMap<u64, u64>>,
    ledger: Mutex<Vec<u64>>,
    settled: Mutex<u64>,
    lost: std::sync::Mutex<Vec<oneshot::Sender<u64>>>,
    bank: TcpListener,
    audit: mpsc::Sender<u64>,
    rates: mpsc::Sender<Question>,
    mails: ::tokio::sync::mpsc::Sender<u64>,
    permits: Semaphore,
    shutdown: Notify,
}

struct Question {
    id: u64,
    answer: oneshot::Sender<u64>,
}

#[derive(Default)]
struct Cache {
    rows: RwLock<HashMap<u64, u64>>,
}

/// The routes of the shop.
pub(crate) fn router() -> Router {
    let (audit, entries) = mpsc::channel(1); // FAULT: channel
    tokio::spawn(write_audit(entries));
    let (rates, questions) = mpsc::channel(64);
    tokio::spawn(answer_rates(questions));
    let (mails, unsent) = ::tokio::sync::mpsc::channel(2);
    tokio::spawn(send_mails(unsent));
    let shop = Arc::new(Shop {
        cache: Cache::default(),
        prices: Mutex::default(),
        stock: Mutex::default(),
        ledger: Mutex::default(),
        settled: Mutex::default(),
        lost: std::sync::Mutex::default(),
        bank: TcpListener::bind("127.0.0.1:0").expect("a port"),
        audit,
        rates,
        mails,
        permits: Semaphore::new(4),
        shutdown: Notify::default(),
    });
    tokio::spawn(refresh_prices(Arc::clone(&shop)));
    Router::new()
        .route("/orders/{id}", get(get_order))
        .route("/prices/{id}", get(get_price))
        .route("/audit/{id}", get(log_audit))
        .route("/rates/{id}", get(get_rate))
        .route("/mails/{id}", get(mail))
        .route("/imports/{id}", get(import))
        .route("/lists/{id}", get(list))
        .route("/settle/{id}", get(settle))
        .route("/parcels/{id}", get(find_parcel))
        .route("/receipts/{id}", get(get_receipt))
        .route("/invoices/{id}", get(get_invoice))
        .route("/badges/{id}", get(get_badge).layer(from_fn(verify)))
        .route("/push/{id}", get(push))
        .route("/notify/{id}", get(notify))
        .route("/subscribe/{id}", get(subscribe))
        .route("/reserve/{id}", get(reserve))
        .route("/refund/{id}", get(refund))
        .route("/health", get(health))
        .with_state(shop)
}

#[diagnose]
async fn health() -> &'static str {
    "well"
}

#[diagnose]
async fn get_order(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    let row = shop.cache.get_or_fill(id).await;
    format!("order {id}: {row}")
}

#[diagnose]
impl Cache {
    async fn get_or_fill(&self, id: u64) -> u64 {
        let mut rows = self.rows.write().await; // FAULT: lock
        if let Some(row) = rows.get(&id) {
            return *row;
        }
        let row = query(id).await;
        rows.insert(id, row);
        if rows.len() > 100 {
            rows.clear();
        }
        row
    }
}

#[diagnose]
async fn query(id: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(4)).await;
    id * 2
}

#[diagnose]
async fn get_price(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    let price = shop.prices.lock().await.get(&(id % 100)).copied();
    format!("price of {id}: {price:?}")
}

/// Runs twice a second: of some two hundred holds one is long.
#[diagnose]
async fn refresh_prices(shop: Arc<Shop>) {
    for id in 0.. {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let mut prices = shop.prices.lock().await; // FAULT: rare
        for _ in 0..10 {
            prices.insert(id % 100, query(id).await);
        }
    }
}

/// One answer in 75 never comes.
#[diagnose]
async fn find_parcel(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    let (answer, place) = oneshot::channel();
    query(id).await;
    if id % 75 == 74 {
        shop.lost.lock().expect("no panic").push(answer);
    } else {
        answer.send(id).expect("it is awaited");
    }
    let place = place.await.unwrap_or_default(); // FAULT: lost
    format!("parcel {id}: {place}")
}

/// One in 200 asks the bank, which does not answer.
#[diagnose]
async fn settle(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    let mut settled = shop.settled.lock().await; // FAULT: held
    *settled += 1;
    if *settled % 200 == 0 {
        ask(&shop.bank).await;
    }
    format!("settled {id}")
}

#[diagnose]
async fn ask(bank: &TcpListener) -> Option<u8> {
    let mut bank = TcpStream::connect(bank.local_addr().ok()?).await.ok()?;
    bank.read_u8().await.ok()
}

#[diagnose]
async fn log_audit(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    let _ = shop.audit.send(id).await;
    format!("audited {id}")
}

#[diagnose]
async fn write_audit(mut entries: mpsc::Receiver<u64>) {
    while let Some(id) = entries.recv().await {
        tokio::time::sleep(Duration::from_millis(10 + id % 2)).await;
    }
}

#[diagnose]
async fn get_rate(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    let (answer, rate) = oneshot::channel();
    let _ = shop.rates.send(Question { id, answer }).await;
    format!("rate of {id}: {:?}", rate.await)
}

#[diagnose]
async fn answer_rates(mut questions: mpsc::Receiver<Question>) {
    while let Some(Question { id, answer }) = questions.recv().await {
        let rate = convert(id).await; // FAULT: actor
        let _ = answer.send(rate);
    }
}

#[diagnose]
async fn convert(id: u64) -> u64 {
    query(query(query(id).await).await).await
}

#[diagnose]
async fn mail(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    let _ = shop.mails.send(id).await; // FAULT: queue
    format!("mailed {id}")
}

#[diagnose]
async fn send_mails(mut mails: ::tokio::sync::mpsc::Receiver<u64>) {
    while let Some(id) = mails.recv().await {
        query(query(query(id).await).await).await;
    }
}

/// One import in 50 has more parts than there are permits.
#[diagnose]
async fn import(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    let parts = if id % 50 == 49 { 8 } else { 1 };
    tokio::select! {
        // FAULT: permits
        _permits = shop.permits.acquire_many(parts) => format!("imported {}", query(id).await),
        () = shop.shutdown.notified() => format!("{id} is not imported"),
    }
}

#[diagnose]
async fn list(Path(id): Path<u64>) -> String {
    let mut rows = Vec::new();
    for item in 0..24 {
        rows.push(query(id + item).await); // FAULT: sequential
    }
    format!("list {id}: {rows:?}")
}

#[diagnose]
// FAULT: hog
async fn get_receipt(Path(id): Path<u64>) -> String {
    let row = query(id).await;
    let signature = sign(row, Duration::from_millis(20));
    format!("receipt {id}: {signature}")
}

/// Takes about this much CPU time. Not annotated.
fn sign(row: u64, time: Duration) -> u64 {
    let began = std::time::Instant::now();
    let mut sum = row;
    while began.elapsed() < time {
        for step in 0..1_000_u64 {
            sum = std::hint::black_box(sum.rotate_left(5) ^ step);
        }
    }
    sum
}

#[diagnose]
// FAULT: block
async fn get_invoice(Path(id): Path<u64>) -> String {
    let row = query(id).await;
    format!("invoice {id}: {}", read_template(row))
}

/// One request in ten has a signature that is not yet known. Not annotated.
async fn verify(request: Request, next: Next) -> Response {
    static REQUESTS: AtomicU64 = AtomicU64::new(0);
    let number = REQUESTS.fetch_add(1, Ordering::Relaxed);
    if number % 10 == 9 {
        sign(number, Duration::from_millis(40));
    }
    next.run(request).await
}

#[diagnose]
// FAULT: unrecorded
async fn get_badge(Path(id): Path<u64>) -> String {
    format!("badge {id}: {}", query(id).await)
}

/// Reads from a slow disk. Not annotated.
fn read_template(row: u64) -> u64 {
    std::thread::sleep(Duration::from_millis(20));
    row
}

#[diagnose]
async fn push(Path(id): Path<u64>) -> String {
    let metrics = reconnect().await;
    format!("pushed {id} to {:?}", metrics.peer_addr())
}

#[diagnose]
async fn reconnect() -> TcpStream {
    loop {
        // FAULT: retries
        if let Ok(stream) = TcpStream::connect(("127.0.0.1", 1)).await {
            return stream;
        }
    }
}

#[diagnose]
async fn notify(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    query(id).await;
    tokio::spawn(notify_customer(shop, id)); // FAULT: leak
    format!("notified {id}")
}

#[diagnose]
async fn notify_customer(shop: Arc<Shop>, id: u64) {
    query(id).await;
    shop.shutdown.notified().await;
}

#[diagnose]
async fn subscribe(Path(id): Path<u64>) -> String {
    tokio::spawn(push_updates(id)); // FAULT: large
    format!("subscribed {id}")
}

#[diagnose]
#[allow(clippy::large_stack_arrays)] // That is the fault.
async fn push_updates(id: u64) {
    let mut frame = [0_u8; 65_536];
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        frame.fill(std::hint::black_box(id.to_le_bytes()[0]));
    }
}

#[diagnose]
async fn reserve(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    let mut stock = shop.stock.lock().await;
    query(id).await;
    let mut ledger = shop.ledger.lock().await; // FAULT: cycle
    ledger.push(id);
    *stock.entry(id).or_default() += 1;
    format!("reserved {id}")
}

#[diagnose]
async fn refund(State(shop): State<Arc<Shop>>, Path(id): Path<u64>) -> String {
    let mut ledger = shop.ledger.lock().await;
    query(id).await;
    let mut stock = shop.stock.lock().await; // FAULT: cycle
    stock.remove(&id);
    ledger.push(id);
    format!("refunded {id}")
}
