//! The guards of a `parking_lot::RwLock`, and of parts of what it guards.

use std::panic::Location;

use super::parts::{parts, unlocked};
use super::rwlock::ALL;
use super::{RwLock, RwLockUpgradableReadGuard};
use crate::waits::{Holding, Record, guard, guard_mut};

/// A guard with its lock, which it can be asked for.
macro_rules! whole {
    ($(#[$meta:meta])* $name:ident, $units:expr) => {
        $(#[$meta])*
        ///
        /// Unlike the original it is `Sync` only where what it guards is `Send` too: [`rwlock`](Self::rwlock) gives access
        /// to it.
        #[clippy::has_significant_drop]
        #[must_use = "if unused the RwLock will immediately unlock"]
        pub struct $name<'a, T: ?Sized> {
            // It ends before the lock is free.
            holding: Holding,
            guard: ::parking_lot::$name<'a, T>,
            lock: Lock<'a, T>,
        }

        impl<'a, T: ?Sized> $name<'a, T> {
            #[inline]
            pub(super) fn new(holding: Holding, guard: ::parking_lot::$name<'a, T>, lock: &'a RwLock<T>) -> Self {
                Self { holding, guard, lock: Lock { lock, units: $units } }
            }

            /// The lock that it is of.
            pub fn rwlock(s: &Self) -> &'a RwLock<T> {
                s.lock.lock
            }
        }

        guard!([T: ?Sized] $name<'_, T>, T, |it| &it.guard);
        unlocked!($name, lock);
    };
}

/// The lock, and how much of it the guard has.
struct Lock<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    units: u64,
}

impl<T: ?Sized> Lock<'_, T> {
    #[inline]
    fn hold(&self, at: &'static Location<'static>, has_waited: bool) -> Holding {
        self.lock.hold(self.units, at, has_waited)
    }
}

whole! {
    /// The guard of who reads. It ends that when it is dropped.
    RwLockReadGuard, 1
}
whole! {
    /// The guard of who writes. It ends that when it is dropped.
    RwLockWriteGuard, ALL
}
guard_mut!([T: ?Sized] RwLockWriteGuard<'_, T>, T, |it| &mut it.guard);
parts!(RwLockReadGuard, MappedRwLockReadGuard,);
parts!(RwLockWriteGuard, MappedRwLockWriteGuard, (mut));

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Reads from now on.
    #[inline]
    pub fn downgrade(s: Self) -> RwLockReadGuard<'a, T> {
        s.holding.set_units(1);
        RwLockReadGuard::new(s.holding, ::parking_lot::RwLockWriteGuard::downgrade(s.guard), s.lock.lock)
    }

    /// Reads from now on, and may write later.
    #[inline]
    pub fn downgrade_to_upgradable(s: Self) -> RwLockUpgradableReadGuard<'a, T> {
        s.holding.set_units(1);
        let guard = ::parking_lot::RwLockWriteGuard::downgrade_to_upgradable(s.guard);
        RwLockUpgradableReadGuard::new(s.holding, guard, s.lock.lock)
    }
}

/// A guard of a part.
macro_rules! part {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[clippy::has_significant_drop]
        #[must_use = "if unused the RwLock will immediately unlock"]
        pub struct $name<'a, T: ?Sized> {
            // It ends before the lock is free.
            holding: Holding,
            guard: ::parking_lot::$name<'a, T>,
        }

        impl<'a, T: ?Sized> $name<'a, T> {
            #[inline]
            fn of(holding: Holding, guard: ::parking_lot::$name<'a, T>) -> Self {
                Self { holding, guard }
            }
        }

        guard!([T: ?Sized] $name<'_, T>, T, |it| &it.guard);
    };
}

part! {
    /// The guard of who reads a part. It ends that when it is dropped.
    MappedRwLockReadGuard
}
part! {
    /// The guard of who writes a part. It ends that when it is dropped.
    MappedRwLockWriteGuard
}
guard_mut!([T: ?Sized] MappedRwLockWriteGuard<'_, T>, T, |it| &mut it.guard);
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
