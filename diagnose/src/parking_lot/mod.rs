//! `parking_lot`, with its locks on record: a drop-in for the crate of that name.
//!
//! ```
//! use diagnose::parking_lot::Mutex;
//!
//! let mutex = Mutex::new(1);
//! *mutex.lock() = 2;
//! assert_eq!(*mutex.lock(), 2);
//! ```
//! Everything is re-exported. [`Mutex`], [`RwLock`] and [`Condvar`] are wrapped, with their guards. These block a thread,
//! and a task that meets one blocks its worker with it: what is on record of them says which, and who has what it waits
//! for. A lock is tried first; only if that would block, the thread is put on record as blocked, for as long as it is.
//!
//! A wrapper derefs to the original, which has the unsafe functions, and `From` converts both ways; what is locked through
//! the original has no record. What the original has only with its features `arc_lock` and `serde` is not wrapped.
//!
//! Without the feature `on` this module is `parking_lot` itself.

// The original's functions have none, and a program that is free of warnings shall stay so.
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
