//! The guards of an `async_lock::RwLock` that borrow it, and what they become.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::rwlock::ALL;
use crate::waits::{BlockedThread, Holding, WaitFuture, WaitInfo, WaitMode};
use crate::wrap::guard;

guard! {
    /// The guard of who reads. It ends that when it is dropped.
    pub struct RwLockReadGuard<'a, T: ?Sized> for &T {
        guard: ::async_lock::RwLockReadGuard<'a, T>,
    }
}

guard! {
    /// The guard of who reads and may write later: others read beside it, but there is one such only. It ends that when it is
    /// dropped.
    pub struct RwLockUpgradableReadGuard<'a, T: ?Sized> for &T {
        guard: ::async_lock::RwLockUpgradableReadGuard<'a, T>,
    }
}

impl<'a, T: ?Sized> RwLockUpgradableReadGuard<'a, T> {
    /// Reads from now on, and will not write.
    #[inline]
    pub fn downgrade(guard: Self) -> RwLockReadGuard<'a, T> {
        RwLockReadGuard::new(guard.holding, ::async_lock::RwLockUpgradableReadGuard::downgrade(guard.guard))
    }

    /// Upgrades the guard to write if there is no other reader.
    ///
    /// # Errors
    /// The guard, if there is another reader.
    #[inline]
    #[track_caller]
    pub fn try_upgrade(guard: Self) -> Result<RwLockWriteGuard<'a, T>, Self> {
        let Self { holding, guard } = guard;
        match ::async_lock::RwLockUpgradableReadGuard::try_upgrade(guard) {
            Ok(guard) => Ok(RwLockWriteGuard::new(upgraded(holding, Location::caller(), false), guard)),
            Err(guard) => Err(Self { holding, guard }),
        }
    }

    /// Upgrades the guard to write, waiting for all other readers. New readers wait from now on.
    ///
    /// Dropping the future frees the lock, as in the original.
    #[inline]
    #[track_caller]
    pub fn upgrade(guard: Self) -> Upgrade<'a, T> {
        let leaf = upgrading(&guard.holding, Location::caller());
        let upgrade = ::async_lock::RwLockUpgradableReadGuard::upgrade(guard.guard);
        Upgrade { holding: guard.holding, waited: WaitFuture::new(upgrade, leaf), at: Location::caller() }
    }

    /// The same, and blocks this thread until then.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn upgrade_blocking(guard: Self) -> RwLockWriteGuard<'a, T> {
        let at = Location::caller();
        let Self { holding, guard } = match Self::try_upgrade(guard) {
            Ok(guard) => return guard,
            Err(guard) => guard,
        };
        let blocked = BlockedThread::begin(holding.record(), WaitMode::Write, ALL - 1, at);
        let guard = ::async_lock::RwLockUpgradableReadGuard::upgrade_blocking(guard);
        drop(blocked);
        RwLockWriteGuard::new(upgraded(holding, at, true), guard)
    }
}

/// Units that an upgrade waits for: all but its own.
pub(super) fn upgrading(holding: &Holding, at: &'static Location<'static>) -> WaitInfo {
    WaitInfo::on(holding.record(), WaitMode::Write, ALL - 1, at)
}

/// The holding of a reader becomes that of a writer.
pub(super) fn upgraded(holding: Holding, at: &'static Location<'static>, has_waited: bool) -> Holding {
    let record = holding.record();
    let is_movable = holding.is_movable();
    drop(holding);
    Holding::hold_after(record, ALL, at, is_movable, has_waited)
}

pin_project! {
    /// The future of [`RwLockUpgradableReadGuard::upgrade`].
    ///
    /// Dropping it frees the lock, as the original does.
    pub struct Upgrade<'a, T: ?Sized> {
        // What it has while it waits. It ends before the lock is free.
        holding: Holding,
        #[pin]
        waited: WaitFuture<::async_lock::futures::Upgrade<'a, T>>,
        at: &'static Location<'static>,
    }
}

impl<'a, T: ?Sized> Future for Upgrade<'a, T> {
    type Output = RwLockWriteGuard<'a, T>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let guard = ready!(this.waited.as_mut().poll(context));
        let holding = std::mem::replace(this.holding, Holding::NONE);
        Poll::Ready(RwLockWriteGuard::new(upgraded(holding, this.at, this.waited.has_waited()), guard))
    }
}

impl<T: ?Sized> fmt::Debug for Upgrade<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.waited.future(), f)
    }
}

guard! {
    /// The guard of who writes. It ends that when it is dropped.
    pub struct RwLockWriteGuard<'a, T: ?Sized> for &mut T {
        guard: ::async_lock::RwLockWriteGuard<'a, T>,
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Reads from now on.
    #[inline]
    pub fn downgrade(guard: Self) -> RwLockReadGuard<'a, T> {
        guard.holding.set_units(1);
        RwLockReadGuard::new(guard.holding, ::async_lock::RwLockWriteGuard::downgrade(guard.guard))
    }

    /// Reads from now on, and may write later.
    #[inline]
    pub fn downgrade_to_upgradable(guard: Self) -> RwLockUpgradableReadGuard<'a, T> {
        guard.holding.set_units(1);
        let reads = ::async_lock::RwLockWriteGuard::downgrade_to_upgradable(guard.guard);
        RwLockUpgradableReadGuard::new(guard.holding, reads)
    }
}
