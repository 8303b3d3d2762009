//! A writer's guards of a `RwLock` that own it.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use ::tokio::sync as real;

use super::super::guard::shown;
use super::super::owned::{Owned, Turn};
use super::{OwnedRwLockReadGuard, RwLock};
use crate::waits::Holding;

/// tokio's `OwnedRwLockWriteGuard`. It can go to another task, so who looks at what it guards is on record as its holder.
#[clippy::has_significant_drop]
pub struct OwnedRwLockWriteGuard<T: ?Sized> {
    guard: Owned<real::OwnedRwLockWriteGuard<T>, RwLock<T>>,
}

impl<T: ?Sized> OwnedRwLockWriteGuard<T> {
    /// A guard of a part of what this one guards.
    #[inline]
    pub fn map<F, U: ?Sized>(this: Self, f: F) -> OwnedRwLockMappedWriteGuard<T, U>
    where
        F: FnOnce(&mut T) -> &mut U,
    {
        let Ok(mapped) = Self::try_map(this, |value| Some(f(value))) else {
            unreachable!("there is always a part")
        };
        mapped
    }

    /// A reader's guard of a part of what this one guards, which nobody has changed in between.
    #[inline]
    pub fn downgrade_map<F, U: ?Sized>(this: Self, f: F) -> OwnedRwLockReadGuard<T, U>
    where
        F: FnOnce(&T) -> &U,
    {
        let reader = Self::try_downgrade_map(this, |value| Some(f(value)));
        let Ok(reader) = reader else { unreachable!("there is always a part") };
        reader
    }

    /// A guard of a part of what this one guards, if there is one.
    ///
    /// # Errors
    /// This guard, if `f` returns `None`.
    #[inline]
    pub fn try_map<F, U: ?Sized>(this: Self, f: F) -> Result<OwnedRwLockMappedWriteGuard<T, U>, Self>
    where
        F: FnOnce(&mut T) -> Option<&mut U>,
    {
        match this.guard.turn(Map { f, to: PhantomData }) {
            Ok(guard) => Ok(OwnedRwLockMappedWriteGuard { guard }),
            Err(guard) => Err(Self { guard }),
        }
    }

    /// A reader's guard of a part of what this one guards, if there is one.
    ///
    /// # Errors
    /// This guard, if `f` returns `None`.
    #[inline]
    pub fn try_downgrade_map<F, U: ?Sized>(this: Self, f: F) -> Result<OwnedRwLockReadGuard<T, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        match this.guard.turn(Downgrade { f, to: PhantomData }) {
            Ok(guard) => Ok(OwnedRwLockReadGuard { guard }),
            Err(guard) => Err(Self { guard }),
        }
    }

    /// The same guard as one of a part.
    #[inline]
    pub fn into_mapped(this: Self) -> OwnedRwLockMappedWriteGuard<T> {
        Self::map(this, |value| value)
    }

    /// A reader's guard of what this one guards, which nobody has changed in between.
    pub fn downgrade(self) -> OwnedRwLockReadGuard<T> {
        Self::downgrade_map(self, |value| value)
    }

    /// The lock.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.guard.lock_of()
    }
}

impl<T: ?Sized> From<Owned<real::OwnedRwLockWriteGuard<T>, RwLock<T>>> for OwnedRwLockWriteGuard<T> {
    #[inline]
    fn from(guard: Owned<real::OwnedRwLockWriteGuard<T>, RwLock<T>>) -> Self {
        Self { guard }
    }
}

impl<T: ?Sized> Deref for OwnedRwLockWriteGuard<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T: ?Sized> DerefMut for OwnedRwLockWriteGuard<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

shown!([T: ?Sized] OwnedRwLockWriteGuard<T>: T);

/// tokio's `OwnedRwLockMappedWriteGuard`: a guard of a part of what is guarded.
#[clippy::has_significant_drop]
pub struct OwnedRwLockMappedWriteGuard<T: ?Sized, U: ?Sized = T> {
    guard: Owned<real::OwnedRwLockMappedWriteGuard<T, U>, RwLock<T>>,
}

