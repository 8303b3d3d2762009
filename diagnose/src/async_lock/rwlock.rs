//! `async_lock::RwLock`, with a record of its readers, its writer and its waiters.

use std::panic::Location;
use std::sync::Arc;

use super::acquiring::waiting;
use super::futures::{Read, ReadArc, UpgradableRead, UpgradableReadArc, Write, WriteArc};
use super::{
    RwLockReadGuard, RwLockReadGuardArc, RwLockUpgradableReadGuard, RwLockUpgradableReadGuardArc,
    RwLockWriteGuard, RwLockWriteGuardArc,
};
use crate::waits::{ResourceKind, ResourceType, WaitInfo, WaitMode};
use crate::wrap::lock;

static TYPE: ResourceType = ResourceType::new(ResourceKind::RwLock, "async-lock");

/// All units of a lock, which a writer holds. Each reader holds one, without a bound.
pub(super) const ALL: u64 = u32::MAX as u64;

lock! {
    /// async-lock's `RwLock`, recorded from its first use on with the place of its creation.
    pub struct RwLock<T>(lock: ::async_lock::RwLock<T>), &TYPE, ALL;
    /// Creates a new lock.
    #[must_use]
    pub const fn new(t: T) = ::async_lock::RwLock::new(t);
    /// Consumes the lock, returning the underlying data.
    #[must_use]
    pub fn into_inner(self) -> T;
}

/// Writes the try, wait and block methods of one access mode, for borrowed and owned guards.
macro_rules! acquire {
    (
        $purpose:literal, WaitMode::$mode:ident, $units:expr,
        $try:ident, $wait:ident -> $future:ident, $block:ident -> $guard:ident,
        $try_arc:ident, $wait_arc:ident -> $future_arc:ident, $block_arc:ident -> $guard_arc:ident [$($sized:tt)*]
    ) => {
        impl<T: ?Sized> RwLock<T> {
            #[doc = concat!("Attempts to acquire the lock ", $purpose, ", without waiting.")]
            #[inline]
            #[track_caller]
            pub fn $try(&self) -> Option<$guard<'_, T>> {
                let guard = self.lock.$try()?;
                Some($guard::new(self.resource.hold($units, Location::caller(), false, false), guard))
            }

            #[doc = concat!("Acquires the lock ", $purpose, ", waiting if necessary. Cancel safe, but loses its place in the queue.")]
            #[inline]
            #[track_caller]
            pub fn $wait(&self) -> $future<'_, T> {
                let info = WaitInfo::on(self.resource.located_record(), WaitMode::$mode, $units, Location::caller());
                $future::new(waiting(self.lock.$wait(), info))
            }

            #[doc = concat!("Acquires the lock ", $purpose, ", blocking the current thread.")]
            #[inline]
            #[track_caller]
            #[cfg(not(target_family = "wasm"))]
            pub fn $block(&self) -> $guard<'_, T> {
                let at = Location::caller();
                let (guard, has_waited) = match self.lock.$try() {
                    Some(guard) => (guard, false),
                    None => (self.resource.block(WaitMode::$mode, $units, at, || self.lock.$block()), true),
                };
                $guard::new(self.resource.hold($units, at, false, has_waited), guard)
            }
        }

        impl<T $($sized)*> RwLock<T> {
            #[doc = concat!("Attempts to acquire the lock ", $purpose, ", without waiting, for an owned guard.")]
            #[inline]
            #[track_caller]
            pub fn $try_arc(self: &Arc<Self>) -> Option<$guard_arc<T>> {
                $guard_arc::try_new(self, Location::caller())
            }

            #[doc = concat!("Acquires the lock ", $purpose, ", waiting if necessary, for an owned guard.")]
            ///
            /// Cancel safe: dropping the future loses its place in the queue.
            #[inline]
            #[track_caller]
            pub fn $wait_arc(self: &Arc<Self>) -> $future_arc<'_, T> {
                let info = WaitInfo::on(self.resource.located_record(), WaitMode::$mode, $units, Location::caller());
                $future_arc::new(Arc::clone(self), info)
            }

            #[doc = concat!("Acquires the lock ", $purpose, ", for an owned guard, blocking the current thread.")]
            #[inline]
            #[track_caller]
            #[cfg(not(target_family = "wasm"))]
            pub fn $block_arc(self: &Arc<Self>) -> $guard_arc<T> {
                let at = Location::caller();
                $guard_arc::try_new(self, at).unwrap_or_else(|| $guard_arc::block(self, at))
            }
        }
    };
}

acquire! {
    "for reading", WaitMode::Read, 1,
    try_read, read -> Read, read_blocking -> RwLockReadGuard,
    try_read_arc, read_arc -> ReadArc, read_arc_blocking -> RwLockReadGuardArc []
}
acquire! {
    "for reading, and perhaps for writing later", WaitMode::Lock, 1,
    try_upgradable_read, upgradable_read -> UpgradableRead, upgradable_read_blocking -> RwLockUpgradableReadGuard,
    try_upgradable_read_arc, upgradable_read_arc -> UpgradableReadArc,
    upgradable_read_arc_blocking -> RwLockUpgradableReadGuardArc [: ?Sized]
}
acquire! {
    "for writing", WaitMode::Write, ALL,
    try_write, write -> Write, write_blocking -> RwLockWriteGuard,
    try_write_arc, write_arc -> WriteArc, write_arc_blocking -> RwLockWriteGuardArc [: ?Sized]
}

impl<T: ?Sized> RwLock<T> {
    /// Returns a mutable reference to the data. `&mut self` proves that no guard exists.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut T {
        self.lock.get_mut()
    }
}
