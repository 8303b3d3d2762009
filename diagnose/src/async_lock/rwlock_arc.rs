//! The owned guards of an `async_lock::RwLock`, and their futures.

use std::fmt;
use std::future::Future;
use std::marker::PhantomPinned;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::RwLock;
use super::acquiring_arc::acquiring_arc;
use super::owned::{Reading, ReadingAlone, Reads, ReadsAlone, Upgrading, Writes, Writing};
use super::rwlock::ALL;
use super::rwlock_guards::{upgraded, upgrading};
use crate::waits::{BlockedThread, Holding, WaitFuture, WaitMode};
use crate::wrap::{Owned, owned_guard};

acquiring_arc! {
    /// The future returned by [`RwLock::read_arc`].
    ReadArc ['a, T] ['a, T] (RwLock<T>, Reads<T>, Reading<T>) RwLockReadGuardArc<T>,
    |it| it.lock.try_read(), it.lock.read()
}
acquiring_arc! {
    /// The future returned by [`RwLock::upgradable_read_arc`].
    UpgradableReadArc ['a, T: ?Sized] ['a, T]
    (RwLock<T>, ReadsAlone<T>, ReadingAlone<T>) RwLockUpgradableReadGuardArc<T>,
    |it| it.lock.try_upgradable_read(), it.lock.upgradable_read()
}
acquiring_arc! {
    /// The future returned by [`RwLock::write_arc`].
    WriteArc ['a, T: ?Sized] ['a, T] (RwLock<T>, Writes<T>, Writing<T>) RwLockWriteGuardArc<T>,
    |it| it.lock.try_write(), it.lock.write()
}

/// Writes the constructors of an owned guard that try to acquire, or block the current thread.
macro_rules! acquired {
    ($name:ident [$($bound:tt)*] $mode:ident $units:expr, |$it:ident| $try:expr, $block:expr) => {
        impl<T $($bound)*> $name<T> {
            #[inline]
            pub(super) fn try_new(lock: &Arc<RwLock<T>>, at: &'static Location<'static>) -> Option<Self> {
                let guard = Owned::try_new(Arc::clone(lock), |$it| match $try {
                    Some(guard) => Ok((guard, $it.resource.hold($units, at, true, false))),
                    None => Err(()),
                });
                guard.ok().map(Self::of)
            }

            #[cold]
            #[cfg(not(target_family = "wasm"))]
            pub(super) fn block(lock: &Arc<RwLock<T>>, at: &'static Location<'static>) -> Self {
                Self::of(Owned::new(Arc::clone(lock), |$it| {
                    let guard = $it.resource.block(WaitMode::$mode, $units, at, || $block);
                    (guard, $it.resource.hold($units, at, true, true))
                }))
            }
        }
    };
}

owned_guard! {
    /// An owned guard that releases shared read access when dropped.
    pub struct RwLockReadGuardArc<T> for &T {
        guard: Owned<RwLock<T>, Reads<T>>,
    }
}
acquired!(RwLockReadGuardArc [] Read 1, |it| it.lock.try_read(), it.lock.read_blocking());

owned_guard! {
    /// An owned guard that releases upgradable read access when dropped.
    pub struct RwLockUpgradableReadGuardArc<T: ?Sized> for &T {
        guard: Owned<RwLock<T>, ReadsAlone<T>>,
    }
}
acquired! {
    RwLockUpgradableReadGuardArc [: ?Sized] Lock 1,
    |it| it.lock.try_upgradable_read(), it.lock.upgradable_read_blocking()
}

owned_guard! {
    /// An owned guard that releases exclusive write access when dropped.
    pub struct RwLockWriteGuardArc<T: ?Sized> for &mut T {
        guard: Owned<RwLock<T>, Writes<T>>,
    }
}
acquired!(RwLockWriteGuardArc [: ?Sized] Write ALL, |it| it.lock.try_write(), it.lock.write_blocking());

impl<T> RwLockUpgradableReadGuardArc<T> {
    /// Downgrades into a regular read guard.
    #[inline]
    pub fn downgrade(guard: Self) -> RwLockReadGuardArc<T> {
        let reads = guard.guard.turn(|it, _| ::async_lock::RwLockUpgradableReadGuard::downgrade(it));
        RwLockReadGuardArc::new(guard.holding, reads)
    }
}

