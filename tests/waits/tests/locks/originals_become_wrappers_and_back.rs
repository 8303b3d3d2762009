//! Each wrapper converts from and into the original, keeping its content.

use std::sync::Arc;

use ::tokio::sync as real;
use diagnose::model::{Attribution, Role};
use diagnose::tokio::sync as ours;
use diagnose_waits_tests::{is_alone, made_in, now, poll};

#[test]
fn values_survive_the_conversion_both_ways() {
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

fn refill(permits: &real::Semaphore) -> usize {
    permits.add_permits(2);
    permits.available_permits()
}

#[test]
fn a_helper_of_an_original_can_be_lent_a_wrapper() {
    if !is_alone("originals_become_wrappers_and_back::a_helper_of_an_original_can_be_lent_a_wrapper") {
        return;
    }
    let (permits, made) = (ours::Semaphore::new(1), line!());
    let _permit = permits.try_acquire().unwrap();
    assert!(!made_in!(made).0.is_refilled);
    assert_eq!(refill(&permits), 2);
    let semaphore = made_in!(made).0;
    assert!(semaphore.is_refilled);
    let users: Vec<_> = semaphore.holdings.iter().filter(|it| it.role == Role::Uses).collect();
    let [user] = users.as_slice() else { panic!("{semaphore:#?}") };
    assert_eq!((user.task, user.thread_id, user.attribution), (None, None, Attribution::Unknown));

    let mutex: &real::Mutex<u8> = &ours::Mutex::new(1);
    let lock: &real::RwLock<u8> = &ours::RwLock::new(2);
    let cell: &real::OnceCell<u8> = &ours::OnceCell::new_with(Some(3));
    let set: &real::SetOnce<u8> = &ours::SetOnce::new_with(Some(4));
    assert_eq!((*mutex.try_lock().unwrap(), *lock.try_read().unwrap()), (1, 2));
    assert_eq!((cell.get(), set.get()), (Some(&3), Some(&4)));
    let notify = ours::Notify::new();
    let original: &real::Notify = &notify;
    original.notify_one();
    assert!(poll(std::pin::pin!(notify.notified())).is_ready(), "it is the same one");
    let barrier = ours::Barrier::new(2);
    let original: &real::Barrier = &barrier;
    let mut other = std::pin::pin!(original.wait());
    assert!(poll(other.as_mut()).is_pending());
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
fn a_converted_lock_has_the_place_of_its_conversion() {
    let original = real::Semaphore::new(3);
    let (semaphore, made) = (ours::Semaphore::from(original), line!());
    let _permit = semaphore.try_acquire().unwrap();
    assert_eq!(made_in!(made).0.capacity, Some(3));
}

/// A wrapper around a lock of a lock is not ambiguous.
#[test]
fn a_lock_of_an_original_is_not_ambiguous() {
    let mutex: ours::Mutex<real::Mutex<u8>> = ours::Mutex::new(real::Mutex::new(1));
    assert_eq!(mutex.into_inner().into_inner(), 1);
}
