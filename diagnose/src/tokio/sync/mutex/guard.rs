//! Guards of a `Mutex` that borrow it.

use std::ops::{Deref, DerefMut};

use ::tokio::sync as real;

use super::super::guard::shown;
use super::Mutex;
use crate::waits::Holding;

/// tokio's `MutexGuard`.
// The holding stands before the guard: that it holds the lock is off the record before somebody else can have it.
#[clippy::has_significant_drop]
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized> {
    holding: Holding,
    guard: real::MutexGuard<'a, T>,
    mutex: &'a Mutex<T>,
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    #[inline]
    pub(super) fn new(holding: Holding, guard: real::MutexGuard<'a, T>, mutex: &'a Mutex<T>) -> Self {
        Self { holding, guard, mutex }
    }

    /// A guard of a part of what this one guards.
    #[inline]
    pub fn map<U, F>(this: Self, f: F) -> MappedMutexGuard<'a, U>
    where
        U: ?Sized,
        F: FnOnce(&mut T) -> &mut U,
    {
        MappedMutexGuard { holding: this.holding, guard: real::MutexGuard::map(this.guard, f) }
    }

    /// A guard of a part of what this one guards, if there is one.
    ///
    /// # Errors
    /// This guard, if `f` returns `None`.
    #[inline]
    pub fn try_map<U, F>(this: Self, f: F) -> Result<MappedMutexGuard<'a, U>, Self>
    where
        U: ?Sized,
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        let Self { holding, guard, mutex } = this;
        match real::MutexGuard::try_map(guard, f) {
            Ok(guard) => Ok(MappedMutexGuard { holding, guard }),
            Err(guard) => Err(Self { holding, guard, mutex }),
        }
    }

    /// The lock.
    #[inline]
    pub fn mutex(this: &Self) -> &'a Mutex<T> {
        this.mutex
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

shown!([T: ?Sized] MutexGuard<'_, T>: T);

/// tokio's `MappedMutexGuard`: a guard of a part of what is guarded.
#[clippy::has_significant_drop]
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MappedMutexGuard<'a, T: ?Sized> {
    holding: Holding,
    guard: real::MappedMutexGuard<'a, T>,
}

impl<'a, T: ?Sized> MappedMutexGuard<'a, T> {
    /// A guard of a part of what this one guards.
    #[inline]
    pub fn map<U, F>(this: Self, f: F) -> MappedMutexGuard<'a, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        MappedMutexGuard { holding: this.holding, guard: real::MappedMutexGuard::map(this.guard, f) }
    }

    /// A guard of a part of what this one guards, if there is one.
    ///
    /// # Errors
    /// This guard, if `f` returns `None`.
    #[inline]
    pub fn try_map<U, F>(this: Self, f: F) -> Result<MappedMutexGuard<'a, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        let Self { holding, guard } = this;
        match real::MappedMutexGuard::try_map(guard, f) {
            Ok(guard) => Ok(MappedMutexGuard { holding, guard }),
            Err(guard) => Err(Self { holding, guard }),
        }
    }
}

impl<T: ?Sized> Deref for MappedMutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T: ?Sized> DerefMut for MappedMutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

shown!([T: ?Sized] MappedMutexGuard<'_, T>: T);
