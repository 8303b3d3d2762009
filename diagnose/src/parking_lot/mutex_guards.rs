//! The guards of a `parking_lot::Mutex`.

use std::panic::Location;

use super::Mutex;
use super::parts::{parts, unlocked};
use crate::waits::{Holding, Record, guard, guard_mut};

/// The guard of a [`Mutex`], which it frees when it is dropped.
///
/// Unlike the original it is `Sync` only where what it guards is `Send` too: [`mutex`](Self::mutex) gives access to it.
#[clippy::has_significant_drop]
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized> {
    // It ends before the mutex is free.
    pub(super) holding: Holding,
    pub(super) guard: ::parking_lot::MutexGuard<'a, T>,
    pub(super) mutex: &'a Mutex<T>,
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    #[inline]
    pub(super) fn new(
        holding: Holding,
        guard: ::parking_lot::MutexGuard<'a, T>,
        mutex: &'a Mutex<T>,
    ) -> Self {
        Self { holding, guard, mutex }
    }

    /// The mutex that it is of.
    pub fn mutex(s: &Self) -> &'a Mutex<T> {
        s.mutex
    }

    /// What it guards, which is locked for ever.
    pub fn leak(s: Self) -> &'a mut T {
        std::mem::forget(s.holding);
        ::parking_lot::MutexGuard::leak(s.guard)
    }
}

guard!([T: ?Sized] MutexGuard<'_, T>, T, |it| &it.guard);
guard_mut!([T: ?Sized] MutexGuard<'_, T>, T, |it| &mut it.guard);
parts!(MutexGuard, MappedMutexGuard, (mut));
unlocked!(MutexGuard, mutex);

/// The guard of a part of what a [`Mutex`] guards, which it frees when it is dropped.
#[clippy::has_significant_drop]
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MappedMutexGuard<'a, T: ?Sized> {
    // It ends before the mutex is free.
    holding: Holding,
    guard: ::parking_lot::MappedMutexGuard<'a, T>,
}

impl<'a, T: ?Sized> MappedMutexGuard<'a, T> {
    #[inline]
    fn of(holding: Holding, guard: ::parking_lot::MappedMutexGuard<'a, T>) -> Self {
        Self { holding, guard }
    }
}

guard!([T: ?Sized] MappedMutexGuard<'_, T>, T, |it| &it.guard);
guard_mut!([T: ?Sized] MappedMutexGuard<'_, T>, T, |it| &mut it.guard);
parts!(MappedMutexGuard, MappedMutexGuard, (mut));
