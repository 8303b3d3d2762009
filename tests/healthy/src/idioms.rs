//! Common idioms with channels and locks, each with waits longer than the watchdog's threshold.
//!
//! Not on record: the library's runtime and threads, and the code that refills the bucket.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use diagnose::tokio::sync::{
    Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch,
};
use diagnose::tokio::task::JoinSet;
use diagnose::tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use diagnose::{diagnose, tokio};
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;

use crate::Load;

const SLOW: Duration = Duration::from_millis(160);

pub(crate) async fn run(load: Arc<Load>) {
    let mut tasks = JoinSet::new();
    tasks.spawn(shared_request(Arc::clone(&load)));
    tasks.spawn(batches(Arc::clone(&load)));
    tasks.spawn(bucket(Arc::clone(&load)));
    tasks.spawn(own_pool(Arc::clone(&load)));
    tasks.spawn(idle_workers(Arc::clone(&load)));
    tasks.spawn(slow_lock(Arc::clone(&load)));
    tasks.spawn(library(Arc::clone(&load)));
    tasks.spawn(leader(Arc::clone(&load)));
    tasks.spawn(reconnects(Arc::clone(&load)));
    tasks.spawn(rounds(Arc::clone(&load)));
    while let Some(ended) = tasks.join_next().await {
        ended.expect("no panic");
    }
}

/// Concurrent callers with the same key share one request.
#[diagnose]
async fn shared_request(load: Arc<Load>) {
    let flights: Arc<Flights> = Arc::default();
    let mut number = 0;
    while load.goes_on() {
        let mut callers = JoinSet::new();
        for caller in 0..6 {
            let (flights, key) = (Arc::clone(&flights), number + caller % 2);
            callers.spawn(async move { fetch_shared(&flights, key).await });
        }
        while callers.join_next().await.is_some() {
            load.count();
        }
        number += 2;
    }
}

type Flights = std::sync::Mutex<HashMap<u64, broadcast::Sender<u64>>>;

#[diagnose]
async fn fetch_shared(flights: &Flights, key: u64) -> u64 {
    let Some(mut answer) = join_flight(flights, key) else { return lead(flights, key).await };
    // The caller that began the request answers it.
    timeout(Duration::from_secs(1), answer.recv()).await.map_or(0, |answer| answer.unwrap_or(0))
}

/// Returns `None` for the first caller.
fn join_flight(flights: &Flights, key: u64) -> Option<broadcast::Receiver<u64>> {
    let mut flights = flights.lock().expect("no panic");
    if let Some(flight) = flights.get(&key) {
        return Some(flight.subscribe());
    }
    flights.insert(key, broadcast::channel(1).0);
    None
}

#[diagnose]
async fn lead(flights: &Flights, key: u64) -> u64 {
    sleep(SLOW).await;
    let flight = flights.lock().expect("no panic").remove(&key);
    if let Some(flight) = flight {
        let _ = flight.send(key);
    }
    key
}

/// A batch is sent when it is full or old enough.
#[diagnose]
async fn batches(load: Arc<Load>) {
    let (items, mut received) = mpsc::channel::<(u64, oneshot::Sender<u64>)>(16);
    let batcher = async move {
        while let Some(first) = received.recv().await {
            let end = Instant::now() + SLOW;
            let mut batch = vec![first];
            while batch.len() < 10 {
                match timeout_at(end, received.recv()).await {
                    Ok(Some(item)) => batch.push(item),
                    Ok(None) | Err(_) => break,
                }
            }
            for (item, reply) in batch {
                let _ = reply.send(item);
            }
        }
    };
    let batcher = tokio::spawn(batcher);
    let mut number = 0;
    while load.goes_on() {
        let asked: FuturesUnordered<_> = (0..3 + number % 9).map(|item| ask_batch(&items, item)).collect();
        let answers: Vec<u64> = asked.collect().await;
        for _ in answers {
            load.count();
        }
        number += 1;
    }
    drop(items);
    batcher.await.expect("no panic");
}

#[diagnose]
async fn ask_batch(items: &mpsc::Sender<(u64, oneshot::Sender<u64>)>, item: u64) -> u64 {
    let (reply, answer) = oneshot::channel();
    items.send((item, reply)).await.expect("it is there");
    answer.await.expect("it answers")
}

