//! The kinds of guards and futures that an owned guard stores.
//!
//! The original's owned guard is `Send` and `Sync` where a `Box` of the value is. Its future is
//! `Send` where the value is, and always `Sync`, which are the auto traits of a `std::sync::Mutex`.

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
