//! Guards of a `Mutex`, borrowed and owned.

use std::sync::Arc;

use ::tokio::sync as real;

use super::Mutex;
use crate::wrap::{Owned, guard, owned_guard, owned_kinds, owned_part, part};

guard! {
    /// tokio's `MutexGuard`.
    #[must_use = "if unused the Mutex will immediately unlock"]
    pub struct MutexGuard<'a, T: ?Sized> for &mut T {
        guard: real::MutexGuard<'a, T>,
        mutex: &'a Mutex<T>,
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    part! { map, try_map: [U: ?Sized, F] &mut T => &mut U, real::MutexGuard, MappedMutexGuard<'a, U> }

    /// Returns the lock of this guard.
    #[inline]
    pub fn mutex(this: &Self) -> &'a Mutex<T> {
        this.mutex
    }
}

guard! {
    /// tokio's `MappedMutexGuard`, for a component of the locked data.
    #[must_use = "if unused the Mutex will immediately unlock"]
    pub struct MappedMutexGuard<'a, T: ?Sized> for &mut T {
        guard: real::MappedMutexGuard<'a, T>,
    }
}

impl<'a, T: ?Sized> MappedMutexGuard<'a, T> {
    part! { map, try_map: [U, F] &mut T => &mut U, real::MappedMutexGuard, MappedMutexGuard<'a, U> }
}

owned_kinds! {
    Locked<T>(real::OwnedMutexGuard<T>) of Mutex<T>: real::MutexGuard<'a, T>;
    Mapped<T, U>(real::OwnedMappedMutexGuard<T, U>) of Mutex<T>: real::MappedMutexGuard<'a, U>;
}

owned_guard! {
    /// tokio's `OwnedMutexGuard`. It can move to another task, so each access records its holder.
    pub struct OwnedMutexGuard<T: ?Sized> for &mut T {
        guard: Owned<Mutex<T>, Locked<T>>,
    }
}

impl<T: ?Sized> OwnedMutexGuard<T> {
    owned_part! { [U: ?Sized, F] &mut T => &mut U, real::MutexGuard, OwnedMappedMutexGuard<T, U> of Mapped<T, U> }

    /// Returns the lock of this guard.
    #[inline]
    pub fn mutex(this: &Self) -> &Arc<Mutex<T>> {
        this.guard.owner()
    }
}

owned_guard! {
    /// tokio's `OwnedMappedMutexGuard`, for a component of the locked data.
    #[must_use = "if unused the Mutex will immediately unlock"]
    pub struct OwnedMappedMutexGuard<T: ?Sized, U: ?Sized = T> for &mut U {
        guard: Owned<Mutex<T>, Mapped<T, U>>,
    }
}

impl<T: ?Sized, U: ?Sized> OwnedMappedMutexGuard<T, U> {
    owned_part! { [S, F] &mut U => &mut S, real::MappedMutexGuard, OwnedMappedMutexGuard<T, S> of Mapped<T, S> }
}
