//! Guards of who writes to a `RwLock` that own it.

use std::sync::Arc;

use ::tokio::sync as real;

use super::read::Reads;
use super::{OwnedRwLockReadGuard, RwLock};
use crate::wrap::{Owned, owned_guard, owned_kinds, owned_part};

owned_kinds! {
    Writes<T>(real::OwnedRwLockWriteGuard<T>) of RwLock<T>: real::RwLockWriteGuard<'a, T>;
    WritesPart<T, U>(real::OwnedRwLockMappedWriteGuard<T, U>) of RwLock<T>: real::RwLockMappedWriteGuard<'a, U>;
}

owned_guard! {
    /// tokio's `OwnedRwLockWriteGuard`. It can go to another task, so who looks at what it guards is on record as its holder.
    pub struct OwnedRwLockWriteGuard<T: ?Sized> for &mut T {
        guard: Owned<RwLock<T>, Writes<T>>,
    }
}

impl<T: ?Sized> OwnedRwLockWriteGuard<T> {
    owned_part! {
        [F, U: ?Sized] &mut T => &mut U, real::RwLockWriteGuard,
        OwnedRwLockMappedWriteGuard<T, U> of WritesPart<T, U>
    }

    /// Makes a reader's guard of a component of the locked data. No writer gets the lock in between.
    #[inline]
    pub fn downgrade_map<F, U: ?Sized>(this: Self, f: F) -> OwnedRwLockReadGuard<T, U>
    where
        F: FnOnce(&T) -> &U,
    {
        let Self { holding, guard } = this;
        let guard = guard.turn::<Reads<T, U>>(|guard, _| {
            real::RwLockWriteGuard::downgrade_map(guard, |value| {
                let part = f(value);
                holding.set_units(1);
                part
            })
        });
        OwnedRwLockReadGuard::new(holding, guard)
    }

    /// Makes a reader's guard of a component of the locked data, if there is one.
    ///
    /// # Errors
    /// Returns this guard if `f` returns `None`.
    #[inline]
    pub fn try_downgrade_map<F, U: ?Sized>(this: Self, f: F) -> Result<OwnedRwLockReadGuard<T, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        let Self { holding, guard } = this;
        let one = |_: &&U| holding.set_units(1);
        let turned = guard.try_turn::<Reads<T, U>>(|guard, _| {
            real::RwLockWriteGuard::try_downgrade_map(guard, |value| f(value).inspect(one))
        });
        match turned {
            Ok(guard) => Ok(OwnedRwLockReadGuard::new(holding, guard)),
            Err(guard) => Err(Self { holding, guard }),
        }
    }

    /// Makes this guard one of a component, which is all of the locked data.
    #[inline]
    pub fn into_mapped(this: Self) -> OwnedRwLockMappedWriteGuard<T> {
        Self::map(this, |value| value)
    }

    /// Makes a reader's guard of this one. No writer gets the lock in between.
    pub fn downgrade(self) -> OwnedRwLockReadGuard<T> {
        Self::downgrade_map(self, |value| value)
    }

    /// The lock.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.guard.owner()
    }
}

owned_guard! {
    /// tokio's `OwnedRwLockMappedWriteGuard`, for a component of the locked data.
    pub struct OwnedRwLockMappedWriteGuard<T: ?Sized, U: ?Sized = T> for &mut U {
        guard: Owned<RwLock<T>, WritesPart<T, U>>,
    }
}

impl<T: ?Sized, U: ?Sized> OwnedRwLockMappedWriteGuard<T, U> {
    owned_part! {
        [F, V: ?Sized] &mut U => &mut V, real::RwLockMappedWriteGuard,
        OwnedRwLockMappedWriteGuard<T, V> of WritesPart<T, V>
    }

    /// The lock.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.guard.owner()
    }
}
