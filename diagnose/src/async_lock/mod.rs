//! A drop-in for async-lock whose locks record their holders and waiters.
//!
//! ```
//! use diagnose::async_lock::Mutex;
//!
//! # futures::executor::block_on(async {
//! let mutex = Mutex::new(1);
//! let mut guard = mutex.lock().await;
//! *guard = 2;
//! assert!(mutex.try_lock().is_none());
//! drop(guard);
//! assert_eq!(*mutex.try_lock().unwrap(), 2);
//! # });
//! ```
//! Everything of async-lock is re-exported. [`Mutex`], [`RwLock`], [`Semaphore`], [`Barrier`] and
//! [`OnceCell`] are wrapped, with their guards and the futures in [`futures`]. Each wrapper
//! contains the original, which does the locking, waiting and waking. From the first use on, a
//! wrapper also records where it was created, its holders with the place and time, and its waiters.
//! Fairness, cancellation, `Send`, `Sync` and `Debug` output are the original's.
//!
//! A wrapper derefs to the original, and `From` converts both ways, for crates that require the
//! original. Uses of the original are not recorded. With the features `smol` and `async-std`,
//! `diagnose::smol::lock` and `diagnose::async_std::sync` have these types too.
//!
//! Without the feature `on` this module is async-lock itself.

// The originals lack `#[must_use]`, and wrapping them must not add warnings.
#![allow(clippy::must_use_candidate)]

mod acquiring;
mod acquiring_arc;
mod barrier;
pub mod futures;
mod mutex;
mod mutex_arc;
mod once_cell;
mod owned;
mod rwlock;
mod rwlock_arc;
mod rwlock_guards;
mod semaphore;
#[cfg(test)]
mod tests;

pub use ::async_lock::*;

pub use self::barrier::Barrier;
pub use self::mutex::{Mutex, MutexGuard};
pub use self::mutex_arc::MutexGuardArc;
pub use self::once_cell::OnceCell;
pub use self::rwlock::RwLock;
pub use self::rwlock_arc::{RwLockReadGuardArc, RwLockUpgradableReadGuardArc, RwLockWriteGuardArc};
pub use self::rwlock_guards::{RwLockReadGuard, RwLockUpgradableReadGuard, RwLockWriteGuard};
pub use self::semaphore::{Semaphore, SemaphoreGuard, SemaphoreGuardArc};
