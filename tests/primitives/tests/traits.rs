//! The wrappers are `Send`, `Sync` and `Unpin` where the originals are, with one exception.
//!
//! A guard that gives access to its lock is `Sync` only if the lock is, unlike the original.

use std::cell::Cell;
use std::rc::Rc;

use diagnose_primitives_tests::is;

/// Compares an original and its wrapper.
macro_rules! same {
    ($bound:path: $($original:ty, $wrapped:ty;)*) => {
        $(assert_eq!(is!($bound, $original), is!($bound, $wrapped), "{} {}", stringify!($bound), stringify!($wrapped));)*
    };
}

/// Contents that are `Send` and `Sync`, only `Send`, only `Sync`, or neither.
type Both = u8;
type Sent = Cell<u8>;
type Neither = Rc<u8>;
/// `Sync` and not `Send`.
type Shared = std::sync::MutexGuard<'static, u8>;

macro_rules! for_all_values {
    ($check:ident!) => {
        $check!(Both);
        $check!(Sent);
        $check!(Neither);
    };
}

#[test]
fn auto_traits_of_async_lock_are_kept() {
    use async_lock as original;
    use diagnose::async_lock as wrapped;

    macro_rules! compare {
        ($value:ty) => {
            compare!($value, Send);
            compare!($value, Sync);
            compare!($value, Unpin);
        };
        ($value:ty, $bound:path) => {
            same! { $bound:
                original::Mutex<$value>, wrapped::Mutex<$value>;
                original::MutexGuard<'_, $value>, wrapped::MutexGuard<'_, $value>;
                original::MutexGuardArc<$value>, wrapped::MutexGuardArc<$value>;
                original::futures::Lock<'_, $value>, wrapped::futures::Lock<'_, $value>;
                original::futures::LockArc<$value>, wrapped::futures::LockArc<$value>;
                original::RwLock<$value>, wrapped::RwLock<$value>;
                original::RwLockReadGuard<'_, $value>, wrapped::RwLockReadGuard<'_, $value>;
                original::RwLockReadGuardArc<$value>, wrapped::RwLockReadGuardArc<$value>;
                original::RwLockUpgradableReadGuard<'_, $value>, wrapped::RwLockUpgradableReadGuard<'_, $value>;
                original::RwLockUpgradableReadGuardArc<$value>, wrapped::RwLockUpgradableReadGuardArc<$value>;
                original::RwLockWriteGuard<'_, $value>, wrapped::RwLockWriteGuard<'_, $value>;
                original::RwLockWriteGuardArc<$value>, wrapped::RwLockWriteGuardArc<$value>;
                original::futures::Read<'_, $value>, wrapped::futures::Read<'_, $value>;
                original::futures::ReadArc<'_, $value>, wrapped::futures::ReadArc<'_, $value>;
                original::futures::UpgradableRead<'_, $value>, wrapped::futures::UpgradableRead<'_, $value>;
                original::futures::UpgradableReadArc<'_, $value>, wrapped::futures::UpgradableReadArc<'_, $value>;
                original::futures::Upgrade<'_, $value>, wrapped::futures::Upgrade<'_, $value>;
                original::futures::UpgradeArc<$value>, wrapped::futures::UpgradeArc<$value>;
                original::futures::Write<'_, $value>, wrapped::futures::Write<'_, $value>;
                original::futures::WriteArc<'_, $value>, wrapped::futures::WriteArc<'_, $value>;
                original::OnceCell<$value>, wrapped::OnceCell<$value>;
                original::Semaphore, wrapped::Semaphore;
                original::SemaphoreGuard<'_>, wrapped::SemaphoreGuard<'_>;
                original::SemaphoreGuardArc, wrapped::SemaphoreGuardArc;
                original::futures::Acquire<'_>, wrapped::futures::Acquire<'_>;
                original::futures::AcquireArc, wrapped::futures::AcquireArc;
                original::Barrier, wrapped::Barrier;
                original::futures::BarrierWait<'_>, wrapped::futures::BarrierWait<'_>;
            }
        };
    }
    for_all_values!(compare!);
}

