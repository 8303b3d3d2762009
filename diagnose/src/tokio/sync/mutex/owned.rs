//! Guards of a `Mutex` that own it.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use ::tokio::sync as real;

use super::super::guard::shown;
use super::super::owned::{Owned, Turn};
use super::Mutex;
use crate::waits::Holding;

/// tokio's `OwnedMutexGuard`. It can go to another task, so who looks at what it guards is on record as its holder.
#[clippy::has_significant_drop]
pub struct OwnedMutexGuard<T: ?Sized> {
    guard: Owned<real::OwnedMutexGuard<T>, Mutex<T>>,
}

impl<T: ?Sized> OwnedMutexGuard<T> {
    /// A guard of a part of what this one guards.
    #[inline]
    pub fn map<U, F>(this: Self, f: F) -> OwnedMappedMutexGuard<T, U>
    where
        U: ?Sized,
        F: FnOnce(&mut T) -> &mut U,
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
    pub fn try_map<U, F>(this: Self, f: F) -> Result<OwnedMappedMutexGuard<T, U>, Self>
    where
        U: ?Sized,
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        match this.guard.turn(Map { f, to: PhantomData }) {
            Ok(guard) => Ok(OwnedMappedMutexGuard { guard }),
            Err(guard) => Err(Self { guard }),
        }
    }

    /// The lock.
    #[inline]
    pub fn mutex(this: &Self) -> &Arc<Mutex<T>> {
        this.guard.lock_of()
    }
}

impl<T: ?Sized> From<Owned<real::OwnedMutexGuard<T>, Mutex<T>>> for OwnedMutexGuard<T> {
    #[inline]
    fn from(guard: Owned<real::OwnedMutexGuard<T>, Mutex<T>>) -> Self {
        Self { guard }
    }
}

impl<T: ?Sized> Deref for OwnedMutexGuard<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T: ?Sized> DerefMut for OwnedMutexGuard<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

shown!([T: ?Sized] OwnedMutexGuard<T>: T);

/// tokio's `OwnedMappedMutexGuard`: a guard of a part of what is guarded.
#[clippy::has_significant_drop]
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct OwnedMappedMutexGuard<T: ?Sized, U: ?Sized = T> {
    guard: Owned<real::OwnedMappedMutexGuard<T, U>, Mutex<T>>,
}

impl<T: ?Sized, U: ?Sized> OwnedMappedMutexGuard<T, U> {
    /// A guard of a part of what this one guards.
    #[inline]
    pub fn map<S, F>(this: Self, f: F) -> OwnedMappedMutexGuard<T, S>
    where
        F: FnOnce(&mut U) -> &mut S,
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
    pub fn try_map<S, F>(this: Self, f: F) -> Result<OwnedMappedMutexGuard<T, S>, Self>
    where
        F: FnOnce(&mut U) -> Option<&mut S>,
    {
        match this.guard.turn(Map { f, to: PhantomData }) {
            Ok(guard) => Ok(OwnedMappedMutexGuard { guard }),
            Err(guard) => Err(Self { guard }),
        }
    }
}

impl<T: ?Sized, U: ?Sized> Deref for OwnedMappedMutexGuard<T, U> {
    type Target = U;

    #[inline]
    fn deref(&self) -> &U {
        &self.guard
    }
}

impl<T: ?Sized, U: ?Sized> DerefMut for OwnedMappedMutexGuard<T, U> {
    #[inline]
    fn deref_mut(&mut self) -> &mut U {
        &mut self.guard
    }
}

shown!([T: ?Sized, U: ?Sized] OwnedMappedMutexGuard<T, U>: U);

/// From a whole to a part, if there is one.
struct Map<F, S: ?Sized> {
    f: F,
    to: PhantomData<S>,
}

impl<T, S, F> Turn<real::OwnedMutexGuard<T>> for Map<F, S>
where
    T: ?Sized,
    S: ?Sized,
    F: FnOnce(&mut T) -> Option<&mut S>,
{
    type Into = real::OwnedMappedMutexGuard<T, S>;

    #[inline]
    fn turn<'a>(
        self,
        guard: real::MutexGuard<'a, T>,
        _: &Holding,
    ) -> Result<real::MappedMutexGuard<'a, S>, real::MutexGuard<'a, T>>
    where
        Self::Into: 'a,
    {
        real::MutexGuard::try_map(guard, self.f)
    }
}

impl<T, U, S, F> Turn<real::OwnedMappedMutexGuard<T, U>> for Map<F, S>
where
    T: ?Sized,
    U: ?Sized,
    F: FnOnce(&mut U) -> Option<&mut S>,
{
    type Into = real::OwnedMappedMutexGuard<T, S>;

    #[inline]
    fn turn<'a>(
        self,
        guard: real::MappedMutexGuard<'a, U>,
        _: &Holding,
    ) -> Result<real::MappedMutexGuard<'a, S>, real::MappedMutexGuard<'a, U>>
    where
        Self::Into: 'a,
    {
        real::MappedMutexGuard::try_map(guard, self.f)
    }
}
