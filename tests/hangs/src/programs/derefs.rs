//! Programs that look stuck and go on: a helper that knows only the original is lent a wrapper.

use std::sync::Arc;

use diagnose::FutureExt as _;

use super::ms;
use crate::drop_in::{async_lock, tokio};
use crate::row::{Section, row};
use tokio::sync::{Notify, Semaphore, mpsc, oneshot};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("derefs.rs"),
    rows: &[
        row!("Y80", refilled_by_a_helper, "a helper of an original adds permits, now and then"),
        row!("Y81", async_lock_refilled_by_a_helper, "async-lock: a helper of an original adds permits"),
        row!("Y82", notified_by_a_helper, "an older task has a helper of an original notify"),
        row!("Y83", arrives_by_a_helper, "an older task has a helper of an original arrive at a barrier"),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

/// Tasks have both permits, and wait for a task that waits for a third one.
///
/// ```text
/// refills ─ add 1 ──────────────────────── add 1
/// waits     has 1, waits for `answers` ───────▶
/// main        has 1, waits for `waits` ───────▶
/// answers       waits for a permit ───────▶
/// ```
async fn refilled_by_a_helper() {
    fn refill(permits: &::tokio::sync::Semaphore) {
        permits.add_permits(1);
    }
    let permits = Arc::new(Semaphore::new(1));
    let (first, mut from_first) = mpsc::channel::<u32>(1);
    let (second, mut from_second) = mpsc::channel::<u32>(1);
    let theirs = Arc::clone(&permits);
    let refills = async move {
        refill(&theirs);
        sleep(ms(LONG)).await;
        refill(&theirs);
    };
    tokio::spawn(refills.diagnose("refills"));
    let theirs = Arc::clone(&permits);
    let waits = async move {
        let _permit = theirs.acquire().await.unwrap();
        from_second.recv().await.unwrap();
        first.send(1).await.unwrap();
    };
    tokio::spawn(waits.diagnose("waits"));
    sleep(ms(20)).await;
    let theirs = Arc::clone(&permits);
    let answers = async move {
        let _permit = theirs.acquire().await.unwrap();
        second.send(1).await.unwrap();
    };
    let _permit = permits.acquire().await.unwrap();
    tokio::spawn(answers.diagnose("answers"));
    from_first.recv().await.unwrap();
}

/// As `refilled_by_a_helper`.
async fn async_lock_refilled_by_a_helper() {
    fn refill(permits: &::async_lock::Semaphore) {
        permits.add_permits(1);
    }
    let permits = Arc::new(async_lock::Semaphore::new(1));
    let (first, mut from_first) = mpsc::channel::<u32>(1);
    let (second, mut from_second) = mpsc::channel::<u32>(1);
    let theirs = Arc::clone(&permits);
    let refills = async move {
        refill(&theirs);
        sleep(ms(LONG)).await;
        refill(&theirs);
    };
    tokio::spawn(refills.diagnose("refills"));
    let theirs = Arc::clone(&permits);
    let waits = async move {
        let _permit = theirs.acquire().await;
        from_second.recv().await.unwrap();
        first.send(1).await.unwrap();
    };
    tokio::spawn(waits.diagnose("waits"));
    sleep(ms(20)).await;
    let theirs = Arc::clone(&permits);
    let answers = async move {
        let _permit = theirs.acquire().await;
        second.send(1).await.unwrap();
    };
    let _permit = permits.acquire().await;
    tokio::spawn(answers.diagnose("answers"));
    from_first.recv().await.unwrap();
}

async fn notified_by_a_helper() {
    fn notify(all: &::tokio::sync::Notify) {
        all.notify_waiters();
    }
    let (hand_over, handed) = oneshot::channel::<Arc<Notify>>();
    let notifies = async move {
        let notified = handed.await.unwrap();
        notify(&notified);
        sleep(ms(LONG)).await;
        notify(&notified);
    };
    tokio::spawn(notifies.diagnose("notifies"));
    sleep(ms(20)).await;
    let notified = Arc::new(Notify::new());
    let theirs = Arc::clone(&notified);
    let _ = hand_over.send(theirs);
    sleep(ms(20)).await;
    notified.notified().await;
}

async fn arrives_by_a_helper() {
    async fn arrive(barrier: &::tokio::sync::Barrier) {
        barrier.wait().await;
    }
    let (hand_over, handed) = oneshot::channel::<Arc<tokio::sync::Barrier>>();
    let arrives = async move {
        let barrier: Arc<tokio::sync::Barrier> = handed.await.unwrap();
        let original: &::tokio::sync::Barrier = &barrier;
        sleep(ms(LONG)).await;
        arrive(original).await;
    };
    tokio::spawn(arrives.diagnose("arrives"));
    sleep(ms(20)).await;
    let barrier = Arc::new(tokio::sync::Barrier::new(2));
    let _ = hand_over.send(Arc::clone(&barrier));
    sleep(ms(20)).await;
    barrier.wait().await;
}
