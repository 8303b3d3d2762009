//! `std::sync::Mutex`, with who holds it and who is blocked by it.

use std::panic::Location;
use std::sync::{LockResult, TryLockResult};

use super::poisoned;
use crate::waits::{Resource, ResourceKind, ResourceType, WaitMode};
use crate::wrap::{delegate, guard, lock, share};

static WHAT: ResourceType = ResourceType::new(ResourceKind::Mutex, "std");

/// The standard library's `Mutex`. It is known with the place where it was made, from its first use on.
pub struct Mutex<T: ?Sized> {
    resource: Resource,
    mutex: ::std::sync::Mutex<T>,
}

impl<T> Mutex<T> {
    /// A mutex that is free.
    #[inline]
    #[track_caller]
    pub const fn new(t: T) -> Self {
        Self { resource: Resource::new(&WHAT, 1, Location::caller()), mutex: ::std::sync::Mutex::new(t) }
    }

    /// What it guards.
    ///
    /// # Errors
    /// If it is poisoned, with what it guards.
    pub fn into_inner(self) -> LockResult<T> {
        self.mutex.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Acquires the mutex, and blocks this thread until then.
    ///
    /// # Errors
    /// If it is poisoned, with the guard.
    #[inline]
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let at = Location::caller();
        let (result, has_waited) = poisoned::or_block(self.mutex.try_lock(), || {
            self.resource.block(WaitMode::Lock, 1, at, || self.mutex.lock())
        });
        poisoned::map(result, |guard| MutexGuard::new(self.resource.hold(1, at, false, has_waited), guard))
    }

    /// Acquires the mutex if it is free.
    ///
    /// # Errors
    /// If it is not, or if it is poisoned, with the guard.
    #[inline]
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let at = Location::caller();
        poisoned::map_try(self.mutex.try_lock(), |guard| {
            MutexGuard::new(self.resource.hold(1, at, false, false), guard)
        })
    }

    delegate! { mutex:
        /// Whether a thread has panicked that had it.
        #[inline]
        pub fn is_poisoned(&self) -> bool;
        /// It is poisoned no longer.
        #[inline]
        pub fn clear_poison(&self);
        /// Returns the protected value. `&mut self` proves that no guard exists.
        ///
        /// # Errors
        /// If it is poisoned, with what it guards.
        pub fn get_mut(&mut self) -> LockResult<&mut T>;
    }
}

lock!(
    Mutex<T>,
    mutex: ::std::sync::Mutex<T>,
    Self { resource: Resource::new(&WHAT, 1, Location::caller()), mutex }
);
share!([T: ?Sized] Mutex<T>, mutex: ::std::sync::Mutex<T>);

guard! {
    /// The guard of a [`Mutex`], which it frees when it is dropped.
    #[must_use = "if unused the Mutex will immediately unlock"]
    pub struct MutexGuard<'a, T: ?Sized> for &mut T {
        guard: ::std::sync::MutexGuard<'a, T>,
    }
}
