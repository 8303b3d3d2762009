//! `futures::lock::Mutex`, with a record of its holder and its waiters.

use std::panic::Location;
use std::sync::Arc;

use ::futures::lock as real;

use super::{MutexLockFuture, OwnedMutexGuard, OwnedMutexLockFuture};
use crate::waits::{Holding, ResourceKind, ResourceType, WaitFuture, WaitInfo, WaitMode};
use crate::wrap::{guard, lock, part};

static TYPE: ResourceType = ResourceType::new(ResourceKind::Mutex, "futures");

lock! {
    /// futures' `Mutex`, recorded from its first use on with the place of its creation.
    pub struct Mutex<T>(mutex: real::Mutex<T>), &TYPE, 1;
    /// Creates a new mutex.
    pub const fn new(t: T) = real::Mutex::new(t);
    /// Consumes the mutex, returning the underlying data.
    pub fn into_inner(self) -> T;
}

impl<T: ?Sized> Mutex<T> {
    /// Attempts to acquire the mutex without waiting. Returns `None` if it is locked.
    #[track_caller]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let guard = self.mutex.try_lock()?;
        Some(MutexGuard::new(self.hold(Location::caller(), false), guard))
    }

    /// Attempts to acquire the mutex for an owned guard. Returns `None` if it is locked.
    #[track_caller]
    pub fn try_lock_owned(self: &Arc<Self>) -> Option<OwnedMutexGuard<T>> {
        OwnedMutexGuard::try_new(self, Location::caller())
    }

    /// Acquires the mutex, waiting if necessary. Cancel safe.
    #[track_caller]
    pub fn lock(&self) -> MutexLockFuture<'_, T> {
        MutexLockFuture::new(WaitFuture::new(self.mutex.lock(), self.wait_info(Location::caller())))
    }

    /// Acquires the mutex for a guard that owns an `Arc` of it, waiting if necessary. Cancel safe.
    #[track_caller]
    pub fn lock_owned(self: Arc<Self>) -> OwnedMutexLockFuture<T> {
        let info = self.wait_info(Location::caller());
        OwnedMutexLockFuture::new(self, info)
    }

    /// Returns a mutable reference to the data. `&mut self` proves that no guard exists.
    pub fn get_mut(&mut self) -> &mut T {
        self.mutex.get_mut()
    }

    pub(super) fn hold(&self, at: &'static Location<'static>, is_movable: bool) -> Holding {
        Holding::hold(self.resource.located_record(), 1, at, is_movable)
    }

    fn wait_info(&self, at: &'static Location<'static>) -> WaitInfo {
        WaitInfo::on(self.resource.located_record(), WaitMode::Lock, 1, at)
    }
}

guard! {
    /// A guard that unlocks its [`Mutex`] when dropped.
    pub struct MutexGuard<'a, T: ?Sized> for &mut T {
        guard: real::MutexGuard<'a, T>,
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    part! { map: [U: ?Sized, F] &mut T => &mut U, real::MutexGuard, MappedMutexGuard<'a, T, U> }
}

guard! {
    /// A guard for a component of a [`Mutex`]'s data.
    pub struct MappedMutexGuard<'a, T: ?Sized, U: ?Sized> for &mut U {
        guard: real::MappedMutexGuard<'a, T, U>,
    }
}

impl<'a, T: ?Sized, U: ?Sized> MappedMutexGuard<'a, T, U> {
    part! { map: [V: ?Sized, F] &mut U => &mut V, real::MappedMutexGuard, MappedMutexGuard<'a, T, V> }
}
