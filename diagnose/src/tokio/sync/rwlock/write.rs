//! Guards of who writes to a `RwLock` that borrow it.

use ::tokio::sync as real;

use super::RwLockReadGuard;
use crate::wrap::{guard, part};

guard! {
    /// tokio's `RwLockWriteGuard`.
    ///
    /// A writer that becomes a reader gives up all units but one on record, before somebody else can have them.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct RwLockWriteGuard<'a, T: ?Sized> for &mut T {
        guard: real::RwLockWriteGuard<'a, T>,
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    part! { map, try_map: [F, U: ?Sized] &mut T => &mut U, real::RwLockWriteGuard, RwLockMappedWriteGuard<'a, U> }

    /// Makes a reader's guard of a component of the locked data. No writer gets the lock in between.
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

    /// Makes a reader's guard of a component of the locked data, if there is one.
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

    /// Makes this guard one of a component, which is all of the locked data.
    #[inline]
    pub fn into_mapped(this: Self) -> RwLockMappedWriteGuard<'a, T> {
        Self::map(this, |value| value)
    }

    /// Makes a reader's guard of this one. No writer gets the lock in between.
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
