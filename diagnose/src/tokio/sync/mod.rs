//! `tokio::sync`: who waits, who holds and who could send is on record; the rest is tokio's own.

// What need not be used there need not be used here.
#![allow(clippy::must_use_candidate, clippy::return_self_not_must_use)]

pub mod broadcast;
mod guard;
pub mod mpsc;
mod mutex;
pub mod oneshot;
mod owned;
mod rwlock;
mod semaphore;
mod users;
pub mod watch;

pub use self::mutex::{MappedMutexGuard, Mutex, MutexGuard, OwnedMappedMutexGuard, OwnedMutexGuard};
pub use self::rwlock::{
    OwnedRwLockMappedWriteGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock, RwLockMappedWriteGuard,
    RwLockReadGuard, RwLockWriteGuard,
};
pub use self::semaphore::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
pub use ::tokio::sync::*;

/// Whether a future that has just returned `Pending` was made to, because its task has used up its budget.
pub(super) fn is_forced() -> bool {
    !::tokio::task::coop::has_budget_remaining()
}
