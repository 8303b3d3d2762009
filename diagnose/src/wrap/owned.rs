//! A guard beside the `Arc` it borrows from: what the owned guards of all families are made of.
//!
//! An original's owned guard keeps an `Arc` of the original lock. A wrapper has that lock as a
//! field, beside its record, so there is an `Arc` of the wrapper only. What is left is the guard
//! that borrows, kept next to the `Arc`. No safe type can say this, so the `unsafe` for it is in
//! this file and nowhere else.
//!
//! ```text
//! Owned ─┬ guard   borrows from …
//!        └ owner   … this `Arc`, which is dropped after it and never changes
//! ```
//!
//! Why it is sound:
//!
//! - An `Arc` does not move what it points to, and this one outlives the guard, also while a closure unwinds.
//! - A guard borrows from the owner and from nothing else, as it comes from a closure that works for any lifetime, or
//!   from a future that [`owned_wait`] makes of the owner.
//! - A guard is handed out by reference, under a shorter lifetime than its own. [`owned_kinds`] has the compiler check that
//!   guards are covariant.
//! - `Owned` is `Send` and `Sync` where the original's own owned guard is, which keeps an `Arc` of its lock too. The other
//!   auto traits and the variance are those of that guard as well.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr;
use std::sync::Arc;

/// A kind of guard, of any lifetime, that borrows from an `L`. Made by [`owned_kinds`].
///
/// `Bound` says that the type parameters outlive `'a`.
///
/// # Safety
/// The guard is covariant in `'a`. `Self` is `Send` only if an `Arc<L>` and such a guard may be
/// sent and dropped elsewhere, and `Sync` only if the guard is.
pub(crate) unsafe trait Kind<'a, L: ?Sized, Bound = (&'a L, &'a Self)> {
    type Guard;
}

/// A guard that keeps what it borrows from. It has the size of a `K` and of an `Arc`.
// The order is that in which they are dropped.
pub(crate) struct Owned<L: ?Sized, K: for<'a> Kind<'a, L>> {
    room: Room<L, K>,
    owner: Arc<L>,
}

/// A guard without its lifetime, as bytes.
pub(crate) struct Room<L: ?Sized, K: for<'a> Kind<'a, L>> {
    guard: MaybeUninit<K>,
    kind: PhantomData<(K, Arc<L>)>,
}

// SAFETY: `Kind` asks for it.
unsafe impl<L: ?Sized, K: for<'a> Kind<'a, L> + Send> Send for Owned<L, K> {}
// SAFETY: `Kind` asks for it.
unsafe impl<L: ?Sized, K: for<'a> Kind<'a, L> + Sync> Sync for Owned<L, K> {}

impl<L: ?Sized, K: for<'a> Kind<'a, L>> Owned<L, K> {
    /// Keeps the guard that `take` returns, and returns the rest of what it returns.
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

    /// [`new`](Self::new), for what can fail.
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

    /// Keeps the guard in `room`, which borrows from `owner`.
    ///
    /// # Safety
    /// It does.
    #[inline]
    pub(crate) unsafe fn keep(room: Room<L, K>, owner: Arc<L>) -> Self {
        Self { room, owner }
    }

