//! Hangs of threads and wakers: what blocks a thread, and a wake that reaches nobody.

use std::sync::Arc;
use std::thread;

use diagnose::{FutureExt as _, diagnose};
use futures::FutureExt as _;
use futures::executor;
use futures::future::BoxFuture;

use super::ms;
use crate::drop_in::{parking_lot, std_sync, tokio};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{Mutex, OwnedMutexGuard, mpsc, oneshot};
use tokio::task::{block_in_place, spawn_blocking};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("unseen.rs"),
    rows: &[
        row!("X44", granted_to_now_or_never, "a lock is handed to a future that now_or_never() has polled")
            .is(likely("futurelock").detail("granted"))
            .in_noise(suspect("futurelock").detail("granted")),
        row!("X45", read_again_parking_lot, "parking_lot: read(), and read() again behind a queued writer")
            .is(likely("cycle").detail("via_queue"))
            .or(proven("cycle").detail("via_queue")),
        row!("X46", woken_in_the_lifo_slot, "a task that blocks its worker has woken the one it waits for")
            .is(likely("blocked_worker"))
            .or(suspect("blocked_worker"))
            .or(proven("blocked_worker"))
            .beside("driver_starved"),
        row!(
            "X47",
            blocks_the_timers,
            "a thread that should drive timers waits for a lock of another thread"
        )
        .is(likely("driver_starved"))
        .or(suspect("blocked_worker"))
        .or(likely("blocked_worker")),
        // As in tokio#7892 and librefang#5126.
        row!("X48", blocking_lock_in_place, "blocking_lock() in place of a lock that its caller has")
            .is(proven("blocked_worker"))
            .or(proven("self_wait"))
            .or(likely("blocked_worker"))
            .beside("driver_starved"),
        row!(
            "X49",
            two_threads_two_locks,
            "two threads for blocking work lock A and B of std in opposite order"
        )
        .is(proven("cycle"))
        .or(proven("blocked_worker"))
        .beside("driver_starved"),
        row!("X50", job_waits_for_its_caller, "a blocking job receives from a channel that its awaiter has")
            .is(likely("cycle"))
            .or(proven("cycle"))
            .in_noise(suspect("cycle")),
        row!(
            "Y48",
            now_or_never_and_later,
            "a lock is handed to a future of now_or_never(), which is awaited later"
        ),
        row!(
            "Y49",
            now_or_never_elsewhere,
            "a lock is handed to a future of now_or_never(), which moves to an older task"
        ),
    ],
};

async fn granted_to_now_or_never() {
    let lock = Arc::new(Mutex::new(()));
    let guard = lock.lock().await;
    let mut attempt = Box::pin(lock.lock()); // holds
    assert!(attempt.as_mut().now_or_never().is_none()); // holds
    drop(guard);
    let _second = lock.lock().await; // waits, shown
    drop(attempt);
}

async fn read_again_parking_lot() {
    let table = Arc::new(parking_lot::RwLock::new(0));
    let theirs = Arc::clone(&table);
    let (has_read, is_read) = std::sync::mpsc::channel();
    let writer = thread::spawn(move || {
        is_read.recv().unwrap();
        *theirs.write() += 1; // waits
    });
    let reads = spawn_blocking(move || {
        let first = table.read(); // holds, shown
        has_read.send(()).unwrap();
        thread::sleep(ms(200));
        let second = table.read(); // waits, shown
        *first + *second
    });
    reads.await.unwrap();
    writer.join().unwrap();
}

async fn woken_in_the_lifo_slot() {
    let (ask, asked) = oneshot::channel::<std_sync::mpsc::Sender<u32>>();
    let answers = async move {
        let reply = asked.await.unwrap();
        reply.send(1).unwrap();
    };
    tokio::spawn(answers.diagnose("answers"));
    sleep(ms(30)).await;
    let asks = async move {
        let (reply, replied) = std_sync::mpsc::channel();
        ask.send(reply).unwrap();
        replied.recv().unwrap(); // waits, shown
    };
    tokio::spawn(asks.diagnose("asks")).await.unwrap(); // waits
}

