//! `parking_lot::Mutex`, with a record of its holder and its blocked threads.

use std::panic::Location;
use std::time::{Duration, Instant};

use super::MutexGuard;
use super::parts::SENDS_GUARDS;
use crate::waits::{Holding, ResourceKind, ResourceType, WaitMode};
use crate::wrap::{delegate, lock};

static TYPE: ResourceType = ResourceType::new(ResourceKind::Mutex, "parking_lot").thread_bound(!SENDS_GUARDS);

lock! {
    /// `parking_lot`'s `Mutex`, recorded from its first use on with the place of its creation.
    pub struct Mutex<T>(mutex: ::parking_lot::Mutex<T>), &TYPE, 1;
    /// Creates a new mutex.
    #[inline]
    pub const fn new(val: T) = ::parking_lot::const_mutex(val);
    /// Consumes the mutex, returning the underlying data.
    #[inline]
    pub fn into_inner(self) -> T;
}

impl<T> Mutex<T> {
    /// Creates a new mutex from a raw one.
    #[inline]
    #[track_caller]
    pub const fn from_raw(raw_mutex: ::parking_lot::RawMutex, val: T) -> Self {
        Self::around(::parking_lot::Mutex::const_new(raw_mutex, val))
    }

    /// Creates a new mutex from a raw one, as [`from_raw`](Self::from_raw) does.
    #[inline]
    #[track_caller]
    pub const fn const_new(raw_mutex: ::parking_lot::RawMutex, val: T) -> Self {
        Self::from_raw(raw_mutex, val)
    }
}

/// Creates a new mutex.
#[track_caller]
pub const fn const_mutex<T>(val: T) -> Mutex<T> {
    Mutex::new(val)
}

impl<T: ?Sized> Mutex<T> {
    /// Acquires the mutex, blocking the current thread until it is available.
    #[inline]
    #[track_caller]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let at = Location::caller();
        match self.mutex.try_lock() {
            Some(guard) => MutexGuard::new(self.hold(at, false), guard, self),
            None => {
                let guard = self.resource.block(WaitMode::Lock, 1, at, || self.mutex.lock());
                MutexGuard::new(self.hold(at, true), guard, self)
            }
        }
    }

    /// Attempts to acquire the mutex without blocking. Returns `None` if it is locked.
    #[inline]
    #[track_caller]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let guard = self.mutex.try_lock()?;
        Some(MutexGuard::new(self.hold(Location::caller(), false), guard, self))
    }

    /// Attempts to acquire the mutex, blocking the current thread for at most `timeout`.
    #[inline]
    #[track_caller]
    pub fn try_lock_for(&self, timeout: Duration) -> Option<MutexGuard<'_, T>> {
        self.try_while(timeout, Location::caller(), || self.mutex.try_lock_for(timeout))
    }

    /// Attempts to acquire the mutex, blocking the current thread until `timeout` at most.
    #[inline]
    #[track_caller]
    pub fn try_lock_until(&self, timeout: Instant) -> Option<MutexGuard<'_, T>> {
        self.try_while(left(timeout), Location::caller(), || self.mutex.try_lock_until(timeout))
    }

    fn try_while<'a>(
        &'a self,
        limit: Duration,
        at: &'static Location<'static>,
        block: impl FnOnce() -> Option<::parking_lot::MutexGuard<'a, T>>,
    ) -> Option<MutexGuard<'a, T>> {
        let (guard, has_waited) = match self.mutex.try_lock() {
            Some(guard) => (guard, false),
            None => (self.resource.block_for(WaitMode::Lock, 1, limit, at, block)?, true),
        };
        Some(MutexGuard::new(self.hold(at, has_waited), guard, self))
    }

    #[inline]
    pub(super) fn hold(&self, at: &'static Location<'static>, has_waited: bool) -> Holding {
        Holding::hold_after(self.resource.located_record(), 1, at, false, has_waited)
    }

    delegate! { mutex:
        /// Returns `true` if the mutex is locked.
        #[inline]
        pub fn is_locked(&self) -> bool;
        /// Returns a mutable reference to the data. `&mut self` proves that no guard exists.
        #[inline]
        pub fn get_mut(&mut self) -> &mut T;
        /// Returns a raw pointer to the data.
        #[inline]
        pub fn data_ptr(&self) -> *mut T;
    }
}

/// Returns the time until `deadline`.
pub(super) fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}
