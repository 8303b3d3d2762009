//! A free lock with a waiter shows its last acquisition: the task, the place and the time since.

use std::pin::pin;
use std::sync::Arc;

use diagnose::tokio;
use diagnose::tokio::sync::{Mutex, RwLock, Semaphore};
use diagnose_waits_tests::{made_in, poll, settle};

#[tokio::test]
async fn a_holder_that_had_to_wait_is_named() {
    let (lock, made) = (Arc::new(Mutex::new(0)), line!());
    let held = lock.lock().await;
    let takes = line!() + 3;
    let other = tokio::spawn({
        let lock = Arc::clone(&lock);
        async move { *lock.lock().await += 1 }
    });
    settle().await;
    let first = made_in!(made).0.last_acquired.clone().unwrap();
    assert_ne!(first.place.unwrap().line, takes, "it waits");
    let mut waits = pin!(lock.lock());
    assert!(poll(waits.as_mut()).is_pending());
    drop(held);
    other.await.unwrap();

    let (resource, queue) = made_in!(made);
    let last = resource.last_acquired.clone().unwrap();
    assert_eq!((resource.holdings.len(), queue.len(), queue[0].is_granted), (0, 1, true));
    assert_eq!(last.place.unwrap().line, takes);
    assert!(last.ago_ns.is_some() && last.task.is_some() && last.task != first.task);
}

#[tokio::test]
async fn a_holder_that_did_not_wait_is_named() {
    let (lock, made) = (RwLock::new(()), line!());
    let held = lock.try_write().unwrap();
    let mut waits = pin!(lock.read());
    assert!(poll(waits.as_mut()).is_pending());
    drop(held);
    assert_eq!(made_in!(made).0.last_acquired.clone().unwrap().place.unwrap().line, made + 1);

    let (permits, made) = (Semaphore::new(2), line!());
    let held = permits.try_acquire_many(2).unwrap();
    let mut waits = pin!(permits.acquire());
    assert!(poll(waits.as_mut()).is_pending());
    drop(held);
    assert_eq!(made_in!(made).0.last_acquired.clone().unwrap().place.unwrap().line, made + 1);
}
