//! `async_lock::RwLock`, with who reads, who writes and who waits.

use std::panic::Location;
use std::sync::Arc;

use super::futures::{Read, ReadArc, UpgradableRead, UpgradableReadArc, Write, WriteArc};
use super::{
    RwLockReadGuard, RwLockReadGuardArc, RwLockUpgradableReadGuard, RwLockUpgradableReadGuardArc,
    RwLockWriteGuard, RwLockWriteGuardArc,
};
use crate::waits::{BlockedThread, Holding, Resource, ResourceKind, ResourceType, WaitInfo, WaitMode};
use crate::wrap::{deref, lock};

static WHAT: ResourceType =
    ResourceType { kind: ResourceKind::RwLock, library: "async-lock", is_fair: false, is_forced: || false };

/// All of it: what a writer has. There is no bound on readers, each of which has one.
pub(super) const ALL: u64 = u32::MAX as u64;

/// async-lock's `RwLock`. It is known with the place where it was made, from its first use on.
pub struct RwLock<T: ?Sized> {
    pub(super) resource: Resource,
    pub(super) lock: ::async_lock::RwLock<T>,
}

impl<T> RwLock<T> {
    /// A lock that is free.
    #[must_use]
    #[track_caller]
    pub const fn new(t: T) -> Self {
        Self { resource: Resource::new(&WHAT, ALL, Location::caller()), lock: ::async_lock::RwLock::new(t) }
    }