    /// Keeps `guard`, which borrows from `owner`.
    #[inline]
    fn with<'a>(owner: Arc<L>, guard: <K as Kind<'a, L>>::Guard) -> Self
    where
        L: 'a,
        K: 'a,
    {
        // SAFETY: `owner` is dropped after it.
        Self { room: unsafe { Room::new(guard) }, owner }
    }

    /// What the guard borrows from.
    #[inline]
    pub(crate) fn owner(&self) -> &Arc<L> {
        &self.owner
    }

    /// The guard.
    #[inline]
    pub(crate) fn get(&self) -> &<K as Kind<'_, L>>::Guard {
        // SAFETY: `Room::new` has written it, and it is read out only where `self` ends. It is covariant.
        unsafe { &*self.room.guard.as_ptr().cast() }
    }

    /// The guard. It must not be replaced by the guard of another owner.
    #[inline]
    pub(crate) fn get_mut(&mut self) -> &mut <K as Kind<'_, L>>::Guard {
        // SAFETY: as in `get`.
        unsafe { &mut *self.room.guard.as_mut_ptr().cast() }
    }

    /// Makes a guard of another kind of this one.
    ///
    /// # Errors
    /// Returns this guard if `turn` gives it back.
    #[inline]
    pub(crate) fn try_turn<G: for<'a> Kind<'a, L>>(
        self,
        turn: impl for<'a> FnOnce(
            <K as Kind<'a, L>>::Guard,
            &'a L,
        ) -> Result<<G as Kind<'a, L>>::Guard, <K as Kind<'a, L>>::Guard>,
    ) -> Result<Owned<L, G>, Self> {
        // If `turn` unwinds, the guard is gone before `owner`.
        let Self { room, owner } = self;
        let room = ManuallyDrop::new(room);
        // SAFETY: as in `get`, and it is read out once: `room` is not used again.
        let guard = unsafe { ptr::read(room.guard.as_ptr().cast()) };
        // SAFETY: as in `try_new`.
        let lent: &L = unsafe { &*Arc::as_ptr(&owner) };
        match turn(guard, lent) {
            Ok(guard) => Ok(Owned::with(owner, guard)),
            Err(guard) => Err(Self::with(owner, guard)),
        }
    }

    /// Makes a guard of another kind of this one, which cannot fail.
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
    /// Makes room for `guard`.
    ///
    /// # Safety
    /// What it borrows from is dropped after the room.
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
        // SAFETY: it fits, as was just asserted.
        unsafe { ptr::write(bytes.as_mut_ptr().cast(), guard) };
        Self { guard: bytes, kind: PhantomData }
    }
}

impl<L: ?Sized, K: for<'a> Kind<'a, L>> Drop for Room<L, K> {
    #[inline]
    fn drop(&mut self) {
        let guard: *mut <K as Kind<'_, L>>::Guard = self.guard.as_mut_ptr().cast();
        // SAFETY: `new` has written it, and it is not looked at again. What it borrows from is still there.
        unsafe { ptr::drop_in_place(guard) };
    }
}

/// Room for a guard of a few words, `Send` and `Sync` where a `P` is: a reference and a wide
/// pointer, with one word to spare.
#[allow(dead_code)] // It only has a size.
pub(crate) struct Words<P: ?Sized>([usize; 4], PhantomData<P>);

impl<P: ?Sized> Unpin for Words<P> {}

/// The future of an owned guard that has to be waited for.
///
/// `$keep` makes what the awaited future returns, of a guard that borrows from `$it`, and its holding. It is a macro, and no
/// function, so that the guard is put in its place where the future that borrows is awaited: to return it from another
/// future costs as much as its record.
///
/// ```text
/// owned_wait!(self, OwnedMutexGuard of Locked<T>, |it, keep| Acquire::new(it.mutex.lock(), it.args(at, true), keep))
/// ```
macro_rules! owned_wait {
    ($owner:expr, $guard:ident of $kind:ty, |$it:ident, $keep:ident| $future:expr) => {
        async move {
            let owner = $owner;
            let $it = &*owner;
            #[allow(unsafe_code)]
            // SAFETY: `owner` is dropped after all that is in this block.
            let $keep = |guard, holding| (unsafe { $crate::wrap::Room::<_, $kind>::new(guard) }, holding);
            let (room, holding) = $future.await;
            #[allow(unsafe_code)]
            // SAFETY: it borrows from `$it`.
            let guard = unsafe { $crate::wrap::Owned::keep(room, owner) };
            $guard::new(holding, guard)
        }
    };
}

/// Declares kinds of guards for [`Owned`]: a name, a type for room and auto traits, the lock, and
/// the guard.
///
/// The second is the original's own owned guard, or [`Words`] of a type with the same auto traits.
/// A kind that differs from the original's in them is unsound, and nothing but this sentence says
/// so: the rest is checked by the compiler. Parameters are `?Sized`, and the guard is written with
/// `'a`.
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
            #[allow(dead_code)] // It only has a size and auto traits.
            pub(super) struct $kind<$($param: ?Sized),+>($room);

            #[allow(unsafe_code)] // SAFETY: see above, and `is_covariant`.
            unsafe impl<'a, $($param: ?Sized),+> $crate::wrap::Kind<'a, $lock> for $kind<$($param),+> {
                type Guard = $guard;
            }

            impl<$($param: ?Sized),+> $kind<$($param),+> {
                #[allow(dead_code, single_use_lifetimes)] // It only has to compile.
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
