//! `tokio::sync::Mutex`.

use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use ::tokio::sync as real;
use ::tokio::sync::TryLockError;

use super::guards::Locked;
use super::{MutexGuard, OwnedMutexGuard};
use crate::tokio::sync::is_forced;
use crate::waits::{Acquire, AcquireArgs, Holding, Resource, ResourceKind, ResourceType, WaitMode};
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
    pub fn into_tokio(self) -> real::Mutex<T> {
        self.mutex
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Acquires the lock, waiting if necessary. The lock is fair: the first waiter gets it first.
    ///
    /// Cancel safe, but a cancelled call loses its place in the queue.
    #[track_caller]
    pub fn lock(&self) -> impl Future<Output = MutexGuard<'_, T>> {
        let args = self.args(Location::caller(), false);
        Acquire::new(self.mutex.lock(), args, move |guard, holding| MutexGuard::new(holding, guard, self))
    }

    /// Blocks the current thread until the lock is acquired.
    ///
    /// # Panics
    /// If called within an async context.
    #[track_caller]
    pub fn blocking_lock(&self) -> MutexGuard<'_, T> {
        let at = Location::caller();
        let guard = self.block(at);
        MutexGuard::new(self.hold(at, false), guard, self)
    }

    /// Blocks the current thread until the lock is acquired. The returned guard owns the lock.
    ///
    /// # Panics
    /// If called within an async context.
    #[track_caller]
    pub fn blocking_lock_owned(self: Arc<Self>) -> OwnedMutexGuard<T> {
        let at = Location::caller();
        OwnedMutexGuard::of(Owned::new(self, |lock| (lock.block(at), lock.hold(at, true))))
    }

    /// Acquires the lock, as [`lock`](Self::lock) does. The returned guard owns the lock.
    #[track_caller]
    pub fn lock_owned(self: Arc<Self>) -> impl Future<Output = OwnedMutexGuard<T>> {
        let at = Location::caller();
        owned_wait!(self, OwnedMutexGuard of Locked<T>, |it, store| {
            Acquire::new(it.mutex.lock(), it.args(at, true), store)
        })
    }

    /// Acquires the lock if it is free.
    ///
    /// # Errors
    /// If the lock is held.
    #[track_caller]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        let guard = self.mutex.try_lock()?;
        Ok(MutexGuard::new(self.hold(Location::caller(), false), guard, self))
    }

    /// Acquires the lock if it is free. The returned guard owns the lock.
    ///
    /// # Errors
    /// If the lock is held.
    #[track_caller]
    pub fn try_lock_owned(self: Arc<Self>) -> Result<OwnedMutexGuard<T>, TryLockError> {
        let at = Location::caller();
        let guard = Owned::try_new(self, |it| Ok((it.mutex.try_lock()?, it.hold(at, true))));
        guard.map(OwnedMutexGuard::of).map_err(|(_, error)| error)
    }

    /// Returns the underlying data. `&mut self` proves that no guard exists.
    pub fn get_mut(&mut self) -> &mut T {
        self.mutex.get_mut()
    }

    #[inline]
    fn args(&self, at: &'static Location<'static>, is_movable: bool) -> AcquireArgs {
        self.resource.args(WaitMode::Lock, 1, at, is_movable)
    }

    fn block(&self, at: &'static Location<'static>) -> real::MutexGuard<'_, T> {
        self.resource.block(WaitMode::Lock, 1, at, || self.mutex.blocking_lock())
    }

    #[inline]
    fn hold(&self, at: &'static Location<'static>, is_movable: bool) -> Holding {
        self.resource.hold(1, at, is_movable, false)
    }
}

share!([T: ?Sized] Mutex<T>, mutex: real::Mutex<T>);
convert_lock!(
    Mutex<T>,
    mutex: real::Mutex<T>,
    Self { resource: Resource::new(&TYPE, 1, Location::caller()).with_creation(), mutex }
);
