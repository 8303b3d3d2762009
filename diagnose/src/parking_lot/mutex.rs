//! `parking_lot::Mutex`, with who holds it and who is blocked by it.

use std::panic::Location;
use std::time::{Duration, Instant};

use super::MutexGuard;
use crate::waits::{BlockedThread, Holding, Resource, ResourceKind, ResourceType, WaitMode};
use crate::wrap::{delegate, deref, lock};

static WHAT: ResourceType =
    ResourceType { kind: ResourceKind::Mutex, library: "parking_lot", is_fair: false, is_forced: || false };

/// `parking_lot`'s `Mutex`. It is known with the place where it was made, from its first use on.
pub struct Mutex<T: ?Sized> {
    pub(super) resource: Resource,
    mutex: ::parking_lot::Mutex<T>,
}

/// A mutex that is free.
#[track_caller]
pub const fn const_mutex<T>(val: T) -> Mutex<T> {
    Mutex::new(val)
}

impl<T> Mutex<T> {
    /// A mutex that is free.
    #[inline]
    #[track_caller]
    pub const fn new(val: T) -> Self {
        Self { resource: Resource::new(&WHAT, 1, Location::caller()), mutex: ::parking_lot::const_mutex(val) }
    }

    /// What it guards.
    #[inline]
    pub fn into_inner(self) -> T {
        self.mutex.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Acquires the mutex, and blocks this thread until then.
    #[inline]
    #[track_caller]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let at = Location::caller();
        match self.mutex.try_lock() {
            Some(guard) => MutexGuard::new(self.hold(at, false), guard, self),
            None => {
                let guard = self.block(at, ::parking_lot::Mutex::lock);
                MutexGuard::new(self.hold(at, true), guard, self)
            }
        }
    }

    /// Acquires the mutex if it is free.
    #[inline]
    #[track_caller]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let guard = self.mutex.try_lock()?;
        Some(MutexGuard::new(self.hold(Location::caller(), false), guard, self))
    }

    /// Acquires the mutex, and blocks this thread until then, but not for longer than that.
    #[inline]
    #[track_caller]
    pub fn try_lock_for(&self, timeout: Duration) -> Option<MutexGuard<'_, T>> {
        self.try_while(Location::caller(), |mutex| mutex.try_lock_for(timeout))
    }

    /// Acquires the mutex, and blocks this thread until then, but not for longer than until then.
    #[inline]
    #[track_caller]
    pub fn try_lock_until(&self, timeout: Instant) -> Option<MutexGuard<'_, T>> {
        self.try_while(Location::caller(), |mutex| mutex.try_lock_until(timeout))
    }

    fn try_while<'a>(
        &'a self,
        at: &'static Location<'static>,
        block: impl FnOnce(&'a ::parking_lot::Mutex<T>) -> Option<::parking_lot::MutexGuard<'a, T>>,
    ) -> Option<MutexGuard<'a, T>> {
        let (guard, has_waited) = match self.mutex.try_lock() {
            Some(guard) => (guard, false),
            None => (self.block(at, block)?, true),
        };
        Some(MutexGuard::new(self.hold(at, has_waited), guard, self))
    }

    #[cold]
    fn block<'a, G>(
        &'a self,
        at: &'static Location<'static>,
        block: impl FnOnce(&'a ::parking_lot::Mutex<T>) -> G,
    ) -> G {
        let _blocked = BlockedThread::begin(self.resource.record(), WaitMode::Lock, 1, at);
        block(&self.mutex)
    }

    #[inline]
    pub(super) fn hold(&self, at: &'static Location<'static>, has_waited: bool) -> Holding {
        Holding::hold_after(self.resource.record(), 1, at, false, has_waited)
    }

    delegate! { mutex:
        /// Whether somebody has it.
        #[inline]
        pub fn is_locked(&self) -> bool;
        /// What it guards: nobody else can have it now.
        #[inline]
        pub fn get_mut(&mut self) -> &mut T;
        /// A pointer to what it guards.
        #[inline]
        pub fn data_ptr(&self) -> *mut T;
    }
}

lock!(
    Mutex<T>,
    mutex: ::parking_lot::Mutex<T>,
    Self { resource: Resource::new(&WHAT, 1, Location::caller()), mutex }
);
deref!([T: ?Sized] Mutex<T>, mutex: ::parking_lot::Mutex<T>);
