//! `std::sync`: locks, the condition variable and channels are wrapped; the rest is the standard library's own.
//!
//! A lock is tried first; only if that would block, the thread is put on record as blocked, for as long as it is. Poisoning,
//! error types, `Send` and `Sync` are those of the originals. A wrapper derefs to the original, and `From` converts both
//! ways; what is locked through the original has no record.

// The original's functions have none, and a program that is free of warnings shall stay so.
#![allow(clippy::must_use_candidate)]

mod condvar;
pub mod mpsc;
mod mutex;
mod poisoned;
mod rwlock;
#[cfg(test)]
mod tests;

pub use ::std::sync::*;

pub use self::condvar::Condvar;
pub use self::mutex::{Mutex, MutexGuard};
pub use self::rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
