//! A guard beside the `Arc` it borrows from: the storage of all owned guards.
//!
//! An original's owned guard has an `Arc` of the original lock. A wrapper has that lock as a
//! field, beside its record, so there is an `Arc` of the wrapper only. The guard therefore borrows,
//! and is stored next to that `Arc`. No safe type can express this, so `unsafe` code is here and
//! nowhere else.
//!
//! ```text
//! Owned ─┬ guard   borrows from …
//!        └ owner   … this `Arc`, which is dropped after it and never changes
//! ```
//!
//! Why it is sound:
//!
//! - An `Arc` does not move its target, and this one outlives the guard, even while a closure
//!   unwinds.
//! - A guard borrows from the owner only: it comes from a closure that works for any lifetime, or
//!   from a future that [`owned_wait`] makes of the owner.
//! - A guard is handed out by reference, under a shorter lifetime than its own. [`owned_kinds`] has
//!   the compiler check that guards are covariant.
//! - `Owned` is `Send` and `Sync` where the original's own owned guard is, which has an `Arc` of
//!   its lock too. It also matches that guard's other auto traits and variance.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr;
use std::sync::Arc;

/// A guard type of any lifetime that borrows from an `L`. Implemented by [`owned_kinds`].
///
/// `Bound` states that the type parameters outlive `'a`.
///
/// # Safety
/// The guard is covariant in `'a`. `Self` is `Send` only if an `Arc<L>` and the guard may be sent
/// and dropped elsewhere, and `Sync` only if the guard is.
pub(crate) unsafe trait Kind<'a, L: ?Sized, Bound = (&'a L, &'a Self)> {
    type Guard;
}

/// A guard stored with the `Arc` it borrows from. It has the size of a `K` and of an `Arc`.
// Fields drop in this order: first the guard, then its owner.
pub(crate) struct Owned<L: ?Sized, K: for<'a> Kind<'a, L>> {
    room: Room<L, K>,
    owner: Arc<L>,
}

/// A guard stored as bytes, without its lifetime.
pub(crate) struct Room<L: ?Sized, K: for<'a> Kind<'a, L>> {
    guard: MaybeUninit<K>,
    kind: PhantomData<(K, Arc<L>)>,
}

// SAFETY: implementors of `Kind` guarantee it.
unsafe impl<L: ?Sized, K: for<'a> Kind<'a, L> + Send> Send for Owned<L, K> {}
// SAFETY: implementors of `Kind` guarantee it.
unsafe impl<L: ?Sized, K: for<'a> Kind<'a, L> + Sync> Sync for Owned<L, K> {}

impl<L: ?Sized, K: for<'a> Kind<'a, L>> Owned<L, K> {
    /// Stores the guard that `take` returns. Also returns the second value of `take`.
    #[inline]
    pub(crate) fn new<R>(
        owner: Arc<L>,
        take: impl for<'a> FnOnce(&'a L) -> (<K as Kind<'a, L>>::Guard, R),
    ) -> (Self, R) {
        // SAFETY: the guard is dropped before `owner`, see the head.
        let lent: &L = unsafe { &*Arc::as_ptr(&owner) };
        let (guard, rest) = take(lent);
        (Self::with(owner, guard), rest)
    }

    /// Like [`new`](Self::new), for a `take` that can fail.
    ///
    /// # Errors
    /// Returns the owner and the error if `take` fails.
    #[inline]
    pub(crate) fn try_new<R, E>(
        owner: Arc<L>,
        take: impl for<'a> FnOnce(&'a L) -> Result<(<K as Kind<'a, L>>::Guard, R), E>,
    ) -> Result<(Self, R), (Arc<L>, E)> {
        // SAFETY: the guard is dropped before `owner`, see the head.
        let lent: &L = unsafe { &*Arc::as_ptr(&owner) };
        match take(lent) {
            Ok((guard, rest)) => Ok((Self::with(owner, guard), rest)),
            Err(error) => Err((owner, error)),
        }
    }

