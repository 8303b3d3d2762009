//! A pointer to a value that lives forever, published by one thread, followed by any.
//!
//! Unsafe is kept in this file: following an atomic pointer needs it. With it, a reader can walk a
//! tree without a lock while nodes are appended.

#![allow(unsafe_code)]

use std::marker::PhantomData;

use crate::sync::{AtomicPtr, Ordering};

/// An optional `&'static T` that can be set and read concurrently.
///
/// An `AtomicPtr<T>` is `Send` and `Sync` for every `T`. The marker makes a link only as shareable
/// as the reference in it: `Sync` for `T: Sync`, since any thread may follow it.
#[derive(Debug)]
pub(crate) struct Link<T: 'static> {
    target: AtomicPtr<T>,
    shares: PhantomData<&'static T>,
}

impl<T> Default for Link<T> {
    fn default() -> Self {
        Self::new(None)
    }
}

impl<T> Link<T> {
    pub(crate) fn new(target: Option<&'static T>) -> Self {
        Self { target: AtomicPtr::new(as_pointer(target)), shares: PhantomData }
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&'static T> {
        // Acquire pairs with the Release of `put`: a thread that sees the pointer sees the finished
        // target.
        let pointer = self.target.load(Ordering::Acquire);
        // SAFETY: the pointer is null or was made from a `&'static T` in `as_pointer`.
        unsafe { pointer.as_ref() }
    }

    pub(crate) fn set(&self, target: &'static T) {
        self.put(Some(target));
    }

    /// Publishes a new target, or none.
    pub(crate) fn put(&self, target: Option<&'static T>) {
        // Release pairs with the Acquire of `get`.
        self.target.store(as_pointer(target), Ordering::Release);
    }
}

fn as_pointer<T>(target: Option<&'static T>) -> *mut T {
    target.map_or(std::ptr::null_mut(), |target| std::ptr::from_ref(target).cast_mut())
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use std::cell::Cell;

    use super::Link;

    /// A `Sync` type has two implementations, which makes the call ambiguous; any other type has
    /// one.
    trait IsNotSync<Which> {
        fn is_not_sync() {}
    }

    impl<T: ?Sized> IsNotSync<()> for T {}
    impl<T: ?Sized + Sync> IsNotSync<u8> for T {}

    #[test]
    fn a_link_is_sync_only_if_its_target_is() {
        const fn is_sync<T: Sync>() {}
        is_sync::<Link<u64>>();
        <Link<Cell<u64>> as IsNotSync<_>>::is_not_sync();
    }
}
