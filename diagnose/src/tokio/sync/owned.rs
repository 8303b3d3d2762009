//! Guards that own their lock: tokio's guard that borrows it, beside the `Arc` that keeps it.
//!
//! tokio's own guard of that kind keeps an `Arc` of tokio's lock, and here that lock is a field of what the `Arc` is of. So
//! the guard that borrows is kept, without its lifetime: unsafe is kept in this file.
//!
//! ```text
//! Owned ─┬ holding   ends first
//!        ├ room    tokio's guard, which borrows from …
//!        └ lock    … this `Arc`, which outlives it and never changes
//! ```

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::Arc;

use ::tokio::sync as real;

use super::mutex::Mutex;
use super::rwlock::RwLock;
use crate::waits::Holding;

type Place = &'static Location<'static>;

/// A guard of tokio's that owns its lock: what stands for it here.
///
/// # Safety
/// `Borrowing<'a>` can be used as `Borrowing<'b>` where `'a: 'b`, is valid as long as the `Lock` that it is of is borrowed, and
/// has the variance of `Self` in all else.
pub(super) unsafe trait Owning {
    type Lock: ?Sized;
    type Value: ?Sized;
    type Borrowing<'a>: Deref<Target = Self::Value>
    where
        Self: 'a;
}

/// One through which the value can be changed.
pub(super) trait OwningMut: Owning {
    fn value_mut<'a, 'b>(guard: &'b mut Self::Borrowing<'a>) -> &'b mut Self::Value
    where
        Self: 'a;
}

// SAFETY: tokio's guards hold references to the lock, and are covariant in their lifetime.
unsafe impl<T: ?Sized> Owning for real::OwnedMutexGuard<T> {
    type Lock = Mutex<T>;
    type Value = T;
    type Borrowing<'a>
        = real::MutexGuard<'a, T>
    where
        Self: 'a;
}

// SAFETY: as above.
unsafe impl<T: ?Sized, U: ?Sized> Owning for real::OwnedMappedMutexGuard<T, U> {
    type Lock = Mutex<T>;
    type Value = U;
    type Borrowing<'a>
        = real::MappedMutexGuard<'a, U>
    where
        Self: 'a;
}

// SAFETY: as above.
unsafe impl<T: ?Sized, U: ?Sized> Owning for real::OwnedRwLockReadGuard<T, U> {
    type Lock = RwLock<T>;
    type Value = U;
    type Borrowing<'a>
        = real::RwLockReadGuard<'a, U>
    where
        Self: 'a;
}

// SAFETY: as above.
unsafe impl<T: ?Sized> Owning for real::OwnedRwLockWriteGuard<T> {
    type Lock = RwLock<T>;
    type Value = T;
    type Borrowing<'a>
        = real::RwLockWriteGuard<'a, T>
    where
        Self: 'a;
}

// SAFETY: as above.
unsafe impl<T: ?Sized, U: ?Sized> Owning for real::OwnedRwLockMappedWriteGuard<T, U> {
    type Lock = RwLock<T>;
    type Value = U;
    type Borrowing<'a>
        = real::RwLockMappedWriteGuard<'a, U>
    where
        Self: 'a;
}

macro_rules! owning_mut {
    ($([$($generics:tt)*] $guard:ty),*) => {
        $(impl<$($generics)*> OwningMut for $guard {
            #[inline]
            fn value_mut<'a, 'b>(guard: &'b mut Self::Borrowing<'a>) -> &'b mut Self::Value
            where
                Self: 'a,
            {
                &mut *guard
            }
        })*
    };
}
owning_mut!(
    [T: ?Sized] real::OwnedMutexGuard<T>,
    [T: ?Sized, U: ?Sized] real::OwnedMappedMutexGuard<T, U>,
    [T: ?Sized] real::OwnedRwLockWriteGuard<T>,
    [T: ?Sized, U: ?Sized] real::OwnedRwLockMappedWriteGuard<T, U>
);

/// A guard that borrows, without its lifetime. It has the size, the auto traits and the variance of the one that owns.
struct Room<R: Owning> {
    guard: MaybeUninit<R>,
    drops: PhantomData<R>,
}

