//! A reader's guard of a `RwLock` that borrows it.

use std::ops::Deref;

use ::tokio::sync as real;

use super::super::guard::shown;
use crate::waits::Holding;

/// tokio's `RwLockReadGuard`.
// The holding stands before the guard: that it holds the lock is off the record before somebody else can have it.
#[clippy::has_significant_drop]
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    pub(super) holding: Holding,
    pub(super) guard: real::RwLockReadGuard<'a, T>,
}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    /// A guard of a part of what this one guards.
    #[inline]
    pub fn map<F, U: ?Sized>(this: Self, f: F) -> RwLockReadGuard<'a, U>
    where
        F: FnOnce(&T) -> &U,
    {
        RwLockReadGuard { holding: this.holding, guard: real::RwLockReadGuard::map(this.guard, f) }
    }

    /// A guard of a part of what this one guards, if there is one.
    ///
    /// # Errors
    /// This guard, if `f` returns `None`.
    #[inline]
    pub fn try_map<F, U: ?Sized>(this: Self, f: F) -> Result<RwLockReadGuard<'a, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        let Self { holding, guard } = this;
        match real::RwLockReadGuard::try_map(guard, f) {
            Ok(guard) => Ok(RwLockReadGuard { holding, guard }),
            Err(guard) => Err(Self { holding, guard }),
        }
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

shown!([T: ?Sized] RwLockReadGuard<'_, T>: T);
