//! The guards of an `async_lock::RwLock` that borrow it, and their upgrades and downgrades.

use std::panic::Location;

use super::rwlock::ALL;
use crate::waits::{BlockedThread, Holding, WaitFuture, WaitInfo, WaitMode};
use crate::wrap::{future, guard};

guard! {
    /// A guard that releases shared read access when dropped.
    pub struct RwLockReadGuard<'a, T: ?Sized> for &T {
        guard: ::async_lock::RwLockReadGuard<'a, T>,
    }
}

guard! {
    /// A guard that releases upgradable read access when dropped.
    ///
    /// Other readers may coexist with it, but no second upgradable reader.
    pub struct RwLockUpgradableReadGuard<'a, T: ?Sized> for &T {
        guard: ::async_lock::RwLockUpgradableReadGuard<'a, T>,
    }
}

impl<'a, T: ?Sized> RwLockUpgradableReadGuard<'a, T> {
    /// Downgrades into a regular read guard.
    #[inline]
    pub fn downgrade(guard: Self) -> RwLockReadGuard<'a, T> {
        RwLockReadGuard::new(guard.holding, ::async_lock::RwLockUpgradableReadGuard::downgrade(guard.guard))
    }

    /// Attempts to upgrade into a write guard without waiting.
    ///
    /// # Errors
    /// Returns the guard if there is another reader.
    #[inline]
    #[track_caller]
    pub fn try_upgrade(guard: Self) -> Result<RwLockWriteGuard<'a, T>, Self> {
        let Self { holding, guard } = guard;
        match ::async_lock::RwLockUpgradableReadGuard::try_upgrade(guard) {
            Ok(guard) => Ok(RwLockWriteGuard::new(upgraded(holding, Location::caller(), false), guard)),
            Err(guard) => Err(Self { holding, guard }),
        }
    }

    /// Upgrades into a write guard, waiting for all other readers. New readers wait from now on.
    ///
    /// Dropping the future releases the lock, as in the original.
    #[inline]
    #[track_caller]
    pub fn upgrade(guard: Self) -> Upgrade<'a, T> {
        let info = upgrading(&guard.holding, Location::caller());
        let upgrade = ::async_lock::RwLockUpgradableReadGuard::upgrade(guard.guard);
        Upgrade::new(guard.holding, WaitFuture::new(upgrade, info), Location::caller())
    }

    /// Upgrades into a write guard, blocking the current thread until all other readers finish.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn upgrade_blocking(guard: Self) -> RwLockWriteGuard<'a, T> {
        let at = Location::caller();
        let Self { holding, guard } = match Self::try_upgrade(guard) {
            Ok(guard) => return guard,
            Err(guard) => guard,
        };
        holding.set_units(0);
        let blocked = BlockedThread::begin(holding.record(), WaitMode::Write, ALL - 1, at);
        let guard = ::async_lock::RwLockUpgradableReadGuard::upgrade_blocking(guard);
        drop(blocked);
        RwLockWriteGuard::new(upgraded(holding, at, true), guard)
    }
}

/// Describes the wait of an upgrade, for all units but its own, which it does not wait for.
pub(super) fn upgrading(holding: &Holding, at: &'static Location<'static>) -> WaitInfo {
    holding.set_units(0);
    WaitInfo::on(holding.record(), WaitMode::Write, ALL - 1, at)
}

/// Replaces a reader's holding by a writer's.
pub(super) fn upgraded(holding: Holding, at: &'static Location<'static>, has_waited: bool) -> Holding {
    let record = holding.record();
    let is_movable = holding.is_movable();
    drop(holding);
    Holding::hold_after(record, ALL, at, is_movable, has_waited)
}

future! {
    /// The future returned by [`RwLockUpgradableReadGuard::upgrade`].
    ///
    /// Dropping it releases the lock, as the original does.
    pub struct Upgrade<'a, T: ?Sized> {
        // The reader's unit while it waits. Dropped first: it ends before the lock is free.
        holding: Holding,
        #[pin]
        waited: WaitFuture<::async_lock::futures::Upgrade<'a, T>>,
        at: &'static Location<'static>,
    }
    -> RwLockWriteGuard<'a, T>;
    before |this| this.holding.accessed();
    after |this, guard| {
        let holding = std::mem::replace(this.holding, Holding::NONE);
        RwLockWriteGuard::new(upgraded(holding, this.at, this.waited.has_waited()), guard)
    };
}

guard! {
    /// A guard that releases exclusive write access when dropped.
    pub struct RwLockWriteGuard<'a, T: ?Sized> for &mut T {
        guard: ::async_lock::RwLockWriteGuard<'a, T>,
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Downgrades into a read guard.
    #[inline]
    pub fn downgrade(guard: Self) -> RwLockReadGuard<'a, T> {
        guard.holding.set_units(1);
        RwLockReadGuard::new(guard.holding, ::async_lock::RwLockWriteGuard::downgrade(guard.guard))
    }

    /// Downgrades into an upgradable read guard.
    #[inline]
    pub fn downgrade_to_upgradable(guard: Self) -> RwLockUpgradableReadGuard<'a, T> {
        guard.holding.set_units(1);
        let reads = ::async_lock::RwLockWriteGuard::downgrade_to_upgradable(guard.guard);
        RwLockUpgradableReadGuard::new(guard.holding, reads)
    }
}
