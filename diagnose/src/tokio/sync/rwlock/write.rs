//! Write guards of a `RwLock`.

use std::sync::Arc;

use ::tokio::sync as real;

use super::read::Reads;
use super::{OwnedRwLockReadGuard, RwLock, RwLockReadGuard};
use crate::wrap::{Owned, guard, owned_guard, owned_kinds, owned_part, part};

guard! {
    /// tokio's `RwLockWriteGuard`.
    ///
    /// A downgrade is recorded before another task can acquire the released units. One unit stays
    /// held.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct RwLockWriteGuard<'a, T: ?Sized> for &mut T {
        guard: real::RwLockWriteGuard<'a, T>,
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    part! { map, try_map: [F, U: ?Sized] &mut T => &mut U, real::RwLockWriteGuard, RwLockMappedWriteGuard<'a, U> }

    /// Downgrades to a read guard of a component of the data. No writer gets the lock in between.
    #[inline]
    pub fn downgrade_map<F, U: ?Sized>(this: Self, f: F) -> RwLockReadGuard<'a, U>
    where
        F: FnOnce(&T) -> &U,
    {
        let Self { holding, guard } = this;
        let guard = real::RwLockWriteGuard::downgrade_map(guard, |value| {
            let part = f(value);
            holding.set_units(1);
            part
        });
        RwLockReadGuard::new(holding, guard)
    }

    /// Downgrades to a read guard of a component of the locked data, if `f` returns one.
    ///
    /// # Errors
    /// Returns this guard if `f` returns `None`.
    #[inline]
    pub fn try_downgrade_map<F, U: ?Sized>(this: Self, f: F) -> Result<RwLockReadGuard<'a, U>, Self>
    where
        F: FnOnce(&T) -> Option<&U>,
    {
        let Self { holding, guard } = this;
        let one = |_: &&U| holding.set_units(1);
        match real::RwLockWriteGuard::try_downgrade_map(guard, |value| f(value).inspect(one)) {
            Ok(guard) => Ok(RwLockReadGuard::new(holding, guard)),
            Err(guard) => Err(Self { holding, guard }),
        }
    }

    /// Converts into a mapped guard of all the locked data.
    #[inline]
    pub fn into_mapped(this: Self) -> RwLockMappedWriteGuard<'a, T> {
        Self::map(this, |value| value)
    }

    /// Downgrades to a read guard. No writer gets the lock in between.
    pub fn downgrade(self) -> RwLockReadGuard<'a, T> {
        self.holding.set_units(1);
        RwLockReadGuard::new(self.holding, self.guard.downgrade())
    }
}

guard! {
    /// tokio's `RwLockMappedWriteGuard`, for a component of the locked data.
    pub struct RwLockMappedWriteGuard<'a, T: ?Sized> for &mut T {
        guard: real::RwLockMappedWriteGuard<'a, T>,
    }
}

impl<'a, T: ?Sized> RwLockMappedWriteGuard<'a, T> {
    part! {
        map, try_map: [F, U: ?Sized] &mut T => &mut U,
        real::RwLockMappedWriteGuard, RwLockMappedWriteGuard<'a, U>
    }
}

owned_kinds! {
    Writes<T>(real::OwnedRwLockWriteGuard<T>) of RwLock<T>: real::RwLockWriteGuard<'a, T>;
    WritesPart<T, U>(real::OwnedRwLockMappedWriteGuard<T, U>) of RwLock<T>: real::RwLockMappedWriteGuard<'a, U>;
}

owned_guard! {
    /// tokio's `OwnedRwLockWriteGuard`. It can move to another task, so each access records its
    /// holder.
    pub struct OwnedRwLockWriteGuard<T: ?Sized> for &mut T {
        guard: Owned<RwLock<T>, Writes<T>>,
    }
}

impl<T: ?Sized> OwnedRwLockWriteGuard<T> {
    owned_part! {
        [F, U: ?Sized] &mut T => &mut U, real::RwLockWriteGuard,
        OwnedRwLockMappedWriteGuard<T, U> of WritesPart<T, U>
    }

    /// Downgrades to a read guard of a component of the data. No writer gets the lock in between.
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

    /// Downgrades to a read guard of a component of the locked data, if `f` returns one.
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

    /// Converts into a mapped guard of all the locked data.
    #[inline]
    pub fn into_mapped(this: Self) -> OwnedRwLockMappedWriteGuard<T> {
        Self::map(this, |value| value)
    }

    /// Downgrades to a read guard. No writer gets the lock in between.
    pub fn downgrade(self) -> OwnedRwLockReadGuard<T> {
        Self::downgrade_map(self, |value| value)
    }

    /// Returns the lock of this guard.
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

    /// Returns the lock of this guard.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.guard.owner()
    }
}
