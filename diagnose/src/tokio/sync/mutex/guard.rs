//! Guards of a `Mutex` that borrow it.

use ::tokio::sync as real;

use super::Mutex;
use crate::wrap::{guard, part};

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

    /// The lock.
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
