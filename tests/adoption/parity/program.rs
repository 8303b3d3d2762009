// A program that uses much of tokio, and prints the same on every run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Handle, LocalOptions, Runtime};
use tokio::select;
use tokio::sync::{Barrier, Mutex, Notify, RwLock, Semaphore, broadcast, mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinError, JoinHandle, JoinSet, LocalSet};
use tokio::time::{Instant, interval, sleep, timeout};

/// A request, and the channel for its answer.
struct Request {
    number: u64,
    answer: oneshot::Sender<u64>,
}

/// A service that owns tokio's types under tokio's names.
struct Service {
    handle: Handle,
    task: JoinHandle<u64>,
    requests: mpsc::Sender<Request>,
}

impl Service {
    fn start() -> Self {
        let (requests, inbox) = mpsc::channel(4);
        Self { handle: Handle::current(), task: tokio::spawn(serve(inbox)), requests }
    }

    async fn ask(&self, number: u64) -> u64 {
        let (answer, reply) = oneshot::channel();
        assert!(self.requests.send(Request { number, answer }).await.is_ok());
        reply.await.unwrap()
    }

    async fn stop(self) -> Result<u64, JoinError> {
        drop(self.requests);
        self.task.await
    }
}

async fn serve(mut inbox: mpsc::Receiver<Request>) -> u64 {
    let mut served = 0;
    while let Some(request) = inbox.recv().await {
        served += 1;
        let _ = request.answer.send(request.number * request.number);
    }
    served
}

async fn channels() {
    let service = Service::start();
    println!("squares {} {}", service.ask(7).await, service.ask(9).await);
    println!("spawned by handle: {}", service.handle.spawn(async { 5 }).await.unwrap());
    println!("served {}", service.stop().await.unwrap());

    let (sender, mut first) = broadcast::channel(8);
    let mut second = sender.subscribe();
    let (state, mut seen) = watch::channel(0);
    let listener = tokio::spawn(async move { (second.recv().await, second.recv().await) });
    let watcher = tokio::spawn(async move { *seen.wait_for(|state| *state >= 2).await.unwrap() });
    for number in 1..=2 {
        sender.send(number).unwrap();
        state.send(number).unwrap();
    }
    println!("broadcast {:?} {:?}", first.recv().await, listener.await.unwrap());
    println!("watch {}", watcher.await.unwrap());
}

async fn timers() {
    let start = Instant::now();
    let mut ticks = interval(Duration::from_millis(2));
    let mut count = 0;
    let deadline = sleep(Duration::from_secs(60));
    tokio::pin!(deadline);
    loop {
        select! {
            _ = ticks.tick() => {
                count += 1;
                if count == 3 {
                    break;
                }
            }
            () = &mut deadline => unreachable!(),
        }
    }
    println!("ticks {count}, in time {}", start.elapsed() < Duration::from_secs(60));
    let elapsed = timeout(Duration::from_millis(1), std::future::pending::<()>()).await;
    println!("timeout: {}", elapsed.unwrap_err());
    println!("no timeout: {:?}", timeout(Duration::from_secs(60), async { 1 }).await);
    let biased = select! {
        biased;
        value = async { "first" } => value,
        value = async { "second" } => value,
    };
    println!("biased {biased}");
    let (left, right) = tokio::join!(async { 1 }, tokio::task::unconstrained(async { 2 }));
    let tried: Result<(i32, i32), String> =
        tokio::try_join!(async { Ok(left + right) }, async { Err("refused".to_owned()) });
    println!("joined {left} {right}, tried {tried:?}");
}

async fn work(number: u64) -> u64 {
    tokio::task::yield_now().await;
    assert!(number != 13, "unlucky {number}");
    number + 100
}

async fn sets() {
    let mut set = JoinSet::new();
    let handles: Vec<AbortHandle> = (1..=3).map(|number| set.spawn(work(number))).collect();
    set.spawn_on(work(4), &Handle::current());
    set.spawn_blocking(|| 5);
    println!("in the set: {}, empty: {}", set.len(), set.is_empty());
    let mut results = BTreeMap::new();
    while let Some(result) = set.join_next_with_id().await {
        let (id, value) = result.unwrap();
        let known = handles.iter().any(|handle| handle.id() == id);
        results.insert(value, known);
    }
    println!("results {results:?}");

    set.spawn(work(13));
    println!("panic: {}", describe(&set.join_next().await.unwrap().unwrap_err()));
    let aborted = set.spawn(std::future::pending());
    aborted.abort();
    println!("abort: {}", describe(&set.join_next().await.unwrap().unwrap_err()));
    println!("done {}, left {}", aborted.is_finished(), set.len());
    println!("now: {}", set.try_join_next().is_none());
    set.spawn(std::future::pending());
    set.shutdown().await;
    println!("{set:?}");

    let collected: JoinSet<u64> = (20..23).map(work).collect();
    let mut all = collected.join_all().await;
    all.sort_unstable();
    println!("collected {all:?}");
}

fn describe(error: &JoinError) -> String {
    format!("panicked {}, cancelled {}", error.is_panic(), error.is_cancelled())
}

async fn errors() {
    let task = tokio::spawn(work(13));
    let error = task.await.unwrap_err();
    let payload = error.into_panic();
    println!("payload {:?}", payload.downcast_ref::<String>());
    let task: JoinHandle<()> = tokio::spawn(std::future::pending());
    let handle = task.abort_handle();
    handle.abort();
    println!("aborted: {}", describe(&task.await.unwrap_err()));
    let task = tokio::task::spawn_blocking(|| -> u8 { panic!("blocking") });
    println!("blocking: {}", describe(&task.await.unwrap_err()));
    let boxed: Pin<Box<dyn Future<Output = u8> + Send>> = Box::pin(async { 8 });
    println!("boxed {}", tokio::spawn(boxed).await.unwrap());
}