impl<T: ?Sized> RwLockUpgradableReadGuardArc<T> {
    /// Attempts to upgrade into a write guard without waiting.
    ///
    /// # Errors
    /// Returns the guard if there is another reader.
    #[inline]
    #[track_caller]
    pub fn try_upgrade(guard: Self) -> Result<RwLockWriteGuardArc<T>, Self> {
        let Self { holding, guard } = guard;
        let turn = guard.try_turn(|it, _| ::async_lock::RwLockUpgradableReadGuard::try_upgrade(it));
        match turn {
            Ok(guard) => Ok(RwLockWriteGuardArc::new(upgraded(holding, Location::caller(), false), guard)),
            Err(guard) => Err(Self { holding, guard }),
        }
    }

    /// Upgrades into a write guard, waiting for all other readers. New readers wait from now on.
    ///
    /// Dropping the future releases the lock, as in the original.
    #[inline]
    #[track_caller]
    pub fn upgrade(guard: Self) -> UpgradeArc<T> {
        let Self { holding, guard } = guard;
        let at = Location::caller();
        let info = upgrading(&holding, at);
        let waiting = guard.turn(|it, _| {
            Box::pin(WaitFuture::new(::async_lock::RwLockUpgradableReadGuard::upgrade(it), info))
        });
        UpgradeArc { holding, waiting: Some(waiting), at, pinned: PhantomPinned }
    }

    /// Upgrades into a write guard, blocking the current thread until all other readers finish.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn upgrade_blocking(guard: Self) -> RwLockWriteGuardArc<T> {
        let at = Location::caller();
        let Self { holding, guard } = match Self::try_upgrade(guard) {
            Ok(guard) => return guard,
            Err(guard) => guard,
        };
        holding.set_units(0);
        let blocked = BlockedThread::begin(holding.record(), WaitMode::Write, ALL - 1, at);
        let writes = guard.turn(|it, _| ::async_lock::RwLockUpgradableReadGuard::upgrade_blocking(it));
        drop(blocked);
        RwLockWriteGuardArc::new(upgraded(holding, at, true), writes)
    }
}

impl<T> RwLockWriteGuardArc<T> {
    /// Downgrades into a read guard.
    #[inline]
    pub fn downgrade(guard: Self) -> RwLockReadGuardArc<T> {
        guard.holding.set_units(1);
        let reads = guard.guard.turn(|it, _| ::async_lock::RwLockWriteGuard::downgrade(it));
        RwLockReadGuardArc::new(guard.holding, reads)
    }
}

impl<T: ?Sized> RwLockWriteGuardArc<T> {
    /// Downgrades into an upgradable read guard.
    #[inline]
    pub fn downgrade_to_upgradable(guard: Self) -> RwLockUpgradableReadGuardArc<T> {
        guard.holding.set_units(1);
        let reads = guard.guard.turn(|it, _| ::async_lock::RwLockWriteGuard::downgrade_to_upgradable(it));
        RwLockUpgradableReadGuardArc::new(guard.holding, reads)
    }
}

pin_project! {
    /// The future returned by [`RwLockUpgradableReadGuardArc::upgrade`].
    ///
    /// Dropping it releases the lock, as the original does.
    pub struct UpgradeArc<T: ?Sized> {
        // The reader's unit while it waits. Dropped first: it ends before the lock is free.
        holding: Holding,
        waiting: Option<Owned<RwLock<T>, Upgrading<T>>>,
        at: &'static Location<'static>,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl<T: ?Sized> Future for UpgradeArc<T> {
    type Output = RwLockWriteGuardArc<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.holding.accessed();
        let waiting = this.waiting.take().expect("future polled after completion");
        let mut has_waited = false;
        let turned = waiting.try_turn::<Writes<T>>(|mut waited, _| match waited.as_mut().poll(context) {
            Poll::Ready(guard) => {
                has_waited = waited.has_waited();
                Ok(guard)
            }
            Poll::Pending => Err(waited),
        });
        match turned {
            Ok(guard) => {
                let holding = std::mem::replace(this.holding, Holding::NONE);
                Poll::Ready(RwLockWriteGuardArc::new(upgraded(holding, this.at, has_waited), guard))
            }
            Err(waiting) => {
                *this.waiting = Some(waiting);
                Poll::Pending
            }
        }
    }
}

impl<T: ?Sized> fmt::Debug for UpgradeArc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ArcUpgrade")
    }
}
