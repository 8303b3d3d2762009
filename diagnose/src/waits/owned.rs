//! A guard, and the `Arc` that it borrows from: what the guards are made of that keep their lock.
//!
//! Such a guard of an original keeps an `Arc` of the original lock. A wrapper has the lock and its record in one value,
//! so that it is `const`, may be unsized and gives `&mut` access, as the original does: of that there is an `Arc`, and
//! none of the lock. What is left is the guard that borrows, kept beside the `Arc`. No safe type can say this.
//!
//! Unsafe is kept in this file. Why it is sound: the `Arc` is there for longer than the guard, which is dropped first,
//! whether by drop or by unwinding; what an `Arc` points to does not move; and the guard is handed out only by reference, with
//! a lifetime that ends before that.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr;
use std::sync::Arc;

/// Room for any guard: a reference and a wide pointer, with one word to spare.
const WORDS: usize = 4;

/// A kind of guard, of any lifetime, that borrows from an `L`.
///
/// `Bound` says that `L` outlives `'a`.
///
/// # Safety
/// The guard is covariant in `'a`. This type itself is `Send` only if an `Arc<L>` and such a guard may both be sent and
/// dropped elsewhere, and `Sync` only if the guard is.
pub(crate) unsafe trait Lends<'a, L: ?Sized, Bound = &'a L> {
    type Guard;
}

/// A guard that keeps what it borrows from.
pub(crate) struct Owned<L: ?Sized, F: for<'a> Lends<'a, L>> {
    /// A guard, as bytes: its lifetime has no name.
    guard: MaybeUninit<[usize; WORDS]>,
    owner: Arc<L>,
    kind: PhantomData<F>,
}

// SAFETY: that is what an `F` stands for, see `Lends`.
unsafe impl<L: ?Sized, F: for<'a> Lends<'a, L> + Send> Send for Owned<L, F> {}
// SAFETY: the same.
unsafe impl<L: ?Sized, F: for<'a> Lends<'a, L> + Sync> Sync for Owned<L, F> {}

impl<L: ?Sized, F: for<'a> Lends<'a, L>> Unpin for Owned<L, F> {}

impl<L: ?Sized, F: for<'a> Lends<'a, L>> Owned<L, F> {
    /// The guard that `take` gets.
    #[inline]
    pub(crate) fn new(owner: Arc<L>, take: impl for<'a> FnOnce(&'a L) -> <F as Lends<'a, L>>::Guard) -> Self {
        // SAFETY: `owner` is dropped after the guard, see the head.
        let lent: &L = unsafe { &*Arc::as_ptr(&owner) };
        Self::with(owner, take(lent))
    }

    /// The guard that `take` gets.
    ///
    /// # Errors
    /// If it gets none, the owner.
    #[inline]
    pub(crate) fn try_new(
        owner: Arc<L>,
        take: impl for<'a> FnOnce(&'a L) -> Option<<F as Lends<'a, L>>::Guard>,
    ) -> Result<Self, Arc<L>> {
        // SAFETY: `owner` is dropped after the guard, see the head.
        let lent: &L = unsafe { &*Arc::as_ptr(&owner) };
        match take(lent) {
            Some(guard) => Ok(Self::with(owner, guard)),
            None => Err(owner),
        }
    }

    /// The guard itself. `'a` is any lifetime for which `owner` can be borrowed.
    #[inline]
    fn with<'a>(owner: Arc<L>, guard: <F as Lends<'a, L>>::Guard) -> Self
    where
        L: 'a,
    {
        const {
            assert!(size_of::<<F as Lends<'a, L>>::Guard>() <= size_of::<[usize; WORDS]>());
            assert!(align_of::<<F as Lends<'a, L>>::Guard>() <= align_of::<[usize; WORDS]>());
        }
        let mut bytes = MaybeUninit::<[usize; WORDS]>::uninit();
        // SAFETY: there is room for it, see above.
        unsafe { ptr::write(bytes.as_mut_ptr().cast(), guard) };
        Self { guard: bytes, owner, kind: PhantomData }
    }

    /// What it borrows from.
    #[inline]
    pub(crate) fn owner(&self) -> &Arc<L> {
        &self.owner
    }

    /// The guard.
    #[inline]
    pub(crate) fn get(&self) -> &<F as Lends<'_, L>>::Guard {
        // SAFETY: it was written in `with` and is read out only where `self` ends. It is covariant.
        unsafe { &*self.guard.as_ptr().cast() }
    }

    /// The guard. It must not be exchanged for that of another owner: look through it only.
    #[inline]
    pub(crate) fn get_mut(&mut self) -> &mut <F as Lends<'_, L>>::Guard {
        // SAFETY: as in `get`.
        unsafe { &mut *self.guard.as_mut_ptr().cast() }
    }

    /// The guard becomes one of another kind, or stays. `turn` is also given what it borrows from.
    ///
    /// # Errors
    /// If it stays, the guard.
    #[inline]
    pub(crate) fn turn<G: for<'a> Lends<'a, L>>(
        self,
        turn: impl for<'a> FnOnce(
            &'a L,
            <F as Lends<'a, L>>::Guard,
        ) -> Result<<G as Lends<'a, L>>::Guard, <F as Lends<'a, L>>::Guard>,
    ) -> Result<Owned<L, G>, Self> {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used after the two reads. If `turn` unwinds, the guard is gone before `owner`.
        let owner = unsafe { ptr::read(&raw const this.owner) };
        // SAFETY: as in `get`, and it is read out once.
        let guard = unsafe { ptr::read(this.guard.as_ptr().cast()) };
        // SAFETY: as in `try_new`.
        let lent: &L = unsafe { &*Arc::as_ptr(&owner) };
        match turn(lent, guard) {
            Ok(guard) => Ok(Owned::with(owner, guard)),
            Err(guard) => Err(Self::with(owner, guard)),
        }
    }
}

impl<L: ?Sized, F: for<'a> Lends<'a, L>> Drop for Owned<L, F> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: it is there, and not looked at again. The owner is dropped after this, as a field.
        unsafe { ptr::drop_in_place(self.get_mut()) };
    }
}

/// Kinds of guards. Each use is unsafe: a guard holds a reference to the lock, and is covariant in its lifetime; and the
/// original that keeps its lock is `Send` and `Sync` where `$like` is.
macro_rules! lends {
    ($($kind:ident($like:ident) of $lock:ident: $guard:ty;)*) => {
        $(
            pub(super) struct $kind<T: ?Sized>(::std::marker::PhantomData<$like<T>>);

            // SAFETY: as is said where this is used.
            unsafe impl<'a, T: ?Sized> $crate::waits::Lends<'a, $lock<T>> for $kind<T> {
                type Guard = $guard;
            }
        )*
    };
}

pub(crate) use lends;