    /// Stores the guard in `room`, which borrows from `owner`.
    ///
    /// # Safety
    /// The guard in `room` must borrow from `owner` only.
    #[inline]
    pub(crate) unsafe fn with_room(room: Room<L, K>, owner: Arc<L>) -> Self {
        Self { room, owner }
    }

    /// Stores `guard`, which borrows from `owner`.
    #[inline]
    fn with<'a>(owner: Arc<L>, guard: <K as Kind<'a, L>>::Guard) -> Self
    where
        L: 'a,
        K: 'a,
    {
        // SAFETY: `owner` is dropped after the room.
        Self { room: unsafe { Room::new(guard) }, owner }
    }

    /// Returns the lock that the guard borrows from.
    #[inline]
    pub(crate) fn owner(&self) -> &Arc<L> {
        &self.owner
    }

    /// Returns the guard.
    #[inline]
    pub(crate) fn get(&self) -> &<K as Kind<'_, L>>::Guard {
        // SAFETY: `Room::new` wrote it, only consuming `self` moves it out, and it is covariant.
        unsafe { &*self.room.guard.as_ptr().cast() }
    }

    /// Returns the guard mutably. Callers must not replace it by the guard of another owner.
    #[inline]
    pub(crate) fn get_mut(&mut self) -> &mut <K as Kind<'_, L>>::Guard {
        // SAFETY: as in `get`.
        unsafe { &mut *self.room.guard.as_mut_ptr().cast() }
    }

    /// Turns the guard into a guard of another kind.
    ///
    /// # Errors
    /// Returns this guard if `turn` returns it as an error.
    #[inline]
    pub(crate) fn try_turn<G: for<'a> Kind<'a, L>>(
        self,
        turn: impl for<'a> FnOnce(
            <K as Kind<'a, L>>::Guard,
            &'a L,
        ) -> Result<<G as Kind<'a, L>>::Guard, <K as Kind<'a, L>>::Guard>,
    ) -> Result<Owned<L, G>, Self> {
        // If `turn` unwinds, the guard is dropped before `owner`.
        let Self { room, owner } = self;
        let room = ManuallyDrop::new(room);
        // SAFETY: as in `get`. It is read once, since `room` is not used again.
        let guard = unsafe { ptr::read(room.guard.as_ptr().cast()) };
        // SAFETY: as in `try_new`.
        let lent: &L = unsafe { &*Arc::as_ptr(&owner) };
        match turn(guard, lent) {
            Ok(guard) => Ok(Owned::with(owner, guard)),
            Err(guard) => Err(Self::with(owner, guard)),
        }
    }

    /// Turns the guard into a guard of another kind. `turn` cannot fail.
    #[inline]
    pub(crate) fn turn<G: for<'a> Kind<'a, L>>(
        self,
        turn: impl for<'a> FnOnce(<K as Kind<'a, L>>::Guard, &'a L) -> <G as Kind<'a, L>>::Guard,
    ) -> Owned<L, G> {
        match self.try_turn::<G>(|guard, lent| Ok(turn(guard, lent))) {
            Ok(turned) => turned,
            Err(_) => unreachable!("it is never given back"),
        }
    }
}

