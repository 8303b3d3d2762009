//! `parking_lot::Mutex`, with who holds it and who is blocked by it.

use std::panic::Location;
use std::time::{Duration, Instant};

use super::MutexGuard;
use crate::waits::{Holding, Resource, ResourceKind, ResourceType, WaitMode};
use crate::wrap::{delegate, lock, share};

static WHAT: ResourceType = ResourceType::new(ResourceKind::Mutex, "parking_lot");

/// `parking_lot`'s `Mutex`. It is known with the place where it was made, from its first use on.
pub struct Mutex<T: ?Sized> {
    pub(super) resource: Resource,
    mutex: ::parking_lot::Mutex<T>,
}

/// A mutex that is free.
#[track_caller]
pub const fn const_mutex<T>(val: T) -> Mutex<T> {
    Mutex::new(val)
}

impl<T> Mutex<T> {
    /// A mutex that is free.
    #[inline]
    #[track_caller]
    pub const fn new(val: T) -> Self {
        Self { resource: Resource::new(&WHAT, 1, Location::caller()), mutex: ::parking_lot::const_mutex(val) }
    }

    /// What it guards.
    #[inline]
    pub fn into_inner(self) -> T {
        self.mutex.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Acquires the mutex, and blocks this thread until then.
    #[inline]
    #[track_caller]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let at = Location::caller();
        match self.mutex.try_lock() {
            Some(guard) => MutexGuard::new(self.hold(at, false), guard, self),
            None => {
                let guard = self.resource.block(WaitMode::Lock, 1, at, || self.mutex.lock());
                MutexGuard::new(self.hold(at, true), guard, self)
            }
        }
    }

    /// Acquires the mutex if it is free.
    #[inline]
    #[track_caller]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let guard = self.mutex.try_lock()?;
        Some(MutexGuard::new(self.hold(Location::caller(), false), guard, self))
    }

    /// Acquires the mutex, and blocks this thread until then, but not for longer than that.
    #[inline]
    #[track_caller]
    pub fn try_lock_for(&self, timeout: Duration) -> Option<MutexGuard<'_, T>> {
        self.try_while(Location::caller(), || self.mutex.try_lock_for(timeout))
    }

    /// Acquires the mutex, and blocks this thread until then, but not for longer than until then.
    #[inline]
    #[track_caller]
    pub fn try_lock_until(&self, timeout: Instant) -> Option<MutexGuard<'_, T>> {
        self.try_while(Location::caller(), || self.mutex.try_lock_until(timeout))
    }

    fn try_while<'a>(
        &'a self,
        at: &'static Location<'static>,
        block: impl FnOnce() -> Option<::parking_lot::MutexGuard<'a, T>>,
    ) -> Option<MutexGuard<'a, T>> {
        let (guard, has_waited) = match self.mutex.try_lock() {
            Some(guard) => (guard, false),
            None => (self.resource.block(WaitMode::Lock, 1, at, block)?, true),
        };
        Some(MutexGuard::new(self.hold(at, has_waited), guard, self))
    }

    #[inline]
    pub(super) fn hold(&self, at: &'static Location<'static>, has_waited: bool) -> Holding {
        Holding::hold_after(self.resource.record(), 1, at, false, has_waited)
    }

    delegate! { mutex:
        /// Whether the lock is held.
        #[inline]
        pub fn is_locked(&self) -> bool;
        /// Returns the protected value. `&mut self` proves that no guard exists.
        #[inline]
        pub fn get_mut(&mut self) -> &mut T;
        /// A pointer to what it guards.
        #[inline]
        pub fn data_ptr(&self) -> *mut T;
    }
}

lock!(
    Mutex<T>,
    mutex: ::parking_lot::Mutex<T>,
    Self { resource: Resource::new(&WHAT, 1, Location::caller()), mutex }
);
share!([T: ?Sized] Mutex<T>, mutex: ::parking_lot::Mutex<T>);
