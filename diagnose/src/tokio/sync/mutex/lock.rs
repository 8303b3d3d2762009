//! `tokio::sync::Mutex`.

use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use ::tokio::sync as real;
use ::tokio::sync::TryLockError;

use super::guards::Locked;
use super::{MutexGuard, OwnedMutexGuard};
use crate::tokio::sync::acquire::acquire;
use crate::tokio::sync::is_forced;
use crate::waits::{Acquire, Resource, ResourceKind, ResourceType, WaitMode};
use crate::wrap::{Owned, convert_lock, owned_wait, share};

static TYPE: ResourceType = ResourceType::fair(ResourceKind::Mutex, "tokio").granted_if(is_forced);

/// tokio's `Mutex`, which also records its holder and its waiters.
///
/// Recorded from its first use, under its place of creation. It behaves exactly like tokio's.
pub struct Mutex<T: ?Sized> {
    resource: Resource,
    mutex: real::Mutex<T>,
}

impl<T> Mutex<T> {
    /// Creates a lock in the unlocked state.
    #[track_caller]
    pub fn new(t: T) -> Self {
        Self::from(real::Mutex::new(t))
    }

    /// Creates a lock in the unlocked state. Can be used in a `const` or `static`.
    #[track_caller]
    pub const fn const_new(t: T) -> Self {
        Self { resource: Resource::new(&TYPE, 1, Location::caller()), mutex: real::Mutex::const_new(t) }
    }

    /// Consumes the lock, returning the underlying data.
    pub fn into_inner(self) -> T {
        self.mutex.into_inner()
    }

    /// Returns tokio's own lock, for crates that expect it.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    pub fn into_tokio(self) -> real::Mutex<T> {
        self.mutex
    }
}

impl<T: ?Sized> Mutex<T> {
    acquire! {
        mutex, Lock, |it| 1, "If the lock is held.";
        /// Acquires the lock, waiting if necessary. The lock is fair: the first waiter gets it
        /// first.
        ///
        /// Cancel safe, but a cancelled call loses its place in the queue.
        lock -> MutexGuard(it);
        /// Blocks the current thread until the lock is acquired.
        blocking_lock;
        /// Acquires the lock, as [`lock`](Self::lock) does. The returned guard owns the lock.
        lock_owned -> OwnedMutexGuard of Locked<T>;
        /// Acquires the lock if it is free.
        try_lock;
        /// Acquires the lock if it is free. The returned guard owns the lock.
        try_lock_owned;
    }

    /// Blocks the current thread until the lock is acquired. The returned guard owns the lock.
    ///
    /// # Panics
    /// If called within an async context.
    #[track_caller]
    pub fn blocking_lock_owned(self: Arc<Self>) -> OwnedMutexGuard<T> {
        let at = Location::caller();
        OwnedMutexGuard::of(Owned::new(self, |it| {
            let is_busy = it.mutex.try_lock().is_err();
            let blocked = it.resource.blocks_if(is_busy, WaitMode::Lock, 1, at);
            let guard = it.mutex.blocking_lock();
            drop(blocked);
            (guard, it.resource.hold(1, at, true, is_busy))
        }))
    }

    /// Returns the underlying data. `&mut self` proves that no guard exists.
    pub fn get_mut(&mut self) -> &mut T {
        self.mutex.get_mut()
    }
}

share!([T: ?Sized] Mutex<T>, mutex: real::Mutex<T>);
convert_lock!(
    Mutex<T>,
    mutex: real::Mutex<T>,
    Self { resource: Resource::new(&TYPE, 1, Location::caller()).with_creation(), mutex }
);
