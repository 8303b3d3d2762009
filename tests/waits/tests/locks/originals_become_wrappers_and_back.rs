//! Each wrapper can be made of the original, and the original of it, with what is in it.

use std::sync::Arc;

use ::tokio::sync as real;
use diagnose::tokio::sync as ours;
use diagnose_waits_tests::{made_in, now, poll};

#[test]
fn both_ways() {
    let mutex: real::Mutex<u8> = real::Mutex::<u8>::from(ours::Mutex::<u8>::from(real::Mutex::<u8>::new(1)));
    assert_eq!(ours::Mutex::new(mutex.into_inner()).into_tokio().into_inner(), 1);
    let lock: real::RwLock<u8> =
        real::RwLock::<u8>::from(ours::RwLock::<u8>::from(real::RwLock::<u8>::new(1)));
    assert_eq!(ours::RwLock::new(lock.into_inner()).into_tokio().into_inner(), 1);
    let semaphore = real::Semaphore::from(ours::Semaphore::from(real::Semaphore::new(3)));
    assert_eq!(semaphore.available_permits(), 3);
    let cell = real::OnceCell::from(ours::OnceCell::from(real::OnceCell::new_with(Some(1))));
    assert_eq!(cell.get(), Some(&1));
    let cell = real::SetOnce::from(ours::SetOnce::from(real::SetOnce::new_with(Some(1))));
    assert_eq!(cell.get(), Some(&1));
    let barrier = ours::Barrier::from(real::Barrier::from(ours::Barrier::new(1)));
    assert!(now(barrier.wait()).is_leader());
}

#[test]
fn a_notification_is_not_lost() {
    let notify = Arc::new(ours::Notify::new());
    drop(Arc::clone(&notify).notified_owned());
    notify.notify_one();
    let notify = real::Notify::from(Arc::into_inner(notify).unwrap());
    let notify = ours::Notify::from(notify);
    assert!(poll(std::pin::pin!(notify.notified())).is_ready());
}

#[test]
fn the_place_is_that_of_the_conversion() {
    let original = real::Semaphore::new(3);
    let (semaphore, made) = (ours::Semaphore::from(original), line!());
    let _permit = semaphore.try_acquire().unwrap();
    assert_eq!(made_in!(made).0.capacity, Some(3));
}

/// A lock of a lock is no ambiguity.
#[test]
fn an_original_inside_a_wrapper() {
    let mutex: ours::Mutex<real::Mutex<u8>> = ours::Mutex::new(real::Mutex::new(1));
    assert_eq!(mutex.into_inner().into_inner(), 1);
}
