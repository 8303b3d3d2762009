//! `async_lock::Mutex`, with a record of its holder and its waiters.

use std::panic::Location;
use std::sync::Arc;

use super::acquiring::waiting;
use super::futures::{Lock, LockArc};
use super::mutex_arc::MutexGuardArc;
use crate::waits::{ResourceKind, ResourceType, WaitInfo, WaitMode};
use crate::wrap::{guard, lock};

static TYPE: ResourceType = ResourceType::new(ResourceKind::Mutex, "async-lock");

lock! {
    /// async-lock's `Mutex`, recorded from its first use on with the place of its creation.
    pub struct Mutex<T>(mutex: ::async_lock::Mutex<T>), &TYPE, 1;
    /// Creates a new mutex.
    pub const fn new(data: T) = ::async_lock::Mutex::new(data);
    /// Consumes the mutex, returning the underlying data.
    pub fn into_inner(self) -> T;
}

impl<T: ?Sized> Mutex<T> {
    /// Acquires the mutex, waiting if necessary. Cancel safe, but loses its place in the queue.
    #[inline]
    #[track_caller]
    pub fn lock(&self) -> Lock<'_, T> {
        Lock::new(waiting(self.mutex.lock(), self.wait_info(Location::caller())), self)
    }

    /// Acquires the mutex, blocking the current thread until it is available.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn lock_blocking(&self) -> MutexGuard<'_, T> {
        let at = Location::caller();
        let (guard, has_waited) = match self.mutex.try_lock() {
            Some(guard) => (guard, false),
            None => (self.resource.block(WaitMode::Lock, 1, at, || self.mutex.lock_blocking()), true),
        };
        MutexGuard::new(self.resource.hold(1, at, false, has_waited), guard, self)
    }

    /// Attempts to acquire the mutex without waiting. Returns `None` if it is locked.
    #[inline]
    #[track_caller]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let guard = self.mutex.try_lock()?;
        Some(MutexGuard::new(self.resource.hold(1, Location::caller(), false, false), guard, self))
    }

    /// Returns a mutable reference to the data. `&mut self` proves that no guard exists.
    pub fn get_mut(&mut self) -> &mut T {
        self.mutex.get_mut()
    }

    /// Acquires the mutex for a guard that owns an `Arc` of it. Cancel safe, as `lock`.
    #[inline]
    #[track_caller]
    pub fn lock_arc(self: &Arc<Self>) -> LockArc<T> {
        LockArc::new(Arc::clone(self), self.wait_info(Location::caller()))
    }

    /// Acquires the mutex for an owned guard, blocking the current thread.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn lock_arc_blocking(self: &Arc<Self>) -> MutexGuardArc<T> {
        let at = Location::caller();
        MutexGuardArc::try_new(self, at).unwrap_or_else(|| MutexGuardArc::block(self, at))
    }

    /// Attempts to acquire the mutex for an owned guard. Returns `None` if it is locked.
    #[inline]
    #[track_caller]
    pub fn try_lock_arc(self: &Arc<Self>) -> Option<MutexGuardArc<T>> {
        MutexGuardArc::try_new(self, Location::caller())
    }

    #[inline]
    fn wait_info(&self, at: &'static Location<'static>) -> WaitInfo {
        WaitInfo::on(self.resource.located_record(), WaitMode::Lock, 1, at)
    }
}

guard! {
    /// A guard that unlocks its [`Mutex`] when dropped.
    ///
    /// Unlike the original, `Sync` needs `T: Send`, as [`source`](Self::source) gives shared
    /// access.
    pub struct MutexGuard<'a, T: ?Sized> for &mut T {
        guard: ::async_lock::MutexGuard<'a, T>,
        mutex: &'a Mutex<T>,
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Returns the mutex that this guard came from.
    pub fn source(guard: &MutexGuard<'a, T>) -> &'a Mutex<T> {
        guard.mutex
    }
}
