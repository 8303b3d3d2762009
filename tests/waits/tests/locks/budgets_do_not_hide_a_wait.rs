//! A task that uses up tokio's budget and then waits is in the queue.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use diagnose::tokio;
use diagnose::tokio::sync::{Mutex, Semaphore};
use diagnose_waits_tests::{made_in, settle};

#[tokio::test]
async fn a_task_that_used_up_its_budget_is_in_the_queue() {
    let (mutex, made) = (Arc::new(Mutex::new(0)), line!());
    let guard = mutex.lock().await;
    let task = tokio::spawn({
        let mutex = Arc::clone(&mutex);
        async move {
            let semaphore = Semaphore::new(1);
            while tokio::task::coop::has_budget_remaining() {
                drop(semaphore.acquire().await.unwrap());
            }
            *mutex.lock().await += 1;
        }
    });
    settle().await;
    assert_eq!(made_in!(made).1.len(), 1);
    drop(guard);
    assert!(made_in!(made).1[0].is_granted);
    task.await.unwrap();
}

/// A task that its budget holds back has the free permit already, and continues once it is woken.
#[tokio::test]
async fn a_future_held_back_by_the_budget_is_in_the_queue() {
    let (semaphore, made) = (Semaphore::new(1), line!());
    tokio::spawn(async move {
        let other = Semaphore::new(1);
        while tokio::task::coop::has_budget_remaining() {
            drop(other.acquire().await.unwrap());
        }
        let mut acquires = pin!(semaphore.acquire());
        assert!(poll_fn(|context| Poll::Ready(acquires.as_mut().poll(context).is_pending())).await);
        assert_eq!((semaphore.available_permits(), made_in!(made).1.len()), (0, 1));
        drop(acquires.await.unwrap());
        assert_eq!(semaphore.available_permits(), 1);
    })
    .await
    .unwrap();
}
