//! The guards of a `parking_lot::RwLock`, and of parts of what it guards.

use std::panic::Location;

use super::parts::{parts, unlocked};
use super::rwlock::ALL;
use super::{RwLock, RwLockUpgradableReadGuard};
use crate::waits::{Holding, Record};
use crate::wrap::guard;

guard! {
    /// The guard of who reads. It ends that when it is dropped.
    ///
    /// Unlike the original it is `Sync` only where what it guards is `Send` too: [`rwlock`](Self::rwlock) gives access to it.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct RwLockReadGuard<'a, T: ?Sized> for &T {
        guard: ::parking_lot::RwLockReadGuard<'a, T>,
        lock: &'a RwLock<T>,
    }
}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    /// The lock that it is of.
    pub fn rwlock(s: &Self) -> &'a RwLock<T> {
        s.lock
    }
}

guard! {
    /// The guard of who writes. It ends that when it is dropped.
    ///
    /// Unlike the original it is `Sync` only where what it guards is `Send` too: [`rwlock`](Self::rwlock) gives access to it.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct RwLockWriteGuard<'a, T: ?Sized> for &mut T {
        guard: ::parking_lot::RwLockWriteGuard<'a, T>,
        lock: &'a RwLock<T>,
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// The lock that it is of.
    pub fn rwlock(s: &Self) -> &'a RwLock<T> {
        s.lock
    }

    /// Reads from now on.
    #[inline]
    pub fn downgrade(s: Self) -> RwLockReadGuard<'a, T> {
        s.holding.set_units(1);
        RwLockReadGuard::new(s.holding, ::parking_lot::RwLockWriteGuard::downgrade(s.guard), s.lock)
    }

    /// Reads from now on, and may write later.
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
    /// The guard of who reads a part. It ends that when it is dropped.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct MappedRwLockReadGuard<'a, T: ?Sized> for &T {
        guard: ::parking_lot::MappedRwLockReadGuard<'a, T>,
    }
}

guard! {
    /// The guard of who writes a part. It ends that when it is dropped.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct MappedRwLockWriteGuard<'a, T: ?Sized> for &mut T {
        guard: ::parking_lot::MappedRwLockWriteGuard<'a, T>,
    }
}

parts!(MappedRwLockReadGuard, MappedRwLockReadGuard,);
parts!(MappedRwLockWriteGuard, MappedRwLockWriteGuard, (mut));

impl<'a, T: ?Sized> MappedRwLockReadGuard<'a, T> {
    /// [`try_map_or_err`](Self::try_map_or_err), which the original has under this name.
    ///
    /// # Errors
    /// If there is none, this guard, and what `f` says.
    #[inline]
    pub fn try_map_or_else<U: ?Sized, F, E>(s: Self, f: F) -> Result<MappedRwLockReadGuard<'a, U>, (Self, E)>
    where
        F: FnOnce(&T) -> Result<&U, E>,
    {
        Self::try_map_or_err(s, f)
    }
}
