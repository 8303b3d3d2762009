//! The synchronization types of the recorder: atomics and locks.
//!
//! Atomics are loom's in the model checker's build. Locks guard cold tables only. They are
//! `parking_lot`'s: const and without poisoning. Unlike the standard library's, they are compiled
//! here, so the thread sanitizer sees what they order.

pub(crate) use once_cell::sync::OnceCell;
pub(crate) use parking_lot::{Mutex, MutexGuard, RwLock};

/// The mutex of `parking_lot`. In the model checker's build that of loom, which tries every order
/// of lock holders.
#[cfg(not(diagnose_loom))]
pub(crate) use parking_lot::Mutex as SeenMutex;

#[cfg(diagnose_loom)]
#[derive(Debug)]
pub(crate) struct SeenMutex<T>(loom::sync::Mutex<T>);

#[cfg(diagnose_loom)]
impl<T> SeenMutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
        self.0.lock().expect("a model ends with its first panic")
    }
}

#[cfg(not(diagnose_loom))]
pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

#[cfg(diagnose_loom)]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

/// Adds to a counter that only the calling thread writes: a load and a store, no read-modify-write.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn add(counter: &AtomicU64, amount: u64) {
    let value = counter.load(Ordering::Relaxed).wrapping_add(amount);
    counter.store(value, Ordering::Relaxed);
}

/// Adds to a counter of std, which loom does not check, and which only the calling thread writes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn add_relaxed(counter: &std::sync::atomic::AtomicU64, amount: u64) {
    let value = counter.load(std::sync::atomic::Ordering::Relaxed).wrapping_add(amount);
    counter.store(value, std::sync::atomic::Ordering::Relaxed);
}

/// Subtracts from a counter that only the calling thread writes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn sub(counter: &AtomicU64, amount: u64) {
    add(counter, amount.wrapping_neg());
}

/// A cell whose accesses the model checker sees.
#[cfg(not(diagnose_loom))]
#[derive(Debug, Default)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(diagnose_loom)]
pub(crate) use loom::cell::UnsafeCell;

#[cfg(not(diagnose_loom))]
impl<T> UnsafeCell<T> {
    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}

/// Waits for a thread that is inside a few instructions.
#[cold]
pub(crate) fn spin(attempt: u32) {
    #[cfg(diagnose_loom)]
    {
        let _ = attempt;
        loom::thread::yield_now();
    }
    #[cfg(not(diagnose_loom))]
    if attempt % 64 < 63 {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}
