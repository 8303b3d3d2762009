//! Read guards of a `RwLock`.

use std::sync::Arc;

use ::tokio::sync as real;

use super::RwLock;
use crate::wrap::{Owned, guard, owned_guard, owned_kinds, owned_part, part};

guard! {
    /// tokio's `RwLockReadGuard`.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct RwLockReadGuard<'a, T: ?Sized> for &T {
        guard: real::RwLockReadGuard<'a, T>,
    }
}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    part! { map, try_map: [F, U: ?Sized] &T => &U, real::RwLockReadGuard, RwLockReadGuard<'a, U> }
}

owned_kinds! {
    Reads<T, U>(real::OwnedRwLockReadGuard<T, U>) of RwLock<T>: real::RwLockReadGuard<'a, U>;
}

owned_guard! {
    /// tokio's `OwnedRwLockReadGuard`. It can move to another task, so each access records its
    /// holder.
    pub struct OwnedRwLockReadGuard<T: ?Sized, U: ?Sized = T> for &U {
        guard: Owned<RwLock<T>, Reads<T, U>>,
    }
}

impl<T: ?Sized, U: ?Sized> OwnedRwLockReadGuard<T, U> {
    owned_part! { [F, V: ?Sized] &U => &V, real::RwLockReadGuard, OwnedRwLockReadGuard<T, V> of Reads<T, V> }

    /// Returns the lock of this guard.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.guard.owner()
    }
}
