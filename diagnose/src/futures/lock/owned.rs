//! The kinds of guards that keep their mutex: the original's guard that borrows it, or its future.
//!
//! Unsafe is kept in this file. Why it is sound: guards and futures of the original hold references to the mutex, and are covariant
//! in their lifetime. The original's guard that keeps its mutex is `Send` and `Sync` where a `Box` of what is locked is; its future is
//! `Send` where that is, and always `Sync`: a `std::sync::Mutex` is no more than that.

#![allow(unsafe_code)]

use std::pin::Pin;
use std::sync;

use ::futures::lock as real;

use super::Mutex;
use crate::waits::{WaitFuture, lends};

type Shared<T> = sync::Mutex<T>;

lends! {
    Locked(Box) of Mutex: real::MutexGuard<'a, T>;
    Locking(Shared) of Mutex: Pin<Box<WaitFuture<real::MutexLockFuture<'a, T>>>>;
}
