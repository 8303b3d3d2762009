//! A reader's guard of a `RwLock` that owns it.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use ::tokio::sync as real;

use super::super::guard::shown;
use super::super::owned::{Owned, Turn};
use super::RwLock;
use crate::waits::Holding;

/// tokio's `OwnedRwLockReadGuard`. It can go to another task, so who looks at what it guards is on record as its holder.
#[clippy::has_significant_drop]
pub struct OwnedRwLockReadGuard<T: ?Sized, U: ?Sized = T> {
    pub(super) guard: Owned<real::OwnedRwLockReadGuard<T, U>, RwLock<T>>,
}

impl<T: ?Sized, U: ?Sized> OwnedRwLockReadGuard<T, U> {
    /// A guard of a part of what this one guards.
    #[inline]
    pub fn map<F, V: ?Sized>(this: Self, f: F) -> OwnedRwLockReadGuard<T, V>
    where
        F: FnOnce(&U) -> &V,
    {
        let Ok(mapped) = Self::try_map(this, |value| Some(f(value))) else {
            unreachable!("there is always a part")
        };
        mapped
    }

    /// A guard of a part of what this one guards, if there is one.
    ///
    /// # Errors
    /// This guard, if `f` returns `None`.
    #[inline]
    pub fn try_map<F, V: ?Sized>(this: Self, f: F) -> Result<OwnedRwLockReadGuard<T, V>, Self>
    where
        F: FnOnce(&U) -> Option<&V>,
    {
        match this.guard.turn(Map { f, to: PhantomData }) {
            Ok(guard) => Ok(OwnedRwLockReadGuard { guard }),
            Err(guard) => Err(Self { guard }),
        }
    }

    /// The lock.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.guard.lock_of()
    }
}

impl<T: ?Sized> From<Owned<real::OwnedRwLockReadGuard<T>, RwLock<T>>> for OwnedRwLockReadGuard<T> {
    #[inline]
    fn from(guard: Owned<real::OwnedRwLockReadGuard<T>, RwLock<T>>) -> Self {
        Self { guard }
    }
}

impl<T: ?Sized, U: ?Sized> Deref for OwnedRwLockReadGuard<T, U> {
    type Target = U;

    #[inline]
    fn deref(&self) -> &U {
        &self.guard
    }
}

shown!([T: ?Sized, U: ?Sized] OwnedRwLockReadGuard<T, U>: U);

/// From a whole to a part, if there is one.
struct Map<F, V: ?Sized> {
    f: F,
    to: PhantomData<V>,
}

impl<T, U, V, F> Turn<real::OwnedRwLockReadGuard<T, U>> for Map<F, V>
where
    T: ?Sized,
    U: ?Sized,
    V: ?Sized,
    F: FnOnce(&U) -> Option<&V>,
{
    type Into = real::OwnedRwLockReadGuard<T, V>;

    #[inline]
    fn turn<'a>(
        self,
        guard: real::RwLockReadGuard<'a, U>,
        _: &Holding,
    ) -> Result<real::RwLockReadGuard<'a, V>, real::RwLockReadGuard<'a, U>>
    where
        Self::Into: 'a,
    {
        real::RwLockReadGuard::try_map(guard, self.f)
    }
}
