//! The owned guard of an `async_lock::Mutex`, and its future.

use std::panic::Location;
use std::sync::Arc;

use super::Mutex;
use super::acquiring_arc::acquiring_arc;
use super::owned::{Locked, Locking};
use crate::waits::WaitMode;
use crate::wrap::{Owned, owned_guard};

acquiring_arc! {
    /// The future returned by [`Mutex::lock_arc`].
    LockArc [T: ?Sized] [T] (Mutex<T>, Locked<T>, Locking<T>) MutexGuardArc<T>,
    |it| it.mutex.try_lock(), it.mutex.lock()
}

owned_guard! {
    /// An owned guard that unlocks its [`Mutex`] when dropped.
    pub struct MutexGuardArc<T: ?Sized> for &mut T {
        guard: Owned<Mutex<T>, Locked<T>>,
    }
}

impl<T: ?Sized> MutexGuardArc<T> {
    #[inline]
    pub(super) fn try_new(mutex: &Arc<Mutex<T>>, at: &'static Location<'static>) -> Option<Self> {
        let guard = Owned::try_new(Arc::clone(mutex), |it| match it.mutex.try_lock() {
            Some(guard) => Ok((guard, it.resource.hold(1, at, true, false))),
            None => Err(()),
        });
        guard.ok().map(Self::of)
    }

    #[cold]
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn block(mutex: &Arc<Mutex<T>>, at: &'static Location<'static>) -> Self {
        let guard = Owned::new(Arc::clone(mutex), |mutex| {
            let guard = mutex.resource.block(WaitMode::Lock, 1, at, || mutex.mutex.lock_blocking());
            (guard, mutex.resource.hold(1, at, true, true))
        });
        Self::of(guard)
    }

    /// Returns the mutex that this guard came from.
    pub fn source(guard: &Self) -> &Arc<Mutex<T>>
    where
        T: Send,
    {
        guard.guard.owner()
    }
}