impl<L: ?Sized, K: for<'a> Kind<'a, L>> Room<L, K> {
    /// Stores `guard` as bytes.
    ///
    /// # Safety
    /// The lock that `guard` borrows from must be dropped after the room.
    #[inline]
    pub(crate) unsafe fn new<'a>(guard: <K as Kind<'a, L>>::Guard) -> Self
    where
        L: 'a,
        K: 'a,
    {
        const {
            assert!(size_of::<<K as Kind<'a, L>>::Guard>() <= size_of::<K>());
            assert!(align_of::<<K as Kind<'a, L>>::Guard>() <= align_of::<K>());
        }
        let mut bytes = MaybeUninit::<K>::uninit();
        // SAFETY: the guard fits, as was just asserted.
        unsafe { ptr::write(bytes.as_mut_ptr().cast(), guard) };
        Self { guard: bytes, kind: PhantomData }
    }
}

impl<L: ?Sized, K: for<'a> Kind<'a, L>> Drop for Room<L, K> {
    #[inline]
    fn drop(&mut self) {
        let guard: *mut <K as Kind<'_, L>>::Guard = self.guard.as_mut_ptr().cast();
        // SAFETY: `new` wrote the guard, nothing reads it after this, and its lock still exists.
        unsafe { ptr::drop_in_place(guard) };
    }
}

/// Storage for a guard of a few words: a reference and a wide pointer, with one word to spare.
///
/// `Send` and `Sync` where a `P` is.
#[allow(dead_code)] // Used for its size only.
pub(crate) struct Words<P: ?Sized>([usize; 4], PhantomData<P>);

impl<P: ?Sized> Unpin for Words<P> {}

/// Builds the future that waits for an owned guard.
///
/// `$store` takes the guard that borrows from `$it` and its holding, and returns what `$future`
/// outputs. This is a macro, and no function, so that the guard is stored where the borrowing
/// future is awaited: returning it from another future costs as much as recording it.
///
/// ```text
/// owned_wait!(self, OwnedMutexGuard of Locked<T>, |it, store| Acquire::new(it.mutex.lock(), it.args(at, true), store))
/// ```
macro_rules! owned_wait {
    ($owner:expr, $guard:ident of $kind:ty, |$it:ident, $store:ident| $future:expr) => {
        async move {
            let owner = $owner;
            let $it = &*owner;
            #[allow(unsafe_code)]
            // SAFETY: `owner` is dropped after every other value of this block.
            let $store = |guard, holding| (unsafe { $crate::wrap::Room::<_, $kind>::new(guard) }, holding);
            let (room, holding) = $future.await;
            #[allow(unsafe_code)]
            // SAFETY: the guard borrows from `$it`, which is `*owner`.
            let guard = unsafe { $crate::wrap::Owned::with_room(room, owner) };
            $guard::new(holding, guard)
        }
    };
}

/// Declares kinds of guards for [`Owned`]: the name, the storage type, the lock, and the guard.
///
/// The storage type gives size and auto traits. It is the original's own owned guard, or [`Words`]
/// of a type with the same auto traits. A kind with other auto traits than the original's is
/// unsound; the compiler checks only the rest. Parameters are `?Sized`. The guard uses `'a`.
///
/// ```text
/// owned_kinds! {
///     Locked<T>(real::OwnedMutexGuard<T>) of Mutex<T>: real::MutexGuard<'a, T>;
/// }
/// type Guard<T> = Owned<Mutex<T>, Locked<T>>;
/// ```
macro_rules! owned_kinds {
    ($($kind:ident<$($param:ident),+>($room:ty) of $lock:ty: $guard:ty;)*) => {
        $(
            #[allow(dead_code)] // Used for its size and auto traits only.
            pub(super) struct $kind<$($param: ?Sized),+>($room);

            #[allow(unsafe_code)] // SAFETY: see above, and `is_covariant`.
            unsafe impl<'a, $($param: ?Sized),+> $crate::wrap::Kind<'a, $lock> for $kind<$($param),+> {
                type Guard = $guard;
            }

            impl<$($param: ?Sized),+> $kind<$($param),+> {
                #[allow(dead_code, single_use_lifetimes)] // Only has to compile.
                fn is_covariant<'short, 'long: 'short>(
                    guard: <Self as $crate::wrap::Kind<'long, $lock>>::Guard,
                ) -> <Self as $crate::wrap::Kind<'short, $lock>>::Guard {
                    guard
                }
            }
        )*
    };
}

pub(crate) use {owned_kinds, owned_wait};
