//! Programs that look stuck and go on: a woken future is not polled, and something wakes a further
//! wait.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use diagnose::FutureExt as _;

use super::ms;
use crate::drop_in::{async_lock, futures, tokio};
use crate::row::{Section, row};
use tokio::sync::oneshot;
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("woken.rs"),
    rows: &[
        row!(
            "Y219",
            initialized_by_a_retry,
            "async-lock: get_or_init() behind one that was woken and is not polled, and a later one initializes"
        ),
        row!(
            "Y220",
            several_permits_at_once,
            "async-lock: acquire() behind one that was woken and is not polled, and five permits are added"
        ),
        row!(
            "Y221",
            lowest_number_first,
            "a lock of futures wakes a later wait than the one that was woken and is not polled"
        ),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 2_000;

/// Awaits a future that has to wait, and reports when it does.
async fn reporting<F: Future>(future: F, waits: oneshot::Sender<()>) -> F::Output {
    let mut future = pin!(future);
    let Poll::Pending = futures::poll!(future.as_mut()) else { panic!("it has not waited") };
    waits.send(()).unwrap();
    future.await
}

async fn initialized_by_a_retry() {
    let cell = Arc::new(async_lock::OnceCell::<u32>::new());
    let [loads, asks] = [(); 2].map(|()| Arc::clone(&cell));
    let (begun, has_begun) = oneshot::channel();
    let (fail, has_failed) = oneshot::channel();
    let loads = async move {
        let fails = || async {
            begun.send(()).unwrap();
            has_failed.await.unwrap();
            Err::<u32, ()>(())
        };
        loads.get_or_try_init(fails).await.unwrap_err();
        sleep(ms(LONG)).await;
        loads.get_or_init(|| async { 1 }).await;
    };
    tokio::spawn(loads.diagnose("loads"));
    has_begun.await.unwrap();
    let mut first = pin!(cell.get_or_init(|| async { 2 }));
    assert!(futures::poll!(first.as_mut()).is_pending());
    let (waits, is_waiting) = oneshot::channel();
    let asks = async move { *reporting(asks.get_or_init(|| async { 3 }), waits).await };
    let asks = tokio::spawn(asks.diagnose("asks"));
    is_waiting.await.unwrap();
    fail.send(()).unwrap();
    assert_eq!(asks.await.unwrap(), 1);
}

async fn several_permits_at_once() {
    let permits = Arc::new(async_lock::Semaphore::new(0));
    let [adds, asks] = [(); 2].map(|()| Arc::clone(&permits));
    let mut first = pin!(permits.acquire());
    assert!(futures::poll!(first.as_mut()).is_pending());
    let (waits, is_waiting) = oneshot::channel();
    let asks = async move { drop(reporting(asks.acquire(), waits).await) };
    let asks = tokio::spawn(asks.diagnose("asks"));
    is_waiting.await.unwrap();
    let adds = async move {
        adds.add_permits(1);
        sleep(ms(LONG)).await;
        adds.add_permits(5);
    };
    tokio::spawn(adds.diagnose("adds"));
    asks.await.unwrap();
}

async fn lowest_number_first() {
    let table = Arc::new(futures::lock::Mutex::new(0));
    let [before, between, after] = [(); 3].map(|()| Arc::clone(&table));
    let guard = table.lock().await;
    let (waits, is_waiting) = oneshot::channel();
    let before = async move { *reporting(before.lock(), waits).await += 1 };
    let before = tokio::spawn(before.diagnose("before"));
    is_waiting.await.unwrap();
    let mut first = pin!(table.lock());
    assert!(futures::poll!(first.as_mut()).is_pending());
    drop(guard);
    before.await.unwrap();
    let (locked, is_locked) = oneshot::channel();
    let between = async move {
        let mut table = between.lock().await;
        locked.send(()).unwrap();
        sleep(ms(LONG)).await;
        *table += 1;
    };
    tokio::spawn(between.diagnose("between"));
    is_locked.await.unwrap();
    let after = async move { *after.lock().await += 1 };
    tokio::spawn(after.diagnose("after")).await.unwrap();
}
