//! The guards of a `parking_lot::RwLock`, and those of components of its data.

use std::panic::Location;

use super::parts::{parts, unlocked};
use super::rwlock::ALL;
use super::{RwLock, RwLockUpgradableReadGuard};
use crate::waits::Holding;
use crate::wrap::guard;

guard! {
    /// A guard that releases shared read access when dropped.
    ///
    /// Unlike the original, `Sync` needs `T: Send`, as [`rwlock`](Self::rwlock) gives shared
    /// access.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct RwLockReadGuard<'a, T: ?Sized> for &T {
        guard: ::parking_lot::RwLockReadGuard<'a, T>,
        lock: &'a RwLock<T>,
    }
}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    /// Returns the lock that this guard came from.
    pub fn rwlock(s: &Self) -> &'a RwLock<T> {
        s.lock
    }
}

guard! {
    /// A guard that releases exclusive write access when dropped.
    ///
    /// Unlike the original, `Sync` needs `T: Send`, as [`rwlock`](Self::rwlock) gives shared
    /// access.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct RwLockWriteGuard<'a, T: ?Sized> for &mut T {
        guard: ::parking_lot::RwLockWriteGuard<'a, T>,
        lock: &'a RwLock<T>,
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Returns the lock that this guard came from.
    pub fn rwlock(s: &Self) -> &'a RwLock<T> {
        s.lock
    }

    /// Downgrades into a read guard.
    #[inline]
    pub fn downgrade(s: Self) -> RwLockReadGuard<'a, T> {
        s.holding.set_units(1);
        RwLockReadGuard::new(s.holding, ::parking_lot::RwLockWriteGuard::downgrade(s.guard), s.lock)
    }

    /// Downgrades into an upgradable read guard.
    #[inline]
    pub fn downgrade_to_upgradable(s: Self) -> RwLockUpgradableReadGuard<'a, T> {
        s.holding.set_units(1);
        let guard = ::parking_lot::RwLockWriteGuard::downgrade_to_upgradable(s.guard);
        RwLockUpgradableReadGuard::new(s.holding, guard, s.lock)
    }
}

parts!(RwLockReadGuard, MappedRwLockReadGuard,);
parts!(RwLockWriteGuard, MappedRwLockWriteGuard, (mut));
unlocked!(RwLockReadGuard, |it, at| it.lock.hold(1, at, true));
unlocked!(RwLockWriteGuard, |it, at| it.lock.hold(ALL, at, true));

guard! {
    /// A read guard for a component of the data. It releases the read access when dropped.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct MappedRwLockReadGuard<'a, T: ?Sized> for &T {
        guard: ::parking_lot::MappedRwLockReadGuard<'a, T>,
    }
}

guard! {
    /// A write guard for a component of the data. It releases the write access when dropped.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct MappedRwLockWriteGuard<'a, T: ?Sized> for &mut T {
        guard: ::parking_lot::MappedRwLockWriteGuard<'a, T>,
    }
}

parts!(MappedRwLockReadGuard, MappedRwLockReadGuard,);
parts!(MappedRwLockWriteGuard, MappedRwLockWriteGuard, (mut));

impl<'a, T: ?Sized> MappedRwLockReadGuard<'a, T> {
    /// [`try_map_or_err`](Self::try_map_or_err), under the name of the original's method.
    ///
    /// # Errors
    /// Returns this guard and the error of `f` if `f` fails.
    #[inline]
    pub fn try_map_or_else<U: ?Sized, F, E>(s: Self, f: F) -> Result<MappedRwLockReadGuard<'a, U>, (Self, E)>
    where
        F: FnOnce(&T) -> Result<&U, E>,
    {
        Self::try_map_or_err(s, f)
    }
}
