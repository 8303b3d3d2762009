//! The kinds of guards that keep their mutex: the original's guard that borrows it, or its future.
//!
//! The original's guard that keeps its mutex is `Send` and `Sync` where a `Box` of the value is. Its future is `Send` where the
//! value is, and always `Sync`: a `std::sync::Mutex` is no more than that.

use std::pin::Pin;
use std::sync;

use ::futures::lock as real;

use super::Mutex;
use crate::waits::WaitFuture;
use crate::wrap::{Words, owned_kinds};

owned_kinds! {
    Locked<T>(Words<Box<T>>) of Mutex<T>: real::MutexGuard<'a, T>;
    Locking<T>(Words<sync::Mutex<T>>) of Mutex<T>: Pin<Box<WaitFuture<real::MutexLockFuture<'a, T>>>>;
}
