//! Futures that acquire a lock. Each polls the original's future and records the wait.

use ::async_lock::futures as original;

use super::{
    Mutex, MutexGuard, RwLockReadGuard, RwLockUpgradableReadGuard, RwLockWriteGuard, SemaphoreGuard,
};
use crate::waits::{WaitFuture, WaitInfo};
use crate::wrap::future;

/// Wraps a future of the original. None is `Unpin`: see the test in `tests`.
#[inline]
pub(super) fn waiting<F>(future: F, info: WaitInfo) -> WaitFuture<F> {
    WaitFuture::new(future, info).pinned()
}

future! {
    /// The future returned by [`RwLock::read`](super::RwLock::read).
    ///
    /// Dropping it gives up its place in the queue, as the original does.
    pub struct Read<'a, T: ?Sized> {
        #[pin]
        waited: WaitFuture<original::Read<'a, T>>,
    }
    -> RwLockReadGuard<'a, T>;
    after |this, guard| RwLockReadGuard::new(this.waited.hold(false), guard);
}

future! {
    /// The future returned by [`RwLock::upgradable_read`](super::RwLock::upgradable_read).
    ///
    /// Dropping it gives up its place in the queue, as the original does.
    pub struct UpgradableRead<'a, T: ?Sized> {
        #[pin]
        waited: WaitFuture<original::UpgradableRead<'a, T>>,
    }
    -> RwLockUpgradableReadGuard<'a, T>;
    after |this, guard| RwLockUpgradableReadGuard::new(this.waited.hold(false), guard);
}

future! {
    /// The future returned by [`RwLock::write`](super::RwLock::write).
    ///
    /// Dropping it gives up its place in the queue, as the original does.
    pub struct Write<'a, T: ?Sized> {
        #[pin]
        waited: WaitFuture<original::Write<'a, T>>,
    }
    -> RwLockWriteGuard<'a, T>;
    after |this, guard| RwLockWriteGuard::new(this.waited.hold(false), guard);
}

future! {
    /// The future returned by [`Semaphore::acquire`](super::Semaphore::acquire).
    ///
    /// Dropping it gives up its place in the queue, as the original does.
    pub struct Acquire<'a> {
        #[pin]
        waited: WaitFuture<original::Acquire<'a>>,
    }
    -> SemaphoreGuard<'a>;
    after |this, guard| SemaphoreGuard::new(this.waited.hold(false), guard);
}

future! {
    /// The future returned by [`Mutex::lock`](super::Mutex::lock).
    ///
    /// Dropping it gives up its place in the queue, as the original does.
    pub struct Lock<'a, T: ?Sized> {
        #[pin]
        waited: WaitFuture<original::Lock<'a, T>>,
        // `MutexGuard::source` needs the mutex; other guards have no such method.
        mutex: &'a Mutex<T>,
    }
    -> MutexGuard<'a, T>;
    after |this, guard| MutexGuard::new(this.waited.hold(false), guard, this.mutex);
}
