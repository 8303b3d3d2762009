//! The guards of a `parking_lot::Mutex`.

use std::panic::Location;

use super::Mutex;
use super::parts::{parts, unlocked};
use crate::waits::{Holding, Record};
use crate::wrap::guard;

guard! {
    /// The guard of a [`Mutex`], which it frees when it is dropped.
    ///
    /// Unlike the original it is `Sync` only where what it guards is `Send` too: [`mutex`](Self::mutex) gives access to it.
    #[must_use = "if unused the Mutex will immediately unlock"]
    pub struct MutexGuard<'a, T: ?Sized> for &mut T {
        guard: ::parking_lot::MutexGuard<'a, T>,
        mutex: &'a Mutex<T>,
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
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

parts!(MutexGuard, MappedMutexGuard, (mut));
unlocked!(MutexGuard, |it, at| it.mutex.hold(at, true));

guard! {
    /// The guard of a part of what a [`Mutex`] guards, which it frees when it is dropped.
    #[must_use = "if unused the Mutex will immediately unlock"]
    pub struct MappedMutexGuard<'a, T: ?Sized> for &mut T {
        guard: ::parking_lot::MappedMutexGuard<'a, T>,
    }
}

parts!(MappedMutexGuard, MappedMutexGuard, (mut));