    /// What it guards.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.lock.into_inner()
    }

    /// Acquires it for reading, if that is possible now, for a guard that keeps it.
    #[inline]
    #[track_caller]
    pub fn try_read_arc(self: &Arc<Self>) -> Option<RwLockReadGuardArc<T>> {
        RwLockReadGuardArc::try_new(self, Location::caller())
    }

    /// Acquires it for reading, for a guard that keeps it. Cancel safe, but its place in the queue is lost.
    #[inline]
    #[track_caller]
    pub fn read_arc(self: &Arc<Self>) -> ReadArc<'_, T> {
        let leaf = WaitInfo::on(self.resource.record(), WaitMode::Read, 1, Location::caller());
        ReadArc::new(Arc::clone(self), leaf)
    }

    /// Acquires it for reading, for a guard that keeps it, and blocks this thread until then.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn read_arc_blocking(self: &Arc<Self>) -> RwLockReadGuardArc<T> {
        let at = Location::caller();
        RwLockReadGuardArc::try_new(self, at).unwrap_or_else(|| RwLockReadGuardArc::block(self, at))
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Acquires it for reading, if that is possible now.
    #[inline]
    #[track_caller]
    pub fn try_read(&self) -> Option<RwLockReadGuard<'_, T>> {
        let guard = self.lock.try_read()?;
        Some(RwLockReadGuard::new(self.hold(1, Location::caller(), false), guard))
    }

    /// Acquires it for reading. Cancel safe, but its place in the queue is lost.
    #[inline]
    #[track_caller]
    pub fn read(&self) -> Read<'_, T> {
        let leaf = WaitInfo::on(self.resource.record(), WaitMode::Read, 1, Location::caller());
        Read::new(self.lock.read(), leaf)
    }

    /// Acquires it for reading, and blocks this thread until then.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn read_blocking(&self) -> RwLockReadGuard<'_, T> {
        let at = Location::caller();
        match self.lock.try_read() {
            Some(guard) => RwLockReadGuard::new(self.hold(1, at, false), guard),
            None => {
                let guard = self.block(WaitMode::Read, 1, at, ::async_lock::RwLock::read_blocking);
                RwLockReadGuard::new(self.hold(1, at, true), guard)
            }
        }
    }

    /// Acquires it for reading, and perhaps for writing later, if that is possible now.
    #[inline]
    #[track_caller]
    pub fn try_upgradable_read(&self) -> Option<RwLockUpgradableReadGuard<'_, T>> {
        let guard = self.lock.try_upgradable_read()?;
        Some(RwLockUpgradableReadGuard::new(self.hold(1, Location::caller(), false), guard))
    }

    /// Acquires it for reading, and perhaps for writing later. Cancel safe, but its place in the queue is lost.
    #[inline]
    #[track_caller]
    pub fn upgradable_read(&self) -> UpgradableRead<'_, T> {
        let leaf = WaitInfo::on(self.resource.record(), WaitMode::Read, 1, Location::caller());
        UpgradableRead::new(self.lock.upgradable_read(), leaf)
    }

    /// Acquires it for reading, and perhaps for writing later, and blocks this thread until then.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn upgradable_read_blocking(&self) -> RwLockUpgradableReadGuard<'_, T> {
        let at = Location::caller();
        match self.lock.try_upgradable_read() {
            Some(guard) => RwLockUpgradableReadGuard::new(self.hold(1, at, false), guard),
            None => {
                let guard = self.block(WaitMode::Read, 1, at, ::async_lock::RwLock::upgradable_read_blocking);
                RwLockUpgradableReadGuard::new(self.hold(1, at, true), guard)
            }
        }
    }

    /// Acquires it for writing, if that is possible now.
    #[inline]
    #[track_caller]
    pub fn try_write(&self) -> Option<RwLockWriteGuard<'_, T>> {
        let guard = self.lock.try_write()?;
        Some(RwLockWriteGuard::new(self.hold(ALL, Location::caller(), false), guard))
    }

    /// Acquires it for writing. Cancel safe, but its place in the queue is lost.
    #[inline]
    #[track_caller]
    pub fn write(&self) -> Write<'_, T> {
        let leaf = WaitInfo::on(self.resource.record(), WaitMode::Write, ALL, Location::caller());
        Write::new(self.lock.write(), leaf)
    }

    /// Acquires it for writing, and blocks this thread until then.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn write_blocking(&self) -> RwLockWriteGuard<'_, T> {
        let at = Location::caller();
        match self.lock.try_write() {
            Some(guard) => RwLockWriteGuard::new(self.hold(ALL, at, false), guard),
            None => {
                let guard = self.block(WaitMode::Write, ALL, at, ::async_lock::RwLock::write_blocking);
                RwLockWriteGuard::new(self.hold(ALL, at, true), guard)
            }
        }
    }

    /// Acquires it for reading, and perhaps for writing later, if that is possible now, for a guard that keeps it.
    #[inline]
    #[track_caller]
    pub fn try_upgradable_read_arc(self: &Arc<Self>) -> Option<RwLockUpgradableReadGuardArc<T>> {
        RwLockUpgradableReadGuardArc::try_new(self, Location::caller())
    }

    /// Acquires it for reading, and perhaps for writing later, for a guard that keeps it. Cancel safe, but its place in the queue is lost.
    #[inline]
    #[track_caller]
    pub fn upgradable_read_arc(self: &Arc<Self>) -> UpgradableReadArc<'_, T> {
        let leaf = WaitInfo::on(self.resource.record(), WaitMode::Read, 1, Location::caller());
        UpgradableReadArc::new(Arc::clone(self), leaf)
    }

    /// Acquires it for reading, and perhaps for writing later, for a guard that keeps it, and blocks this thread until then.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn upgradable_read_arc_blocking(self: &Arc<Self>) -> RwLockUpgradableReadGuardArc<T> {
        let at = Location::caller();
        RwLockUpgradableReadGuardArc::try_new(self, at)
            .unwrap_or_else(|| RwLockUpgradableReadGuardArc::block(self, at))
    }

    /// Acquires it for writing, if that is possible now, for a guard that keeps it.
    #[inline]
    #[track_caller]
    pub fn try_write_arc(self: &Arc<Self>) -> Option<RwLockWriteGuardArc<T>> {
        RwLockWriteGuardArc::try_new(self, Location::caller())
    }

    /// Acquires it for writing, for a guard that keeps it. Cancel safe, but its place in the queue is lost.
    #[inline]
    #[track_caller]
    pub fn write_arc(self: &Arc<Self>) -> WriteArc<'_, T> {
        let leaf = WaitInfo::on(self.resource.record(), WaitMode::Write, ALL, Location::caller());
        WriteArc::new(Arc::clone(self), leaf)
    }

    /// Acquires it for writing, for a guard that keeps it, and blocks this thread until then.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn write_arc_blocking(self: &Arc<Self>) -> RwLockWriteGuardArc<T> {
        let at = Location::caller();
        RwLockWriteGuardArc::try_new(self, at).unwrap_or_else(|| RwLockWriteGuardArc::block(self, at))
    }

    /// What it guards: nobody else can have it now.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut T {
        self.lock.get_mut()
    }

    #[inline]
    fn hold(&self, units: u64, at: &'static Location<'static>, has_waited: bool) -> Holding {
        Holding::hold_after(self.resource.record(), units, at, false, has_waited)
    }

    #[cold]
    #[cfg(not(target_family = "wasm"))]
    fn block<'a, G>(
        &'a self,
        mode: WaitMode,
        units: u64,
        at: &'static Location<'static>,
        block: impl FnOnce(&'a ::async_lock::RwLock<T>) -> G,
    ) -> G {
        let _blocked = BlockedThread::begin(self.resource.record(), mode, units, at);
        block(&self.lock)
    }
}

lock!(
    RwLock<T>,
    lock: ::async_lock::RwLock<T>,
    Self { resource: Resource::new(&WHAT, ALL, Location::caller()), lock }
);
deref!([T: ?Sized] RwLock<T>, lock: ::async_lock::RwLock<T>);
