//! Programs that hang as they end: they close, join, notify or unlock in an order in which nothing
//! can follow.

use std::pin::{Pin, pin};
use std::sync::{self, Arc, Barrier};

use diagnose::diagnose;

use super::ms;
use crate::drop_in::{std_sync, tokio, tokio_util};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::sync::{Mutex, Notify, OwnedMutexGuard, mpsc, oneshot};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("endings.rs"),
    rows: &[
        row!(
            "X148",
            drained_beside_a_reserved_slot,
            "a closed channel is drained under a lock that the owner of a reserved slot waits for"
        )
        .is(likely("cycle"))
        .in_noise(suspect("cycle")),
        row!("X149", joined_before_the_drain, "main joins the producer before it receives anything")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!(
            "X150",
            crossed_with_a_job,
            "a task and a blocking job lock two std locks in opposite order, each blocking its thread"
        )
        .is(proven("cycle")),
        row!(
            "X151",
            parent_never_cancelled,
            "a child token was cancelled, and a task waits for its parent, which nobody cancels"
        )
        .is(likely("starved"))
        .in_noise(suspect("starved")),
        row!(
            "X152",
            joined_before_the_second_notification,
            "a worker got its first notification, and main joins it before it sends the second"
        )
        .is(likely("starved"))
        .in_noise(suspect("starved")),
        row!(
            "X159",
            handed_to_a_forgotten_lock,
            "a task that is done has left its lock_owned() in a static, which is handed the lock"
        )
        .is(likely("futurelock"))
        .in_noise(suspect("futurelock")),
        row!(
            "X154",
            set_of_three_hundred,
            "main joins the 300 tasks of a JoinSet under a lock that they wait for"
        )
        .is(proven("cycle"))
        .or(likely("cycle")),
    ],
};

async fn drained_beside_a_reserved_slot() {
    #[diagnose]
    async fn produce(queue: mpsc::Sender<u32>, rows: Arc<Mutex<u32>>) {
        let slot = queue.reserve().await.unwrap();
        let row = *rows.lock().await; // waits
        slot.send(row);
    }
    let rows = Arc::new(Mutex::new(0));
    let guard = rows.lock().await;
    let (queue, mut jobs) = mpsc::channel(4);
    tokio::spawn(produce(queue, Arc::clone(&rows)));
    sleep(ms(50)).await;
    jobs.close();
    while jobs.recv().await.is_some() {} // waits
    drop(guard);
}

async fn joined_before_the_drain() {
    #[diagnose]
    async fn produce(queue: mpsc::Sender<u32>) {
        for row in 0..10 {
            queue.send(row).await.unwrap(); // waits
        }
    }
    let (queue, mut rows) = mpsc::channel(2);
    tokio::spawn(produce(queue)).await.unwrap(); // waits
    while rows.recv().await.is_some() {}
}

async fn crossed_with_a_job() {
    fn transfer([from, to]: [Arc<std_sync::Mutex<u32>>; 2], both: &Barrier) {
        let from = from.lock().unwrap();
        both.wait();
        *to.lock().unwrap() += *from; // waits
    }
    #[diagnose]
    async fn in_place(accounts: [Arc<std_sync::Mutex<u32>>; 2], both: Arc<Barrier>) {
        transfer(accounts, &both);
    }
    let [a, b] = [1, 2].map(|balance| Arc::new(std_sync::Mutex::new(balance)));
    let both = Arc::new(Barrier::new(2));
    let job = {
        let (accounts, both) = ([Arc::clone(&b), Arc::clone(&a)], Arc::clone(&both));
        spawn_blocking(move || transfer(accounts, &both))
    };
    tokio::spawn(in_place([a, b], both));
    job.await.unwrap();
}

async fn parent_never_cancelled() {
    #[diagnose]
    async fn until(token: CancellationToken) {
        token.cancelled().await; // waits
    }
    let parent = CancellationToken::new();
    let child = parent.child_token();
    let request = tokio::spawn(until(child.clone()));
    sleep(ms(20)).await;
    child.cancel();
    request.await.unwrap();
    tokio::spawn(until(parent.clone())).await.unwrap();
}

async fn joined_before_the_second_notification() {
    #[diagnose]
    async fn work(steps: Arc<Notify>, ready: oneshot::Sender<()>) {
        let mut first = pin!(steps.notified());
        assert!(futures::poll!(&mut first).is_pending());
        ready.send(()).unwrap();
        first.await;
        steps.notified().await; // waits
    }
    let steps = Arc::new(Notify::new());
    let (ready, is_ready) = oneshot::channel();
    let worker = tokio::spawn(work(Arc::clone(&steps), ready));
    is_ready.await.unwrap();
    steps.notify_one();
    worker.await.unwrap();
    steps.notify_one();
}

async fn handed_to_a_forgotten_lock() {
    type Locks = Pin<Box<dyn Future<Output = OwnedMutexGuard<u32>> + Send>>;
    static FORGOTTEN: sync::Mutex<Vec<Locks>> = sync::Mutex::new(Vec::new());
    #[diagnose]
    async fn forget(table: Arc<Mutex<u32>>) {
        let mut locks: Locks = Box::pin(table.lock_owned());
        assert!(futures::poll!(&mut locks).is_pending());
        FORGOTTEN.lock().unwrap().push(locks);
    }
    let table = Arc::new(Mutex::new(0));
    let guard = table.lock().await;
    tokio::spawn(forget(Arc::clone(&table))).await.unwrap();
    drop(guard);
    *table.lock().await += 1; // waits
}

async fn set_of_three_hundred() {
    #[diagnose]
    async fn add(rows: Arc<Mutex<u32>>) {
        *rows.lock().await += 1; // waits
    }
    let rows = Arc::new(Mutex::new(0));
    let guard = rows.lock().await;
    let mut set = JoinSet::new();
    for _ in 0..300 {
        set.spawn(add(Arc::clone(&rows)));
    }
    while set.join_next().await.is_some() {} // waits
    drop(guard);
}
