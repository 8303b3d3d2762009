//! Locks: two tasks each wait for what the other has, or one for what it has itself.

use std::sync::Arc;

use diagnose::FutureExt as _;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::ms;
use crate::drop_in::{async_lock, tokio};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::sync::{Mutex, OnceCell, RwLock, mpsc};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("cycles.rs"),
    rows: &[
        row!("C13", two_locks, "two tasks lock A and B in opposite order")
            .is(proven("cycle"))
            .or(likely("cycle")),
        row!("C15", lock_again, "a helper locks what its caller has locked").is(proven("self_wait")),
        row!("C16", read_again, "read(), and read() again behind a queued writer")
            .is(proven("cycle").detail("via_queue"))
            .or(likely("cycle").detail("via_queue")),
        row!("C16", read_again_async_lock, "async-lock: read(), and read() again behind a queued writer")
            .is(proven("cycle").detail("via_queue"))
            .or(likely("cycle").detail("via_queue")),
        row!("C22", cell_in_itself, "the initializer of a OnceCell asks for the cell")
            .is(proven("self_wait"))
            .or(likely("self_wait"))
            .in_noise(suspect("self_wait")),
        row!("C25", lock_and_channel, "the sender to a full channel has the lock that its receiver needs")
            .is(proven("cycle"))
            .or(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("X03", two_locks_async_lock, "async-lock: two tasks lock A and B in opposite order")
            .is(proven("cycle"))
            .or(likely("cycle")),
        row!("X04", upgrade, "a reader waits to write").is(proven("self_wait")),
    ],
};

async fn two_locks() {
    let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let (a_first, b_second) = (Arc::clone(&a), Arc::clone(&b));
    let one = async move {
        let _a = a_first.lock().await; // holds
        sleep(ms(150)).await;
        let _b = b_second.lock().await; // waits
    };
    let other = async move {
        let _b = b.lock().await; // holds
        sleep(ms(150)).await;
        let _a = a.lock().await; // waits
    };
    let tasks = [tokio::spawn(one.diagnose("one")), tokio::spawn(other.diagnose("other"))];
    for task in tasks {
        task.await.unwrap();
    }
}

async fn lock_again() {
    async fn add(count: &Mutex<u32>) {
        *count.lock().await += 1; // waits
    }
    let count = Mutex::new(0);
    let guard = count.lock().await; // holds
    add(&count).diagnose("add").await; // waits
    drop(guard);
}

async fn read_again() {
    let lock = Arc::new(RwLock::new(0));
    let first = lock.read().await; // holds
    let written = Arc::clone(&lock);
    let writer = async move {
        *written.write().await += 1; // waits
    };
    let writer = tokio::spawn(writer.diagnose("writer"));
    sleep(ms(200)).await;
    let second = lock.read().await; // waits
    drop((first, second));
    writer.await.unwrap();
}

async fn read_again_async_lock() {
    let lock = Arc::new(async_lock::RwLock::new(0));
    let first = lock.read().await; // holds
    let written = Arc::clone(&lock);
    let writer = async move {
        *written.write().await += 1; // waits
    };
    let writer = tokio::spawn(writer.diagnose("writer"));
    sleep(ms(200)).await;
    let second = lock.read().await; // waits
    drop((first, second));
    writer.await.unwrap();
}

async fn cell_in_itself() {
    static CELL: OnceCell<u32> = OnceCell::const_new();
    fn value() -> BoxFuture<'static, u32> {
        let value = async {
            *CELL.get_or_init(|| async { value().await + 1 }).await // waits, holds
        };
        value.diagnose("value").boxed() // waits, holds
    }
    value().await;
}

async fn lock_and_channel() {
    let sum = Arc::new(Mutex::new(0));
    let (sender, mut receiver) = mpsc::channel(1);
    let summed = Arc::clone(&sum);
    let adding = async move {
        while let Some(number) = receiver.recv().await {
            sleep(ms(5)).await;
            *summed.lock().await += number; // waits
        }
    };
    let adding = tokio::spawn(adding.diagnose("adds"));
    let guard = sum.lock().await; // holds
    for number in 0..5 {
        sender.send(number).await.unwrap(); // waits
    }
    drop((guard, sender));
    adding.await.unwrap();
}

async fn two_locks_async_lock() {
    let (a, b) = (Arc::new(async_lock::Mutex::new(())), Arc::new(async_lock::Mutex::new(())));
    let (a_first, b_second) = (Arc::clone(&a), Arc::clone(&b));
    let one = async move {
        let _a = a_first.lock().await; // holds
        sleep(ms(150)).await;
        let _b = b_second.lock().await; // waits
    };
    let other = async move {
        let _b = b.lock().await; // holds
        sleep(ms(150)).await;
        let _a = a.lock().await; // waits
    };
    let one = tokio::spawn(one.diagnose("one"));
    tokio::spawn(other.diagnose("other")).await.unwrap();
    one.await.unwrap();
}

async fn upgrade() {
    let lock = RwLock::new(0);
    let value = lock.read().await; // holds
    if *value == 0 {
        *lock.write().await = 1; // waits
    }
}
