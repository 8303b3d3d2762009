//! A dropped future leaves the queue. A unit granted to it goes to the next waiter.

use std::pin::pin;

use diagnose::tokio;
use diagnose::tokio::sync::Mutex;
use diagnose_waits_tests::{made_in, poll};

#[tokio::test]
async fn a_dropped_future_passes_its_grant_to_the_next_waiter() {
    let (mutex, made) = (Mutex::new(0), line!());
    let guard = mutex.lock().await;
    let mut first = Box::pin(mutex.lock());
    let mut second = pin!(mutex.lock());
    assert!(poll(first.as_mut()).is_pending() && poll(second.as_mut()).is_pending());
    assert_eq!(made_in!(made).1.len(), 2);
    drop(guard);
    assert!(made_in!(made).1[0].is_granted);
    drop(first);
    let (resource, queue) = made_in!(made);
    assert_eq!((queue.len(), queue[0].is_granted, resource.free), (1, true, 0));
    assert!(poll(second).is_ready());
}

#[tokio::test]
async fn a_future_that_was_never_polled_is_not_in_the_queue() {
    let (mutex, made) = (Mutex::new(0), line!());
    let _guard = mutex.lock().await;
    let _never = mutex.lock();
    assert!(made_in!(made).1.is_empty());
}