/// A token bucket: the task that acquires a permit forgets it, and unrecorded code adds more.
#[diagnose]
async fn bucket(load: Arc<Load>) {
    let tokens = Arc::new(Semaphore::new(4));
    let (filled, own) = (Arc::clone(&tokens), Arc::clone(&load));
    let fills = thread::spawn(move || {
        while own.goes_on() {
            thread::sleep(SLOW);
            filled.add_permits(4);
        }
        filled.close();
    });
    let mut callers = JoinSet::new();
    for _ in 0..3 {
        let (tokens, load) = (Arc::clone(&tokens), Arc::clone(&load));
        callers.spawn(async move {
            while let Ok(token) = tokens.acquire().await {
                token.forget();
                load.count();
            }
        });
    }
    while callers.join_next().await.is_some() {}
    tokio::task::spawn_blocking(|| fills.join().expect("no panic")).await.expect("no panic");
}

/// A pool of a single connection, and the waiters for it.
#[derive(Default)]
struct OwnPool {
    idle: Vec<u64>,
    waiting: VecDeque<oneshot::Sender<u64>>,
}

#[diagnose]
async fn own_pool(load: Arc<Load>) {
    let pool = Arc::new(std::sync::Mutex::new(OwnPool { idle: vec![0, 1], ..OwnPool::default() }));
    let mut users = JoinSet::new();
    for _ in 0..6 {
        let (pool, load) = (Arc::clone(&pool), Arc::clone(&load));
        users.spawn(async move {
            while load.goes_on() {
                let connection = take(&pool).await;
                sleep(SLOW / 3).await;
                give_back(&pool, connection);
                load.count();
            }
        });
    }
    while users.join_next().await.is_some() {}
}

#[diagnose]
async fn take(pool: &std::sync::Mutex<OwnPool>) -> u64 {
    let waits = {
        let mut pool = pool.lock().expect("no panic");
        if let Some(connection) = pool.idle.pop() {
            return connection;
        }
        let (sender, waits) = oneshot::channel();
        pool.waiting.push_back(sender);
        waits
    };
    waits.await.expect("a connection is returned")
}

fn give_back(pool: &std::sync::Mutex<OwnPool>, connection: u64) {
    let mut pool = pool.lock().expect("no panic");
    let mut connection = connection;
    while let Some(waits) = pool.waiting.pop_front() {
        match waits.send(connection) {
            Ok(()) => return,
            Err(back) => connection = back,
        }
    }
    pool.idle.push(connection);
}

/// Workers sleep until the queue has an item.
#[diagnose]
async fn idle_workers(load: Arc<Load>) {
    let (queue, told) = (Arc::new(Mutex::new(VecDeque::new())), Arc::new(Notify::new()));
    let is_over = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let mut workers = JoinSet::new();
    for _ in 0..4 {
        let (queue, told, is_over) = (Arc::clone(&queue), Arc::clone(&told), Arc::clone(&is_over));
        let load = Arc::clone(&load);
        workers.spawn(async move {
            while !is_over.load(std::sync::atomic::Ordering::SeqCst) {
                told.notified().await;
                while let Some(job) = next_job(&queue).await {
                    std::hint::black_box(job);
                    load.count();
                }
            }
            told.notify_one();
        });
    }
    let mut number = 0;
    while load.goes_on() {
        sleep(SLOW).await;
        queue.lock().await.extend([number, number + 1]);
        told.notify_one();
        number += 2;
    }
    is_over.store(true, std::sync::atomic::Ordering::SeqCst);
    told.notify_one();
    while workers.join_next().await.is_some() {}
}

#[diagnose]
async fn next_job(queue: &Mutex<VecDeque<u64>>) -> Option<u64> {
    queue.lock().await.pop_front()
}

/// A lock that is held over slow work by design; some waiters time out.
#[diagnose]
async fn slow_lock(load: Arc<Load>) {
    let (file, settings) = (Arc::new(Mutex::new(0)), Arc::new(RwLock::new(0)));
    let mut writers = JoinSet::new();
    for number in 0..5 {
        let (file, settings, load) = (Arc::clone(&file), Arc::clone(&settings), Arc::clone(&load));
        writers.spawn(async move {
            while load.goes_on() {
                let own = timeout(SLOW * 2, append(Arc::clone(&file), &settings)).await;
                if own.is_ok() {
                    load.count();
                }
                if number == 0 {
                    *settings.write().await += 1;
                }
            }
        });
    }
    while writers.join_next().await.is_some() {}
}

