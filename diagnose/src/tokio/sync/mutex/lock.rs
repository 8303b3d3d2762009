//! `tokio::sync::Mutex`.

use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use ::tokio::sync as real;
use ::tokio::sync::TryLockError;

use super::owned::Locked;
use super::{MutexGuard, OwnedMutexGuard};
use crate::waits::{Acquire, AcquireArgs, Holding, Resource, ResourceKind, ResourceType, WaitMode};
use crate::wrap::{Owned, lock, pair};

static WHAT: ResourceType = ResourceType::fair(ResourceKind::Mutex, "tokio");

/// tokio's `Mutex`; who holds it and who waits for it is on record.
///
/// It is known from its first use on, under the place where it was made. Order, cancellation and panics are tokio's.
pub struct Mutex<T: ?Sized> {
    resource: Resource,
    mutex: real::Mutex<T>,
}

impl<T> Mutex<T> {
    /// A lock in the unlocked state.
    #[track_caller]
    pub fn new(t: T) -> Self {
        Self::from(real::Mutex::new(t))
    }

    /// The same in a constant.
    #[track_caller]
    pub const fn const_new(t: T) -> Self {
        Self { resource: Resource::new(&WHAT, 1, Location::caller()), mutex: real::Mutex::const_new(t) }
    }

    /// What it guards.
    pub fn into_inner(self) -> T {
        self.mutex.into_inner()
    }

    /// tokio's own lock, for other crates that ask for it.
    pub fn into_tokio(self) -> real::Mutex<T> {
        self.mutex
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits for the lock. Whoever comes first gets it first.
    ///
    /// Cancel safe; a call that is given up loses its place in the queue.
    #[track_caller]
    pub fn lock(&self) -> impl Future<Output = MutexGuard<'_, T>> {
        self.enter(Location::caller(), false, move |guard, holding| MutexGuard::new(holding, guard, self))
    }

    /// Blocks the thread until it has the lock.
    ///
    /// # Panics
    /// In async code, as tokio's does.
    #[track_caller]
    pub fn blocking_lock(&self) -> MutexGuard<'_, T> {
        let (guard, holding) = self.block(Location::caller(), false);
        MutexGuard::new(holding, guard, self)
    }

    /// The same with a guard that owns the lock.
    ///
    /// # Panics
    /// In async code, as tokio's does.
    #[track_caller]
    pub fn blocking_lock_owned(self: Arc<Self>) -> OwnedMutexGuard<T> {
        let at = Location::caller();
        OwnedMutexGuard::of(Owned::new(self, |lock| lock.block(at, true)))
    }

    /// Waits for the lock as [`lock`](Self::lock) does, with a guard that owns it.
    #[track_caller]
    pub fn lock_owned(self: Arc<Self>) -> impl Future<Output = OwnedMutexGuard<T>> {
        let at = Location::caller();
        let guard = Owned::<_, Locked<T>>::wait(self, async move |lock| lock.enter(at, true, pair).await);
        async { OwnedMutexGuard::of(guard.await) }
    }

    /// Takes the lock if it is free.
    ///
    /// # Errors
    /// If it is not.
    #[track_caller]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        let (guard, holding) = self.try_enter(Location::caller(), false)?;
        Ok(MutexGuard::new(holding, guard, self))
    }

    /// The same with a guard that owns the lock.
    ///
    /// # Errors
    /// If it is not free.
    #[track_caller]
    pub fn try_lock_owned(self: Arc<Self>) -> Result<OwnedMutexGuard<T>, TryLockError> {
        let at = Location::caller();
        let guard = Owned::try_new(self, |lock| lock.try_enter(at, true));
        guard.map(OwnedMutexGuard::of).map_err(|(_, error)| error)
    }

    /// What it guards: nobody else can have it.
    pub fn get_mut(&mut self) -> &mut T {
        self.mutex.get_mut()
    }

    /// Waits for the lock; `guard` makes what is returned.
    #[inline]
    fn enter<'a, G>(
        &'a self,
        at: &'static Location<'static>,
        is_movable: bool,
        guard: impl Fn(real::MutexGuard<'a, T>, Holding) -> G,
    ) -> impl Future<Output = G> {
        let record = self.resource.record();
        Acquire::new(
            self.mutex.lock(),
            AcquireArgs { record, mode: WaitMode::Lock, units: 1, at, is_movable },
            guard,
        )
    }

    #[track_caller]
    fn block(&self, at: &'static Location<'static>, is_movable: bool) -> (real::MutexGuard<'_, T>, Holding) {
        let record = self.resource.record();
        let guard = self.resource.block(WaitMode::Lock, 1, at, || self.mutex.blocking_lock());
        (guard, Holding::hold(record, 1, at, is_movable))
    }

    #[inline]
    fn try_enter(
        &self,
        at: &'static Location<'static>,
        is_movable: bool,
    ) -> Result<(real::MutexGuard<'_, T>, Holding), TryLockError> {
        let guard = self.mutex.try_lock()?;
        Ok((guard, Holding::hold(self.resource.record(), 1, at, is_movable)))
    }
}

lock!(
    Mutex<T>,
    mutex: real::Mutex<T>,
    Self { resource: Resource::new(&WHAT, 1, Location::caller()).born(), mutex }
);
