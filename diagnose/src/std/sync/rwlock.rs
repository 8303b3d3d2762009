//! `std::sync::RwLock`, with a record of its readers, its writer and its blocked threads.

use std::panic::Location;
use std::sync::{LockResult, TryLockResult};

use super::poisoned;
use crate::waits::{ResourceKind, ResourceType, WaitMode};
use crate::wrap::{delegate, guard, lock};

static TYPE: ResourceType = ResourceType::new(ResourceKind::RwLock, "std").thread_bound(true);

/// All units of a lock, which a writer holds. Each reader holds one, without a bound.
const ALL: u64 = u32::MAX as u64;

lock! {
    /// The standard library's `RwLock`, recorded from its first use on with the place of its
    /// creation.
    pub struct RwLock<T>(lock: ::std::sync::RwLock<T>), &TYPE, ALL;
    /// Creates a new lock.
    #[inline]
    pub const fn new(t: T) = ::std::sync::RwLock::new(t);
    /// Consumes the lock, returning the underlying data.
    ///
    /// # Errors
    /// If the lock is poisoned, with the data.
    pub fn into_inner(self) -> LockResult<T>;
}

impl<T: ?Sized> RwLock<T> {
    /// Acquires shared read access, blocking the current thread until it is available.
    ///
    /// # Errors
    /// If the lock is poisoned, with the guard.
    #[inline]
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let at = Location::caller();
        let block = || self.resource.block(WaitMode::Read, 1, at, || self.lock.read());
        let (result, has_waited) = poisoned::or_block(self.lock.try_read(), block);
        poisoned::map(result, |guard| {
            RwLockReadGuard::new(self.resource.hold(1, at, false, has_waited), guard)
        })
    }

    /// Attempts to acquire shared read access without blocking.
    ///
    /// # Errors
    /// If a writer holds the lock, or if it is poisoned, with the guard.
    #[inline]
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let at = Location::caller();
        let with = |guard| RwLockReadGuard::new(self.resource.hold(1, at, false, false), guard);
        poisoned::map_try(self.lock.try_read(), with)
    }

    /// Acquires exclusive write access, blocking the current thread until it is available.
    ///
    /// # Errors
    /// If the lock is poisoned, with the guard.
    #[inline]
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let at = Location::caller();
        let block = || self.resource.block(WaitMode::Write, ALL, at, || self.lock.write());
        let (result, has_waited) = poisoned::or_block(self.lock.try_write(), block);
        poisoned::map(result, |guard| {
            RwLockWriteGuard::new(self.resource.hold(ALL, at, false, has_waited), guard)
        })
    }

    /// Attempts to acquire exclusive write access without blocking.
    ///
    /// # Errors
    /// If the lock is held, or if it is poisoned, with the guard.
    #[inline]
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let at = Location::caller();
        let with = |guard| RwLockWriteGuard::new(self.resource.hold(ALL, at, false, false), guard);
        poisoned::map_try(self.lock.try_write(), with)
    }

    delegate! { lock:
        /// Returns `true` if a writer panicked while it held the lock.
        #[inline]
        pub fn is_poisoned(&self) -> bool;
        /// Clears the poisoned state of the lock.
        #[inline]
        pub fn clear_poison(&self);
        /// Returns a mutable reference to the data. `&mut self` proves that no guard exists.
        ///
        /// # Errors
        /// If the lock is poisoned, with the data.
        pub fn get_mut(&mut self) -> LockResult<&mut T>;
    }
}

guard! {
    /// A guard that releases shared read access when dropped.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct RwLockReadGuard<'a, T: ?Sized> for &T {
        guard: ::std::sync::RwLockReadGuard<'a, T>,
    }
}

guard! {
    /// A guard that releases exclusive write access when dropped.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct RwLockWriteGuard<'a, T: ?Sized> for &mut T {
        guard: ::std::sync::RwLockWriteGuard<'a, T>,
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Downgrades into a read guard. Calling this needs Rust 1.92, as with the original.
    #[allow(clippy::incompatible_msrv, unstable_name_collisions)] // See `Lacking`.
    pub fn downgrade(s: Self) -> RwLockReadGuard<'a, T> {
        s.holding.set_units(1);
        RwLockReadGuard::new(s.holding, ::std::sync::RwLockWriteGuard::downgrade(s.guard))
    }
}

/// Stands in for functions that older standard libraries lack.
///
/// An inherent function takes precedence over a trait's. Calling a missing one does not compile.
#[allow(dead_code)]
trait Lacking: Sized {
    type Reads;

    fn downgrade(_: Self) -> Self::Reads {
        // Depends on the type, so it is evaluated where `downgrade` is called, and not here.
        const { assert!(size_of::<Self>() > usize::MAX / 2, "`RwLockWriteGuard::downgrade` came with Rust 1.92") }
        unreachable!("it does not compile")
    }
}

impl<'a, T: ?Sized> Lacking for ::std::sync::RwLockWriteGuard<'a, T> {
    type Reads = ::std::sync::RwLockReadGuard<'a, T>;
}
