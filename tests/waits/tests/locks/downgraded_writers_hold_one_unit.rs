//! A downgraded writer holds one unit; a failed downgrade keeps them all.

use std::sync::Arc;

use diagnose::tokio;
use diagnose::tokio::sync::{OwnedRwLockWriteGuard, RwLock, RwLockWriteGuard};
use diagnose_waits_tests::made_in;

#[tokio::test]
async fn a_downgraded_guard_holds_one_unit() {
    let (lock, made) = (RwLock::with_max_readers((1, 2), 5), line!());
    let units = || made_in!(made).0.holdings[0].units;
    let guard = lock.write().await;
    let guard = RwLockWriteGuard::try_downgrade_map(guard, |_| None::<&u8>).unwrap_err();
    assert_eq!(units(), 5);
    let guard = RwLockWriteGuard::try_downgrade_map(guard, |it| Some(&it.0)).unwrap();
    assert_eq!(units(), 1);
    drop(guard);
    let guard = lock.write().await.downgrade();
    assert_eq!(units(), 1);
    drop(guard);
    let guard = RwLockWriteGuard::downgrade_map(lock.write().await, |it| &it.1);
    assert_eq!((units(), *guard), (1, 2));
}

#[tokio::test]
async fn a_downgraded_owned_guard_holds_one_unit() {
    let (lock, made) = (Arc::new(RwLock::with_max_readers((1, 2), 5)), line!());
    let units = || made_in!(made).0.holdings[0].units;
    let guard = Arc::clone(&lock).write_owned().await;
    let guard = OwnedRwLockWriteGuard::try_downgrade_map(guard, |_| None::<&u8>).unwrap_err();
    assert_eq!(units(), 5);
    let guard = OwnedRwLockWriteGuard::downgrade_map(guard, |it| &it.1);
    assert_eq!((units(), *guard), (1, 2));
    assert!(lock.try_read().is_ok());
}
