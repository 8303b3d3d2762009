//! async-lock, with its locks on record: a drop-in for the crate of that name.
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
//! Everything is re-exported. [`Mutex`], [`RwLock`], [`Semaphore`], [`Barrier`] and [`OnceCell`] are wrapped, with their
//! guards and the futures in [`futures`]: each has the original inside, which does the locking, the waiting and the waking
//! as ever. What is added is known from the first use on: where the lock was made, who holds it since when, taken where,
//! and who waits for it. Fairness, cancellation, `Send`, `Sync` and what `Debug` prints are the original's.
//!
//! A wrapper derefs to the original, and `From` converts both ways, for other crates that ask for that; what is locked
//! through the original has no record. With the features `smol` and `async-std` these are also what is in
//! `diagnose::smol::lock` and `diagnose::async_std::sync`.
//!
//! Without the feature `on` this module is async-lock itself.

// The original's functions have none, and a program that is free of warnings shall stay so.
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
