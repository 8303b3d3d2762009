//! `tokio::sync`: who waits, who holds and who could send is on record; the rest is tokio's own.

// What need not be used there need not be used here.
#![allow(clippy::must_use_candidate, clippy::return_self_not_must_use)]

mod guard;
mod mutex;
mod owned;
mod rwlock;
mod semaphore;
mod users;

pub use self::mutex::{MappedMutexGuard, Mutex, MutexGuard, OwnedMappedMutexGuard, OwnedMutexGuard};
pub use self::rwlock::{
    OwnedRwLockMappedWriteGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock, RwLockMappedWriteGuard,
    RwLockReadGuard, RwLockWriteGuard,
};
pub use self::semaphore::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
pub use ::tokio::sync::*;