/// A thread of its own keeps the lock, for longer than anybody looks.
async fn blocks_the_timers() {
    let table = Arc::new(std_sync::Mutex::new(0));
    let theirs = Arc::clone(&table);
    let (locked, is_locked) = std::sync::mpsc::channel();
    let other = thread::spawn(move || {
        let mut guard = theirs.lock().unwrap();
        locked.send(()).unwrap();
        thread::sleep(ms(60_000));
        *guard += 1;
    });
    is_locked.recv().unwrap();
    let ticks = async { sleep(ms(100)).await };
    let ticks = tokio::spawn(ticks.diagnose("ticks")); // waits
    tokio::task::yield_now().await;
    let counts = async move {
        sleep(ms(20)).await;
        *table.lock().unwrap() += 1; // waits, shown
    };
    tokio::spawn(counts.diagnose("counts")).await.unwrap();
    ticks.await.unwrap();
    other.join().unwrap();
}

async fn blocking_lock_in_place() {
    #[diagnose]
    async fn turn(messages: Arc<Mutex<u32>>) {
        let theirs = Arc::clone(&messages);
        let guard = messages.lock().await; // holds, shown
        if Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread {
            block_in_place(|| *theirs.blocking_lock() += 1); // waits
        } else {
            executor::block_on(async { *theirs.lock().await += 1 }); // waits
        }
        drop(guard);
    }
    tokio::spawn(turn(Arc::default())).await.unwrap();
}

async fn two_threads_two_locks() {
    let (a, b) = (Arc::new(std_sync::Mutex::new(0)), Arc::new(std_sync::Mutex::new(0)));
    let (a_second, b_first) = (Arc::clone(&a), Arc::clone(&b));
    let one = spawn_blocking(move || {
        let _a = a.lock().unwrap(); // holds, shown
        thread::sleep(ms(100));
        *b.lock().unwrap() += 1; // waits, shown
    });
    let other = spawn_blocking(move || {
        let _b = b_first.lock().unwrap(); // holds, shown
        thread::sleep(ms(100));
        *a_second.lock().unwrap() += 1; // waits, shown
    });
    one.await.unwrap();
    other.await.unwrap();
}

async fn job_waits_for_its_caller() {
    let (parts, mut received) = mpsc::channel::<u32>(4);
    let sums = spawn_blocking(move || {
        let mut sum = 0;
        loop {
            let part = received.blocking_recv(); // waits, shown
            let Some(part) = part else { break sum };
            sum += part;
        }
    });
    parts.send(1).await.unwrap();
    sums.await.unwrap(); // waits, shown
    drop(parts);
}

async fn now_or_never_and_later() {
    let lock = Arc::new(Mutex::new(()));
    let guard = lock.lock().await;
    let theirs = Arc::clone(&lock);
    let waits = async move { drop(theirs.lock().await) };
    let mut attempt = Box::pin(lock.lock());
    assert!(attempt.as_mut().now_or_never().is_none());
    let waits = tokio::spawn(waits.diagnose("waits"));
    drop(guard);
    sleep(ms(1_500)).await;
    drop(attempt.await);
    waits.await.unwrap();
}

async fn now_or_never_elsewhere() {
    let (give, take) = async_channel::unbounded::<BoxFuture<'static, OwnedMutexGuard<()>>>();
    let finishes = async move {
        let attempt = take.recv().await.unwrap();
        sleep(ms(1_500)).await;
        drop(attempt.await);
    };
    tokio::spawn(finishes.diagnose("finishes"));
    sleep(ms(20)).await;
    let lock = Arc::new(Mutex::new(()));
    let guard = lock.lock().await;
    let mut attempt: BoxFuture<'static, OwnedMutexGuard<()>> = Box::pin(Arc::clone(&lock).lock_owned());
    assert!(attempt.as_mut().now_or_never().is_none());
    give.send(attempt).await.unwrap();
    drop(guard);
    drop(lock.lock().await);
}
