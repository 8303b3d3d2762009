//! `std::sync::Mutex`, with a record of its holder and its blocked threads.

use std::panic::Location;
use std::sync::{LockResult, TryLockResult};

use super::poisoned;
use crate::waits::{ResourceKind, ResourceType, WaitMode};
use crate::wrap::{delegate, guard, lock};

static TYPE: ResourceType = ResourceType::new(ResourceKind::Mutex, "std").thread_bound(true);

lock! {
    /// The standard library's `Mutex`, recorded from its first use on with the place of its
    /// creation.
    pub struct Mutex<T>(mutex: ::std::sync::Mutex<T>), &TYPE, 1;
    /// Creates a new mutex.
    #[inline]
    pub const fn new(t: T) = ::std::sync::Mutex::new(t);
    /// Consumes the mutex, returning the underlying data.
    ///
    /// # Errors
    /// If the mutex is poisoned, with the data.
    pub fn into_inner(self) -> LockResult<T>;
}

impl<T: ?Sized> Mutex<T> {
    /// Acquires the mutex, blocking the current thread until it is available.
    ///
    /// # Errors
    /// If the mutex is poisoned, with the guard.
    #[inline]
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let at = Location::caller();
        let (result, has_waited) = poisoned::or_block(self.mutex.try_lock(), || {
            self.resource.block(WaitMode::Lock, 1, at, || self.mutex.lock())
        });
        poisoned::map(result, |guard| MutexGuard::new(self.resource.hold(1, at, false, has_waited), guard))
    }

    /// Attempts to acquire the mutex without blocking.
    ///
    /// # Errors
    /// If the mutex is locked, or if it is poisoned, with the guard.
    #[inline]
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let at = Location::caller();
        poisoned::map_try(self.mutex.try_lock(), |guard| {
            MutexGuard::new(self.resource.hold(1, at, false, false), guard)
        })
    }

    delegate! { mutex:
        /// Returns `true` if a thread panicked while it held the mutex.
        #[inline]
        pub fn is_poisoned(&self) -> bool;
        /// Clears the poisoned state of the mutex.
        #[inline]
        pub fn clear_poison(&self);
        /// Returns a mutable reference to the data. `&mut self` proves that no guard exists.
        ///
        /// # Errors
        /// If the mutex is poisoned, with the data.
        pub fn get_mut(&mut self) -> LockResult<&mut T>;
    }
}

guard! {
    /// A guard that unlocks its [`Mutex`] when dropped.
    #[must_use = "if unused the Mutex will immediately unlock"]
    pub struct MutexGuard<'a, T: ?Sized> for &mut T {
        guard: ::std::sync::MutexGuard<'a, T>,
    }
}
