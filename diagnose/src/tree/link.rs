//! A pointer to something that lives for ever, published once by one thread and followed by any.
//!
//! Unsafe is kept in this file: an atomic pointer cannot be followed without it, and it is what lets a reader walk a
//! tree that is being appended to without a lock.

#![allow(unsafe_code)]

use crate::sync::{AtomicPtr, Ordering};

/// An optional `&'static T` that can be set and read at the same time.
#[derive(Debug)]
pub(crate) struct Link<T: 'static>(AtomicPtr<T>);

impl<T> Link<T> {
    pub(crate) fn new(target: Option<&'static T>) -> Self {
        Self(AtomicPtr::new(as_pointer(target)))
    }

    /// Follows the link.
    #[inline]
    pub(crate) fn get(&self) -> Option<&'static T> {
        // Acquire pairs with the Release of `set`: whoever sees the pointer sees the finished target.
        let pointer = self.0.load(Ordering::Acquire);
        // SAFETY: the pointer is null or was made from a `&'static T` in `as_pointer`.
        unsafe { pointer.as_ref() }
    }

    /// Publishes a new target.
    pub(crate) fn set(&self, target: &'static T) {
        self.put(Some(target));
    }

    /// Publishes another target, or none.
    pub(crate) fn put(&self, target: Option<&'static T>) {
        // Release pairs with the Acquire of `get`.
        self.0.store(as_pointer(target), Ordering::Release);
    }
}

fn as_pointer<T>(target: Option<&'static T>) -> *mut T {
    target.map_or(std::ptr::null_mut(), |target| std::ptr::from_ref(target).cast_mut())
}
