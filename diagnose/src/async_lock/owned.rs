//! The kinds of guards that keep their lock: a guard of the original, or a future of it. A future is made only where it has to
//! wait, so it may lie on the heap.
//!
//! Unsafe is kept in this file. Why it is sound: guards and futures of the original hold references to the lock, and are covariant
//! in their lifetime. The original that keeps its lock is `Send` and `Sync` where a `Box` of what is locked is, or an `Arc`.

#![allow(unsafe_code)]

use std::pin::Pin;
use std::sync::Arc;

use super::{Mutex, RwLock};
use crate::waits::{WaitFuture, lends};

lends! {
    Locked(Box) of Mutex: ::async_lock::MutexGuard<'a, T>;
    Locking(Box) of Mutex: Pin<Box<WaitFuture<::async_lock::futures::Lock<'a, T>>>>;
    Reads(Arc) of RwLock: ::async_lock::RwLockReadGuard<'a, T>;
    Reading(Arc) of RwLock: Pin<Box<WaitFuture<::async_lock::futures::Read<'a, T>>>>;
    ReadsAlone(Arc) of RwLock: ::async_lock::RwLockUpgradableReadGuard<'a, T>;
    ReadingAlone(Arc) of RwLock: Pin<Box<WaitFuture<::async_lock::futures::UpgradableRead<'a, T>>>>;
    Writes(Arc) of RwLock: ::async_lock::RwLockWriteGuard<'a, T>;
    Writing(Arc) of RwLock: Pin<Box<WaitFuture<::async_lock::futures::Write<'a, T>>>>;
    Upgrading(Arc) of RwLock: Pin<Box<WaitFuture<::async_lock::futures::Upgrade<'a, T>>>>;
}
