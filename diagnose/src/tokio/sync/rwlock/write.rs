//! A writer's guards of a `RwLock` that borrow it.

use std::ops::{Deref, DerefMut};

use ::tokio::sync as real;

use super::super::guard::shown;
use super::RwLockReadGuard;
use crate::waits::Holding;

/// tokio's `RwLockWriteGuard`.
// The holding stands before the guard: that it holds the lock is off the record before somebody else can have it. So it is
// with all units but one, where a writer becomes a reader.
#[clippy::has_significant_drop]
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    pub(super) holding: Holding,
    pub(super) guard: real::RwLockWriteGuard<'a, T>,
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// A guard of a part of what this one guards.
    #[inline]
    pub fn map<F, U: ?Sized>(this: Self, f: F) -> RwLockMappedWriteGuard<'a, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        RwLockMappedWriteGuard { holding: this.holding, guard: real::RwLockWriteGuard::map(this.guard, f) }
    }

    /// A reader's guard of a part of what this one guards, which nobody has changed in between.
    #[inline]
    pub fn downgrade_map<F, U: ?Sized>(this: Self, f: F) -> RwLockReadGuard<'a, U>
    where
        F: FnOnce(&T) -> &U,
    {
        let Self { holding, guard } = this;
        let guard = real::RwLockWriteGuard::downgrade_map(guard, |value| {
            let part = f(value);
            holding.set_units(1);
            part
        });
        RwLockReadGuard { holding, guard }
    }

    /// A guard of a part of what this one guards, if there is one.
    ///
    /// # Errors
    /// This guard, if `f` returns `None`.
    #[inline]
    pub fn try_map<F, U: ?Sized>(this: Self, f: F) -> Result<RwLockMappedWriteGuard<'a, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        let Self { holding, guard } = this;
        match real::RwLockWriteGuard::try_map(guard, f) {
            Ok(guard) => Ok(RwLockMappedWriteGuard { holding, guard }),
            Err(guard) => Err(Self { holding, guard }),
        }
    }

    /// A reader's guard of a part of what this one guards, if there is one.
    ///
    /// # Errors
    /// This guard, if `f` returns `None`.
    #[inline]
    pub fn try_downgrade_map<F, U: ?Sized>(this: Self, f: F) -> Result<RwLockReadGuard<'a, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        let Self { holding, guard } = this;
        let reader = real::RwLockWriteGuard::try_downgrade_map(guard, |value| {
            let part = f(value);
            if part.is_some() {
                holding.set_units(1);
            }
            part
        });
        match reader {
            Ok(guard) => Ok(RwLockReadGuard { holding, guard }),
            Err(guard) => Err(Self { holding, guard }),
        }
    }

    /// The same guard as one of a part.
    #[inline]
    pub fn into_mapped(this: Self) -> RwLockMappedWriteGuard<'a, T> {
        Self::map(this, |value| value)
    }

    /// A reader's guard of what this one guards, which nobody has changed in between.
    pub fn downgrade(self) -> RwLockReadGuard<'a, T> {
        self.holding.set_units(1);
        RwLockReadGuard { holding: self.holding, guard: self.guard.downgrade() }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

shown!([T: ?Sized] RwLockWriteGuard<'_, T>: T);

/// tokio's `RwLockMappedWriteGuard`: a guard of a part of what is guarded.
#[clippy::has_significant_drop]
pub struct RwLockMappedWriteGuard<'a, T: ?Sized> {
    holding: Holding,
    guard: real::RwLockMappedWriteGuard<'a, T>,
}

impl<'a, T: ?Sized> RwLockMappedWriteGuard<'a, T> {
    /// A guard of a part of what this one guards.
    #[inline]
    pub fn map<F, U: ?Sized>(this: Self, f: F) -> RwLockMappedWriteGuard<'a, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        RwLockMappedWriteGuard {
            holding: this.holding,
            guard: real::RwLockMappedWriteGuard::map(this.guard, f),
        }
    }

    /// A guard of a part of what this one guards, if there is one.
    ///
    /// # Errors
    /// This guard, if `f` returns `None`.
    #[inline]
    pub fn try_map<F, U: ?Sized>(this: Self, f: F) -> Result<RwLockMappedWriteGuard<'a, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        let Self { holding, guard } = this;
        match real::RwLockMappedWriteGuard::try_map(guard, f) {
            Ok(guard) => Ok(RwLockMappedWriteGuard { holding, guard }),
            Err(guard) => Err(Self { holding, guard }),
        }
    }
}

impl<T: ?Sized> Deref for RwLockMappedWriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T: ?Sized> DerefMut for RwLockMappedWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

shown!([T: ?Sized] RwLockMappedWriteGuard<'_, T>: T);