#[test]
fn auto_traits_of_std_are_kept() {
    use diagnose::std::sync as wrapped;
    use std::sync as original;

    macro_rules! compare {
        ($value:ty) => {
            compare!($value, Send);
            compare!($value, Sync);
            compare!($value, Unpin);
            compare!($value, std::panic::UnwindSafe);
            compare!($value, std::panic::RefUnwindSafe);
        };
        ($value:ty, $bound:path) => {
            same! { $bound:
                original::Mutex<$value>, wrapped::Mutex<$value>;
                original::MutexGuard<'_, $value>, wrapped::MutexGuard<'_, $value>;
                original::RwLock<$value>, wrapped::RwLock<$value>;
                original::RwLockReadGuard<'_, $value>, wrapped::RwLockReadGuard<'_, $value>;
                original::RwLockWriteGuard<'_, $value>, wrapped::RwLockWriteGuard<'_, $value>;
                original::Condvar, wrapped::Condvar;
                original::mpsc::Sender<$value>, wrapped::mpsc::Sender<$value>;
                original::mpsc::SyncSender<$value>, wrapped::mpsc::SyncSender<$value>;
                original::mpsc::Receiver<$value>, wrapped::mpsc::Receiver<$value>;
                original::mpsc::IntoIter<$value>, wrapped::mpsc::IntoIter<$value>;
            }
        };
    }
    for_all_values!(compare!);
    compare!(Shared);
}

#[test]
fn auto_traits_of_parking_lot_are_kept() {
    use diagnose::parking_lot as wrapped;
    use parking_lot as original;

    macro_rules! compare {
        ($value:ty) => {
            compare!($value, Send);
            compare!($value, Sync);
            compare!($value, Unpin);
        };
        ($value:ty, $bound:path) => {
            same! { $bound:
                original::Mutex<$value>, wrapped::Mutex<$value>;
                original::MutexGuard<'_, $value>, wrapped::MutexGuard<'_, $value>;
                original::MappedMutexGuard<'_, $value>, wrapped::MappedMutexGuard<'_, $value>;
                original::RwLock<$value>, wrapped::RwLock<$value>;
                original::RwLockReadGuard<'_, $value>, wrapped::RwLockReadGuard<'_, $value>;
                original::RwLockUpgradableReadGuard<'_, $value>, wrapped::RwLockUpgradableReadGuard<'_, $value>;
                original::RwLockWriteGuard<'_, $value>, wrapped::RwLockWriteGuard<'_, $value>;
                original::MappedRwLockReadGuard<'_, $value>, wrapped::MappedRwLockReadGuard<'_, $value>;
                original::MappedRwLockWriteGuard<'_, $value>, wrapped::MappedRwLockWriteGuard<'_, $value>;
                original::Condvar, wrapped::Condvar;
            }
        };
    }
    for_all_values!(compare!);
}

#[test]
fn a_guard_that_returns_its_lock_is_sync_only_if_the_lock_is() {
    assert!(is!(Sync, async_lock::MutexGuard<'_, Shared>));
    assert!(!is!(Sync, diagnose::async_lock::MutexGuard<'_, Shared>));
    assert!(is!(Sync, parking_lot::MutexGuard<'_, Shared>));
    assert!(!is!(Sync, diagnose::parking_lot::MutexGuard<'_, Shared>));
}

#[test]
fn the_check_for_auto_traits_is_right() {
    assert!(is!(Send, Both) && is!(Sync, Both));
    assert!(is!(Send, Sent) && !is!(Sync, Sent));
    assert!(!is!(Send, Neither) && !is!(Sync, Neither));
    assert!(!is!(Send, Shared) && is!(Sync, Shared));
}
