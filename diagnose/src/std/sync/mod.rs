//! `std::sync`, with recorded locks, condition variables and channels.
//!
//! The rest is the standard library's own. Each call tries the lock first; a thread is recorded as
//! blocked only while it blocks. Poisoning, error types, `Send` and `Sync` are the originals'. A
//! wrapper derefs to the original, and `From` converts both ways. Uses of the original are not
//! recorded.

// The originals lack `#[must_use]`, and wrapping them must not add warnings.
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
