//! The guard of a `Mutex` that keeps it.

use std::panic::Location;
use std::sync::Arc;

use super::Mutex;
use super::owned::Locked;
use crate::waits::{Holding, Owned, guard, guard_mut};

/// The guard of a [`Mutex`] that keeps it. It frees the mutex when it is dropped, and can go to another task: who looks at what
/// it guards is on record as its holder.
#[clippy::has_significant_drop]
pub struct OwnedMutexGuard<T: ?Sized> {
    // It ends before the mutex is free.
    holding: Holding,
    guard: Owned<Mutex<T>, Locked<T>>,
}

impl<T: ?Sized> OwnedMutexGuard<T> {
    pub(super) fn new(holding: Holding, guard: Owned<Mutex<T>, Locked<T>>) -> Self {
        Self { holding, guard }
    }

    pub(super) fn try_new(mutex: &Arc<Mutex<T>>, at: &'static Location<'static>) -> Option<Self> {
        let guard = Owned::try_new(Arc::clone(mutex), |it| it.mutex.try_lock()).ok()?;
        Some(Self::new(mutex.hold(at, true), guard))
    }
}

guard!([T: ?Sized] OwnedMutexGuard<T>, T, |it| it.guard.get(), it.holding.looked_at());
guard_mut!([T: ?Sized] OwnedMutexGuard<T>, T, |it| it.guard.get_mut(), it.holding.looked_at());
