//! The guards of a `parking_lot::Mutex`.

use std::panic::Location;

use super::Mutex;
use super::parts::{parts, unlocked};
use crate::waits::Holding;
use crate::wrap::guard;

guard! {
    /// A guard that unlocks its [`Mutex`] when dropped.
    ///
    /// Unlike the original, `Sync` needs `T: Send`, as [`mutex`](Self::mutex) gives shared access.
    #[must_use = "if unused the Mutex will immediately unlock"]
    pub struct MutexGuard<'a, T: ?Sized> for &mut T {
        guard: ::parking_lot::MutexGuard<'a, T>,
        mutex: &'a Mutex<T>,
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Returns the mutex that this guard came from.
    pub fn mutex(s: &Self) -> &'a Mutex<T> {
        s.mutex
    }

    /// Leaks the guard and returns the data. The mutex stays locked forever.
    pub fn leak(s: Self) -> &'a mut T {
        std::mem::forget(s.holding);
        ::parking_lot::MutexGuard::leak(s.guard)
    }
}

parts!(MutexGuard, MappedMutexGuard, (mut));
unlocked!(MutexGuard, |it, at| it.mutex.hold(at, true));

guard! {
    /// A guard for a component of a [`Mutex`]'s data. It unlocks the mutex when dropped.
    #[must_use = "if unused the Mutex will immediately unlock"]
    pub struct MappedMutexGuard<'a, T: ?Sized> for &mut T {
        guard: ::parking_lot::MappedMutexGuard<'a, T>,
    }
}

parts!(MappedMutexGuard, MappedMutexGuard, (mut));
