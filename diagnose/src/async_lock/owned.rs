//! The kinds of guards and futures that owned guards store.
//!
//! A future is created only when it has to wait, so boxing it is cheap enough. The original's owned
//! guard is `Send` and `Sync` where a `Box` of the value is, or an `Arc`.

use std::pin::Pin;
use std::sync::Arc;

use super::{Mutex, RwLock};
use crate::waits::WaitFuture;
use crate::wrap::{Words, owned_kinds};

owned_kinds! {
    Locked<T>(Words<Box<T>>) of Mutex<T>: ::async_lock::MutexGuard<'a, T>;
    Locking<T>(Words<Box<T>>) of Mutex<T>: Pin<Box<WaitFuture<::async_lock::futures::Lock<'a, T>>>>;
    Reads<T>(Words<Arc<T>>) of RwLock<T>: ::async_lock::RwLockReadGuard<'a, T>;
    Reading<T>(Words<Arc<T>>) of RwLock<T>: Pin<Box<WaitFuture<::async_lock::futures::Read<'a, T>>>>;
    ReadsAlone<T>(Words<Arc<T>>) of RwLock<T>: ::async_lock::RwLockUpgradableReadGuard<'a, T>;
    ReadingAlone<T>(Words<Arc<T>>) of RwLock<T>: Pin<Box<WaitFuture<::async_lock::futures::UpgradableRead<'a, T>>>>;
    Writes<T>(Words<Arc<T>>) of RwLock<T>: ::async_lock::RwLockWriteGuard<'a, T>;
    Writing<T>(Words<Arc<T>>) of RwLock<T>: Pin<Box<WaitFuture<::async_lock::futures::Write<'a, T>>>>;
    Upgrading<T>(Words<Arc<T>>) of RwLock<T>: Pin<Box<WaitFuture<::async_lock::futures::Upgrade<'a, T>>>>;
}
