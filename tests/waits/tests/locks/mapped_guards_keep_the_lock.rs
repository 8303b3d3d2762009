//! A mapped guard keeps the lock and its place; a failed `try_map` changes nothing.

use std::sync::Arc;

use diagnose::tokio;
use diagnose::tokio::sync::{
    MappedMutexGuard, Mutex, MutexGuard, OwnedMutexGuard, OwnedRwLockWriteGuard, RwLock,
};
use diagnose_waits_tests::made_in;

#[tokio::test]
async fn a_mapped_guard_keeps_its_place() {
    let (mutex, made) = (Mutex::new((1, "a".to_owned())), line!());
    let guard = mutex.lock().await;
    let before = made_in!(made).0.holdings;
    let guard = MutexGuard::try_map(guard, |_| None::<&mut u8>).unwrap_err();
    let guard = MutexGuard::map(guard, |it| &mut it.1);
    let mut guard = MappedMutexGuard::try_map(guard, |it| Some(it)).unwrap();
    guard.push('b');
    let after = made_in!(made).0.holdings;
    assert_eq!((after.len(), &after[0].place, after[0].units), (1, &before[0].place, 1));
    assert!(mutex.try_lock().is_err());
    drop(guard);
    assert_eq!(mutex.try_lock().unwrap().1, "ab");
}

#[tokio::test]
async fn a_mapped_owned_guard_keeps_the_lock() {
    let (lock, made) = (Arc::new(RwLock::new((1, "a".to_owned()))), line!());
    let guard = Arc::clone(&lock).write_owned().await;
    let mut guard = OwnedRwLockWriteGuard::map(guard, |it| &mut it.1);
    guard.push('b');
    assert_eq!(made_in!(made).0.holdings.len(), 1);
    assert!(lock.try_read().is_err());
    drop(guard);
    assert_eq!(lock.try_read().unwrap().1, "ab");
}

#[tokio::test]
async fn a_panic_in_between_unlocks() {
    let mutex = Arc::new(Mutex::new(1));
    let guard = Arc::clone(&mutex).lock_owned().await;
    let panics =
        std::panic::AssertUnwindSafe(|| OwnedMutexGuard::map(guard, |_| -> &mut u8 { panic!("no part") }));
    assert!(std::panic::catch_unwind(panics).is_err());
    assert_eq!(*mutex.try_lock().unwrap(), 1);
    assert_eq!(Arc::strong_count(&mutex), 1);
}
