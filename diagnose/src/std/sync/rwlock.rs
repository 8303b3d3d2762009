//! `std::sync::RwLock`, with who reads, who writes and who is blocked by it.

use std::panic::Location;
use std::sync::{LockResult, TryLockResult};

use super::poisoned;
use crate::waits::{Resource, ResourceKind, ResourceType, WaitMode};
use crate::wrap::{delegate, guard, lock, share};

static WHAT: ResourceType = ResourceType::new(ResourceKind::RwLock, "std");

/// All of it: what a writer has. There is no bound on readers, each of which has one.
const ALL: u64 = u32::MAX as u64;

/// The standard library's `RwLock`. It is known with the place where it was made, from its first use on.
pub struct RwLock<T: ?Sized> {
    resource: Resource,
    lock: ::std::sync::RwLock<T>,
}

impl<T> RwLock<T> {
    /// A lock that is free.
    #[inline]
    #[track_caller]
    pub const fn new(t: T) -> Self {
        Self { resource: Resource::new(&WHAT, ALL, Location::caller()), lock: ::std::sync::RwLock::new(t) }
    }

    /// What it guards.
    ///
    /// # Errors
    /// If it is poisoned, with what it guards.
    pub fn into_inner(self) -> LockResult<T> {
        self.lock.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Acquires it for reading, and blocks this thread until then.
    ///
    /// # Errors
    /// If it is poisoned, with the guard.
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

    /// Acquires it for reading, if that is possible now.
    ///
    /// # Errors
    /// If it is not, or if it is poisoned, with the guard.
    #[inline]
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let at = Location::caller();
        let with = |guard| RwLockReadGuard::new(self.resource.hold(1, at, false, false), guard);
        poisoned::map_try(self.lock.try_read(), with)
    }

    /// Acquires it for writing, and blocks this thread until then.
    ///
    /// # Errors
    /// If it is poisoned, with the guard.
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

    /// Acquires it for writing, if that is possible now.
    ///
    /// # Errors
    /// If it is not, or if it is poisoned, with the guard.
    #[inline]
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let at = Location::caller();
        let with = |guard| RwLockWriteGuard::new(self.resource.hold(ALL, at, false, false), guard);
        poisoned::map_try(self.lock.try_write(), with)
    }

    delegate! { lock:
        /// Whether a thread has panicked that wrote.
        #[inline]
        pub fn is_poisoned(&self) -> bool;
        /// It is poisoned no longer.
        #[inline]
        pub fn clear_poison(&self);
        /// Returns the protected value. `&mut self` proves that no guard exists.
        ///
        /// # Errors
        /// If it is poisoned, with what it guards.
        pub fn get_mut(&mut self) -> LockResult<&mut T>;
    }
}

lock!(
    RwLock<T>,
    lock: ::std::sync::RwLock<T>,
    Self { resource: Resource::new(&WHAT, ALL, Location::caller()), lock }
);
share!([T: ?Sized] RwLock<T>, lock: ::std::sync::RwLock<T>);

guard! {
    /// The guard of who reads. It ends that when it is dropped.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct RwLockReadGuard<'a, T: ?Sized> for &T {
        guard: ::std::sync::RwLockReadGuard<'a, T>,
    }
}

guard! {
    /// The guard of who writes. It ends that when it is dropped.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct RwLockWriteGuard<'a, T: ?Sized> for &mut T {
        guard: ::std::sync::RwLockWriteGuard<'a, T>,
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Reads from now on. A program that calls this needs Rust 1.92, as it does for the original.
    #[allow(clippy::incompatible_msrv, unstable_name_collisions)] // See `Lacking`.
    pub fn downgrade(s: Self) -> RwLockReadGuard<'a, T> {
        s.holding.set_units(1);
        RwLockReadGuard::new(s.holding, ::std::sync::RwLockWriteGuard::downgrade(s.guard))
    }
}

/// What older standard libraries lack. Their own functions go before those of a trait; if they lack one, a program that
/// calls it does not compile.
#[allow(dead_code)]
trait Lacking: Sized {
    type Reads;

    fn downgrade(_: Self) -> Self::Reads {
        // It depends on the type, so it is looked at where it is called, and not here.
        const { assert!(size_of::<Self>() > usize::MAX / 2, "`RwLockWriteGuard::downgrade` came with Rust 1.92") }
        unreachable!("it does not compile")
    }
}

impl<'a, T: ?Sized> Lacking for ::std::sync::RwLockWriteGuard<'a, T> {
    type Reads = ::std::sync::RwLockReadGuard<'a, T>;
}
