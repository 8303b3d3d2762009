//! `tokio::sync`, with holders, waiters and senders recorded. The rest is tokio's own.

// Only the methods that tokio marks are `must_use`.
#![allow(clippy::must_use_candidate, clippy::return_self_not_must_use)]

mod acquire;
mod barrier;
pub mod broadcast;
mod forced;
pub mod mpsc;
mod mutex;
mod notify;
mod once_cell;
pub mod oneshot;
mod rwlock;
mod semaphore;
mod set_once;
pub mod watch;

pub use self::barrier::Barrier;
pub use self::mutex::{MappedMutexGuard, Mutex, MutexGuard, OwnedMappedMutexGuard, OwnedMutexGuard};
pub use self::notify::Notify;
pub use self::once_cell::OnceCell;
pub use self::rwlock::RwLock;
pub use self::rwlock::{OwnedRwLockMappedWriteGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard};
pub use self::rwlock::{RwLockMappedWriteGuard, RwLockReadGuard, RwLockWriteGuard};
pub use self::semaphore::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
pub use self::set_once::SetOnce;
pub use ::tokio::sync::*;

pub(in crate::tokio) use self::forced::{is_forced, is_never_forced};

/// Named futures.
pub mod futures {
    pub use super::notify::{Notified, OwnedNotified};
}