async fn blocking() {
    let sum = tokio::task::spawn_blocking(|| (1..=10).sum::<u64>()).await.unwrap();
    let name = "borrowed".to_owned();
    let length = tokio::task::block_in_place(|| Handle::current().block_on(async { name.len() }));
    println!("sum {sum}, length {length}");
    let (ready, waits) = std::sync::mpsc::channel();
    let handle = Handle::current();
    let thread = std::thread::spawn(move || {
        let _guard = handle.enter();
        let task = tokio::spawn(async { 6 });
        ready.send(()).unwrap();
        handle.block_on(task).unwrap()
    });
    tokio::task::spawn_blocking(move || waits.recv()).await.unwrap().unwrap();
    println!("from a thread: {}", tokio::task::block_in_place(|| thread.join().unwrap()));
}

async fn local() {
    let list = Rc::new(RefCell::new(Vec::new()));
    let set = LocalSet::new();
    for number in 0..3 {
        let list = list.clone();
        set.spawn_local(async move { list.borrow_mut().push(number) });
    }
    let inner = list.clone();
    let count = set
        .run_until(async move {
            let other = inner.clone();
            let task = tokio::task::spawn_local(async move { other.borrow_mut().push(10) });
            task.await.unwrap();
            inner.borrow().len()
        })
        .await;
    set.await;
    println!("local {count} {:?}", list.borrow());
}

async fn locks() {
    let counter = Arc::new(Mutex::new(0));
    let permits = Arc::new(Semaphore::new(2));
    let shared = Arc::new(RwLock::new(vec![1, 2, 3]));
    let barrier = Arc::new(Barrier::new(4));
    let done = Arc::new(Notify::new());
    let mut set = JoinSet::new();
    for _ in 0..4 {
        let (counter, permits, shared) = (counter.clone(), permits.clone(), shared.clone());
        let barrier = barrier.clone();
        set.spawn(async move {
            let leads = barrier.wait().await.is_leader();
            let _permit = permits.acquire().await.unwrap();
            *counter.lock().await += shared.read().await.len();
            leads
        });
    }
    let notify = done.clone();
    let waits = tokio::spawn(async move { notify.notified().await });
    let leaders = set.join_all().await.into_iter().filter(|leads| *leads).count();
    done.notify_one();
    waits.await.unwrap();
    println!("counter {}, leaders {leaders}, permits {}", counter.lock().await, permits.available_permits());
}

async fn echo() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await?;
        let (mut reader, mut writer) = stream.split();
        tokio::io::copy(&mut reader, &mut writer).await
    });
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"hello").await?;
    stream.shutdown().await?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await?;
    println!("echo {text}, {} bytes", server.await??);
    Ok(())
}

tokio::task_local! {
    static USER: &'static str;
}

async fn user() -> String {
    USER.scope("me", async { USER.with(|user| (*user).to_owned()) }).await
}

fn by_hand() -> io::Result<()> {
    let starts = Arc::new(AtomicUsize::new(0));
    let stops = Arc::new(AtomicUsize::new(0));
    let (counts_starts, counts_stops) = (starts.clone(), stops.clone());
    let runtime: Runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(1)
        .thread_name("hand")
        .name("by hand")
        .enable_all()
        .on_thread_start(move || {
            counts_starts.fetch_add(1, Ordering::SeqCst);
        })
        .on_thread_stop(move || {
            counts_stops.fetch_add(1, Ordering::SeqCst);
        })
        .build()?;
    let name = runtime.spawn(async { std::thread::current().name().map(str::to_owned) });
    println!("worker {:?} of {:?}", runtime.block_on(name).unwrap(), runtime.handle().name());
    println!("{:?}", runtime.handle().runtime_flavor());
    runtime.block_on(runtime.spawn_blocking(|| ())).unwrap();
    runtime.shutdown_timeout(Duration::from_secs(10));
    println!("started {}, stopped {}", starts.load(Ordering::SeqCst), stops.load(Ordering::SeqCst));

    let runtime = Builder::new_current_thread().build()?;
    let set = LocalSet::new();
    println!("local {}", set.block_on(&runtime, async { Rc::new(4) }));
    let runtime = Builder::new_current_thread().build_local(LocalOptions::default())?;
    println!("local runtime {}", runtime.block_on(runtime.spawn_local(async { 3 })).unwrap());
    println!("no runtime: {}", Handle::try_current().unwrap_err());
    let nested = std::panic::catch_unwind(|| tokio::spawn(async {}));
    println!("spawn outside: {}", nested.is_err());
    Ok(())
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn serve_all() -> io::Result<u8> {
    channels().await;
    timers().await;
    sets().await;
    errors().await;
    blocking().await;
    local().await;
    locks().await;
    println!("task local {}", user().await);
    println!("in a task: {}", tokio::task::try_id().is_some());
    println!("in a spawned task: {}", tokio::spawn(async { tokio::task::try_id().is_some() }).await.unwrap());
    echo().await?;
    Ok(9)
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn paused() {
    let start = Instant::now();
    sleep(Duration::from_secs(3_600)).await;
    println!("an hour: {:?}", start.elapsed());
}

fn main() -> io::Result<()> {
    println!("result {}", serve_all()?);
    paused();
    by_hand()
}
