//! `parking_lot::RwLock`, with a record of its readers, its writer and its blocked threads.

use std::panic::Location;
use std::time::{Duration, Instant};

use super::mutex::left;
use super::parts::SENDS_GUARDS;
use super::{RwLockReadGuard, RwLockUpgradableReadGuard, RwLockWriteGuard};
use crate::waits::{Holding, ResourceKind, ResourceType, WaitMode};
use crate::wrap::{delegate, lock};

static TYPE: ResourceType =
    ResourceType::new(ResourceKind::RwLock, "parking_lot").thread_bound(!SENDS_GUARDS);

/// All units of a lock, which a writer holds. Each reader holds one, without a bound.
pub(super) const ALL: u64 = u32::MAX as u64;

lock! {
    /// `parking_lot`'s `RwLock`, recorded from its first use on with the place of its creation.
    pub struct RwLock<T>(lock: ::parking_lot::RwLock<T>), &TYPE, ALL;
    /// Creates a new lock.
    #[inline]
    pub const fn new(val: T) = ::parking_lot::const_rwlock(val);
    /// Consumes the lock, returning the underlying data.
    #[inline]
    pub fn into_inner(self) -> T;
}

impl<T> RwLock<T> {
    /// Creates a new lock from a raw one.
    #[inline]
    #[track_caller]
    pub const fn from_raw(raw_rwlock: ::parking_lot::RawRwLock, val: T) -> Self {
        Self::around(::parking_lot::RwLock::const_new(raw_rwlock, val))
    }

    /// Creates a new lock from a raw one, as [`from_raw`](Self::from_raw) does.
    #[inline]
    #[track_caller]
    pub const fn const_new(raw_rwlock: ::parking_lot::RawRwLock, val: T) -> Self {
        Self::from_raw(raw_rwlock, val)
    }
}

/// Creates a new lock.
#[track_caller]
pub const fn const_rwlock<T>(val: T) -> RwLock<T> {
    RwLock::new(val)
}

/// Writes the four methods of one access mode: block, try, and block with a timeout or deadline.
macro_rules! acquire {
    (
        $purpose:literal, $guard:ident, $mode:ident, $units:expr,
        $block:ident, $try:ident, $try_for:ident, $try_until:ident
    ) => {
        impl<T: ?Sized> RwLock<T> {
            #[doc = concat!("Acquires the lock ", $purpose, ", blocking the current thread.")]
            #[inline]
            #[track_caller]
            pub fn $block(&self) -> $guard<'_, T> {
                let at = Location::caller();
                let (guard, has_waited) = match self.lock.$try() {
                    Some(guard) => (guard, false),
                    None => (self.resource.block(WaitMode::$mode, $units, at, || self.lock.$block()), true),
                };
                $guard::new(self.hold($units, at, has_waited), guard, self)
            }

            #[doc = concat!("Attempts to acquire the lock ", $purpose, ", without waiting.")]
            #[inline]
            #[track_caller]
            pub fn $try(&self) -> Option<$guard<'_, T>> {
                let guard = self.lock.$try()?;
                Some($guard::new(self.hold($units, Location::caller(), false), guard, self))
            }

            #[doc = concat!("Acquires the lock ", $purpose, ", blocking the current thread for at most `timeout`.")]
            #[inline]
            #[track_caller]
            pub fn $try_for(&self, timeout: Duration) -> Option<$guard<'_, T>> {
                let at = Location::caller();
                let (guard, has_waited) = match self.lock.$try() {
                    Some(guard) => (guard, false),
                    None => {
                        let block = || self.lock.$try_for(timeout);
                        (self.resource.block_for(WaitMode::$mode, $units, timeout, at, block)?, true)
                    }
                };
                Some($guard::new(self.hold($units, at, has_waited), guard, self))
            }

            #[doc = concat!("Acquires the lock ", $purpose, ", blocking the current thread until `timeout` at most.")]
            #[inline]
            #[track_caller]
            pub fn $try_until(&self, timeout: Instant) -> Option<$guard<'_, T>> {
                let at = Location::caller();
                let (guard, has_waited) = match self.lock.$try() {
                    Some(guard) => (guard, false),
                    None => {
                        let block = || self.lock.$try_until(timeout);
                        (self.resource.block_for(WaitMode::$mode, $units, left(timeout), at, block)?, true)
                    }
                };
                Some($guard::new(self.hold($units, at, has_waited), guard, self))
            }
        }
    };
}

acquire!("for reading", RwLockReadGuard, Read, 1, read, try_read, try_read_for, try_read_until);
acquire!(
    "for reading, whether or not a writer waits",
    RwLockReadGuard,
    Read,
    1,
    read_recursive,
    try_read_recursive,
    try_read_recursive_for,
    try_read_recursive_until
);
acquire!(
    "for reading, and perhaps for writing later",
    RwLockUpgradableReadGuard,
    Lock,
    1,
    upgradable_read,
    try_upgradable_read,
    try_upgradable_read_for,
    try_upgradable_read_until
);
acquire!("for writing", RwLockWriteGuard, Write, ALL, write, try_write, try_write_for, try_write_until);

impl<T: ?Sized> RwLock<T> {
    #[inline]
    pub(super) fn hold(&self, units: u64, at: &'static Location<'static>, has_waited: bool) -> Holding {
        Holding::hold_after(self.resource.located_record(), units, at, false, has_waited)
    }

    delegate! { lock:
        /// Returns `true` if the lock is held by any reader or writer.
        #[inline]
        pub fn is_locked(&self) -> bool;
        /// Returns `true` if the lock is held by a writer.
        #[inline]
        pub fn is_locked_exclusive(&self) -> bool;
        /// Returns a mutable reference to the data. `&mut self` proves that no guard exists.
        #[inline]
        pub fn get_mut(&mut self) -> &mut T;
        /// Returns a raw pointer to the data.
        #[inline]
        pub fn data_ptr(&self) -> *mut T;
    }
}
