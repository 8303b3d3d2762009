//! The atomics of the tree: the standard library's, or loom's in the model checker's build.

#[cfg(not(diagnose_loom))]
pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering, fence};

#[cfg(diagnose_loom)]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU64, Ordering, fence};

/// Adds to a counter that only the calling thread writes: a load and a store, no read-modify-write.
#[inline(always)]
pub(crate) fn add(counter: &AtomicU64, amount: u64) {
    let value = counter.load(Ordering::Relaxed).wrapping_add(amount);
    counter.store(value, Ordering::Relaxed);
}

/// Subtracts from a counter that only the calling thread writes.
#[inline(always)]
pub(crate) fn sub(counter: &AtomicU64, amount: u64) {
    add(counter, amount.wrapping_neg());
}
