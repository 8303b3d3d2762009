//! A drop-in for `parking_lot` whose locks record their holders and waiters.
//!
//! ```
//! use diagnose::parking_lot::Mutex;
//!
//! let mutex = Mutex::new(1);
//! *mutex.lock() = 2;
//! assert_eq!(*mutex.lock(), 2);
//! ```
//! Everything of `parking_lot` is re-exported. [`Mutex`], [`RwLock`] and [`Condvar`] are wrapped,
//! with their guards. They block a thread, so a task that waits for one blocks its worker. The
//! record names that task and the current holder. Each call tries the lock first; a thread is
//! recorded as blocked only while it blocks.
//!
//! A wrapper derefs to the original, which has the unsafe functions, and `From` converts both ways.
//! Uses of the original are not recorded. The features `arc_lock` and `serde` are not wrapped.
//!
//! Without the feature `on` this module is `parking_lot` itself.

// The originals lack `#[must_use]`, and wrapping them must not add warnings.
#![allow(clippy::must_use_candidate)]

mod condvar;
mod mutex;
mod mutex_guards;
mod parts;
mod rwlock;
mod rwlock_guards;
#[cfg(test)]
mod tests;
mod upgradable;

pub use ::parking_lot::*;

pub use self::condvar::Condvar;
pub use self::mutex::{Mutex, const_mutex};
pub use self::mutex_guards::{MappedMutexGuard, MutexGuard};
pub use self::rwlock::{RwLock, const_rwlock};
pub use self::rwlock_guards::{
    MappedRwLockReadGuard, MappedRwLockWriteGuard, RwLockReadGuard, RwLockWriteGuard,
};
pub use self::upgradable::RwLockUpgradableReadGuard;