impl<R: Owning> Room<R> {
    #[inline]
    fn new<'a>(guard: R::Borrowing<'a>) -> Self
    where
        R: 'a,
    {
        const {
            assert!(size_of::<R::Borrowing<'a>>() <= size_of::<R>());
            assert!(align_of::<R::Borrowing<'a>>() <= align_of::<R>());
        }
        let mut room = MaybeUninit::<R>::uninit();
        // SAFETY: it fits, as was just asserted.
        unsafe { room.as_mut_ptr().cast::<R::Borrowing<'a>>().write(guard) };
        Self { guard: room, drops: PhantomData }
    }

    #[inline]
    fn get(&self) -> &R::Borrowing<'_> {
        // SAFETY: `new` has put it there. The lock outlives the room, and so the shorter lifetime.
        unsafe { &*self.guard.as_ptr().cast::<R::Borrowing<'_>>() }
    }

    #[inline]
    fn get_mut(&mut self) -> &mut R::Borrowing<'_> {
        // SAFETY: as in `get`; nobody in this file replaces it by a guard of another lock.
        unsafe { &mut *self.guard.as_mut_ptr().cast::<R::Borrowing<'_>>() }
    }

    /// The guard itself, for as long as `_lock` is borrowed.
    #[inline]
    fn take<'a>(self, _lock: &'a Arc<R::Lock>) -> R::Borrowing<'a>
    where
        R: 'a,
    {
        let room = ManuallyDrop::new(self);
        // SAFETY: `new` has put it there, and the room is not used again. It is a guard of `_lock`.
        unsafe { room.guard.as_ptr().cast::<R::Borrowing<'a>>().read() }
    }
}

impl<R: Owning> Drop for Room<R> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: `new` has put it there, and the room is not used again. The lock is still there.
        unsafe { self.guard.as_mut_ptr().cast::<R::Borrowing<'_>>().drop_in_place() }
    }
}

/// Makes another guard of one, with the same holding, or gives it back.
pub(super) trait Turn<R: Owning> {
    type Into: Owning<Lock = R::Lock>;

    fn turn<'a>(
        self,
        guard: R::Borrowing<'a>,
        holding: &Holding,
    ) -> Result<<Self::Into as Owning>::Borrowing<'a>, R::Borrowing<'a>>
    where
        R: 'a,
        Self::Into: 'a;
}

/// A guard, its holding and its lock.
// The order is that in which they end.
pub(super) struct Owned<R: Owning, L: ?Sized> {
    holding: Holding,
    room: Room<R>,
    // Not named by `R::Lock`, which would make this invariant.
    lock: Arc<L>,
}

impl<T: ?Sized> Owned<real::OwnedMutexGuard<T>, Mutex<T>> {
    pub(super) async fn lock<G: From<Self>>(lock: Arc<Mutex<T>>, at: Place) -> G {
        let (room, holding) = lock.enter(at, true, |guard, holding| (Room::new(guard), holding)).await;
        Self { holding, room, lock }.into()
    }

    pub(super) fn blocking_lock(lock: Arc<Mutex<T>>, at: Place) -> Self {
        let (guard, holding) = lock.block(at, true);
        let room = Room::new(guard);
        Self { holding, room, lock }
    }

    pub(super) fn try_lock(lock: Arc<Mutex<T>>, at: Place) -> Result<Self, real::TryLockError> {
        let (guard, holding) = lock.try_enter(at, true)?;
        let room = Room::new(guard);
        Ok(Self { holding, room, lock })
    }
}

impl<T: ?Sized> Owned<real::OwnedRwLockReadGuard<T>, RwLock<T>> {
    pub(super) async fn read<G: From<Self>>(lock: Arc<RwLock<T>>, at: Place) -> G {
        let (room, holding) = lock.enter_read(at, true, |guard, holding| (Room::new(guard), holding)).await;
        Self { holding, room, lock }.into()
    }

    pub(super) fn try_read(lock: Arc<RwLock<T>>, at: Place) -> Result<Self, real::TryLockError> {
        let (guard, holding) = lock.try_enter_read(at, true)?;
        let room = Room::new(guard);
        Ok(Self { holding, room, lock })
    }
}

impl<T: ?Sized> Owned<real::OwnedRwLockWriteGuard<T>, RwLock<T>> {
    pub(super) async fn write<G: From<Self>>(lock: Arc<RwLock<T>>, at: Place) -> G {
        let (room, holding) = lock.enter_write(at, true, |guard, holding| (Room::new(guard), holding)).await;
        Self { holding, room, lock }.into()
    }

    pub(super) fn try_write(lock: Arc<RwLock<T>>, at: Place) -> Result<Self, real::TryLockError> {
        let (guard, holding) = lock.try_enter_write(at, true)?;
        let room = Room::new(guard);
        Ok(Self { holding, room, lock })
    }
}

impl<L: ?Sized, R: Owning<Lock = L>> Owned<R, L> {
    pub(super) fn lock_of(&self) -> &Arc<L> {
        &self.lock
    }

    /// Another guard of the same lock instead of this one, or this one again.
    #[inline]
    pub(super) fn turn<C: Turn<R>>(self, turn: C) -> Result<Owned<C::Into, L>, Self> {
        let Self { holding, room, lock } = self;
        // A guard that borrows from here on: it is gone before the lock, even if `turn` panics.
        let turned = match turn.turn(room.take(&lock), &holding) {
            Ok(guard) => Ok(Room::new(guard)),
            Err(guard) => Err(Room::new(guard)),
        };
        match turned {
            Ok(room) => Ok(Owned { holding, room, lock }),
            Err(room) => Err(Self { holding, room, lock }),
        }
    }
}

impl<L: ?Sized, R: Owning> Deref for Owned<R, L> {
    type Target = R::Value;

    #[inline]
    fn deref(&self) -> &Self::Target {
        self.holding.looked_at();
        self.room.get()
    }
}

impl<L: ?Sized, R: OwningMut> DerefMut for Owned<R, L> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.holding.looked_at();
        R::value_mut(self.room.get_mut())
    }
}