impl<T: ?Sized, U: ?Sized> OwnedRwLockMappedWriteGuard<T, U> {
    /// A guard of a part of what this one guards.
    #[inline]
    pub fn map<F, V: ?Sized>(this: Self, f: F) -> OwnedRwLockMappedWriteGuard<T, V>
    where
        F: FnOnce(&mut U) -> &mut V,
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
    pub fn try_map<F, V: ?Sized>(this: Self, f: F) -> Result<OwnedRwLockMappedWriteGuard<T, V>, Self>
    where
        F: FnOnce(&mut U) -> Option<&mut V>,
    {
        match this.guard.turn(Map { f, to: PhantomData }) {
            Ok(guard) => Ok(OwnedRwLockMappedWriteGuard { guard }),
            Err(guard) => Err(Self { guard }),
        }
    }

    /// The lock.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.guard.lock_of()
    }
}

impl<T: ?Sized, U: ?Sized> Deref for OwnedRwLockMappedWriteGuard<T, U> {
    type Target = U;

    #[inline]
    fn deref(&self) -> &U {
        &self.guard
    }
}

impl<T: ?Sized, U: ?Sized> DerefMut for OwnedRwLockMappedWriteGuard<T, U> {
    #[inline]
    fn deref_mut(&mut self) -> &mut U {
        &mut self.guard
    }
}

shown!([T: ?Sized, U: ?Sized] OwnedRwLockMappedWriteGuard<T, U>: U);

/// From a whole to a part, if there is one.
struct Map<F, V: ?Sized> {
    f: F,
    to: PhantomData<V>,
}

/// From a writer's whole to a reader's part, if there is one.
struct Downgrade<F, V: ?Sized> {
    f: F,
    to: PhantomData<V>,
}

impl<T, V, F> Turn<real::OwnedRwLockWriteGuard<T>> for Map<F, V>
where
    T: ?Sized,
    V: ?Sized,
    F: FnOnce(&mut T) -> Option<&mut V>,
{
    type Into = real::OwnedRwLockMappedWriteGuard<T, V>;

    #[inline]
    fn turn<'a>(
        self,
        guard: real::RwLockWriteGuard<'a, T>,
        _: &Holding,
    ) -> Result<real::RwLockMappedWriteGuard<'a, V>, real::RwLockWriteGuard<'a, T>>
    where
        Self::Into: 'a,
    {
        real::RwLockWriteGuard::try_map(guard, self.f)
    }
}

impl<T, U, V, F> Turn<real::OwnedRwLockMappedWriteGuard<T, U>> for Map<F, V>
where
    T: ?Sized,
    U: ?Sized,
    V: ?Sized,
    F: FnOnce(&mut U) -> Option<&mut V>,
{
    type Into = real::OwnedRwLockMappedWriteGuard<T, V>;

    #[inline]
    fn turn<'a>(
        self,
        guard: real::RwLockMappedWriteGuard<'a, U>,
        _: &Holding,
    ) -> Result<real::RwLockMappedWriteGuard<'a, V>, real::RwLockMappedWriteGuard<'a, U>>
    where
        Self::Into: 'a,
    {
        real::RwLockMappedWriteGuard::try_map(guard, self.f)
    }
}

impl<T, V, F> Turn<real::OwnedRwLockWriteGuard<T>> for Downgrade<F, V>
where
    T: ?Sized,
    V: ?Sized,
    F: FnOnce(&T) -> Option<&V>,
{
    type Into = real::OwnedRwLockReadGuard<T, V>;

    #[inline]
    fn turn<'a>(
        self,
        guard: real::RwLockWriteGuard<'a, T>,
        holding: &Holding,
    ) -> Result<real::RwLockReadGuard<'a, V>, real::RwLockWriteGuard<'a, T>>
    where
        Self::Into: 'a,
    {
        real::RwLockWriteGuard::try_downgrade_map(guard, |value| {
            let part = (self.f)(value);
            if part.is_some() {
                holding.set_units(1);
            }
            part
        })
    }
}
