//! The guard of an `async_lock::Mutex` that keeps the mutex, and its future.

use std::panic::Location;
use std::sync::Arc;

use super::Mutex;
use super::acquiring_arc::acquiring_arc;
use super::owned::{Locked, Locking};
use crate::waits::{BlockedThread, Holding, Owned, WaitMode, guard, guard_mut};

acquiring_arc! {
    /// The future of [`Mutex::lock_arc`].
    LockArc [T: ?Sized] [T] (Mutex<T>, Locked<T>, Locking<T>) MutexGuardArc<T>,
    |it| it.mutex.try_lock(), |it| it.mutex.lock()
}

/// The guard of a [`Mutex`] that keeps it. It frees the mutex when it is dropped.
#[clippy::has_significant_drop]
pub struct MutexGuardArc<T: ?Sized> {
    // It ends before the mutex is free.
    holding: Holding,
    guard: Owned<Mutex<T>, Locked<T>>,
}

impl<T: ?Sized> MutexGuardArc<T> {
    #[inline]
    pub(super) fn try_new(mutex: &Arc<Mutex<T>>, at: &'static Location<'static>) -> Option<Self> {
        let guard = Owned::try_new(Arc::clone(mutex), |it| it.mutex.try_lock()).ok()?;
        Some(Self::new(Holding::hold(mutex.resource.record(), 1, at, true), guard))
    }

    #[cold]
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn block(mutex: &Arc<Mutex<T>>, at: &'static Location<'static>) -> Self {
        let record = mutex.resource.record();
        let blocked = BlockedThread::begin(record, WaitMode::Lock, 1, at);
        let guard = Owned::new(Arc::clone(mutex), |it| it.mutex.lock_blocking());
        drop(blocked);
        Self::new(Holding::hold_after(record, 1, at, true, true), guard)
    }

    #[inline]
    fn new(holding: Holding, guard: Owned<Mutex<T>, Locked<T>>) -> Self {
        Self { holding, guard }
    }

    /// The mutex that it is of.
    pub fn source(guard: &Self) -> &Arc<Mutex<T>>
    where
        T: Send,
    {
        guard.guard.owner()
    }
}

guard!([T: ?Sized] MutexGuardArc<T>, T, |it| it.guard.get(), it.holding.looked_at());
guard_mut!([T: ?Sized] MutexGuardArc<T>, T, |it| it.guard.get_mut(), it.holding.looked_at());