#[diagnose]
async fn append(file: Arc<Mutex<u64>>, settings: &RwLock<u64>) {
    let settings = settings.read().await;
    let mut file = file.lock_owned().await;
    sleep(SLOW / 2).await;
    *file += *settings;
}

/// A library with its own thread and runtime, which answers at any time.
#[diagnose]
async fn library(load: Arc<Load>) {
    let (calls, called) = std::sync::mpsc::channel::<oneshot::Sender<u64>>();
    let own = thread::spawn(move || {
        let runtime =
            ::tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        for (number, reply) in (0..).zip(called) {
            runtime.block_on(async {
                ::tokio::time::sleep(SLOW).await;
            });
            let _ = reply.send(number);
        }
    });
    while load.goes_on() {
        call(&calls).await;
        load.count();
    }
    drop(calls);
    tokio::task::spawn_blocking(|| own.join().expect("no panic")).await.expect("no panic");
}

#[diagnose]
async fn call(calls: &std::sync::mpsc::Sender<oneshot::Sender<u64>>) -> u64 {
    let (reply, answer) = oneshot::channel();
    calls.send(reply).expect("it is there");
    answer.await.expect("it answers")
}

/// The first task is the leader, and the others wait for its result.
#[diagnose]
async fn leader(load: Arc<Load>) {
    let (state, seen) = watch::channel(0_u64);
    let mut followers = JoinSet::new();
    for _ in 0..3 {
        let (mut seen, load) = (seen.clone(), Arc::clone(&load));
        followers.spawn(async move {
            while seen.changed().await.is_ok() {
                load.count();
            }
        });
    }
    drop(seen);
    while load.goes_on() {
        let cell = Arc::new(OnceCell::new());
        let tries: FuturesUnordered<_> = (0..3).map(|_| find(&cell)).collect();
        let found: Vec<u64> = tries.collect().await;
        state.send_modify(|state| *state += found[0]);
    }
    drop(state);
    while followers.join_next().await.is_some() {}
}

#[diagnose]
async fn find(cell: &OnceCell<u64>) -> u64 {
    let find = || async {
        sleep(SLOW).await;
        1
    };
    *cell.get_or_init(find).await
}

/// A connection that breaks, and is reopened after a pause.
#[diagnose]
async fn reconnects(load: Arc<Load>) {
    let (lines, mut read) = mpsc::channel::<u64>(2);
    let own = Arc::clone(&load);
    let reader = tokio::spawn(async move {
        while let Some(line) = read.recv().await {
            std::hint::black_box(line);
            own.count();
        }
    });
    let mut pause = Duration::from_millis(20);
    while load.goes_on() {
        let (mut near, far) = tokio::io::duplex(64);
        let peer = tokio::spawn(peer(far));
        connection(&mut near, &lines).await;
        peer.await.expect("no panic");
        sleep_until(Instant::now() + pause).await;
        pause = (pause * 2).min(SLOW * 2);
    }
    drop(lines);
    reader.await.expect("no panic");
}

async fn peer(mut far: tokio::io::DuplexStream) {
    use tokio::io::AsyncWriteExt as _;
    for number in 0..3 {
        sleep(SLOW / 2).await;
        let _ = far.write_u64(number).await;
    }
}

#[diagnose]
async fn connection(near: &mut tokio::io::DuplexStream, lines: &mpsc::Sender<u64>) {
    use tokio::io::AsyncReadExt as _;
    while let Ok(number) = near.read_u64().await {
        lines.send(number).await.expect("there is a receiver");
    }
}

/// All tasks wait for the slowest of each round.
#[diagnose]
async fn rounds(load: Arc<Load>) {
    while load.goes_on() {
        let barrier = Arc::new(Barrier::new(4));
        let mut parts = JoinSet::new();
        for number in 0..4 {
            let barrier = Arc::clone(&barrier);
            parts.spawn(async move { part(number, &barrier).await });
        }
        while parts.join_next().await.is_some() {
            load.count();
        }
    }
}

#[diagnose]
async fn part(number: u32, barrier: &Barrier) {
    sleep(SLOW * number / 3).await;
    barrier.wait().await;
}
