//! The executor's waker that a waker of this crate forwards wakes to.
//!
//! A clone of the executor's waker is stored while there are clones of ours:
//! ```text
//! poll     ├─ borrowed ─┤                        the executor's waker is used in place
//! clones     0 ─ clone ──▶ 1 ▶ 2 ── wake ──▶ 0   our first clone clones it, our last takes that
//! ```
//! One word holds the whole state: the count of our clones, the number of threads that are copying
//! the executor's waker, and whether it is being put in or taken out. Changes of the count from and
//! to zero hold `LOCKED` for the few instructions that move two words. No user code runs meanwhile.
//! The owner of a clone finds it locked only if a poll brings another executor's waker.
//!
//! Unsafe code is in this file. A thread that has set `LOCKED` moves the content of the cell, and a
//! thread counted as `COPYING` copies it. The compiler cannot see that.

#![allow(unsafe_code)]

use std::task::Waker;

use crate::sync::{AtomicPtr, AtomicU64, AtomicUsize, Ordering, UnsafeCell, spin};

/// See the module documentation.
#[derive(Debug, Default)]
pub(crate) struct Forward {
    /// The count of our clones in the lower half; above it [`LOCKED`], [`DONE`] and the count of
    /// [`COPYING`].
    state: AtomicU64,
    /// The executor's waker, while there are clones.
    stored: UnsafeCell<Option<Waker>>,
    /// The two words of the waker stored last, so that the next poll can check whether its own
    /// waker differs.
    address: [AtomicUsize; 2],
    /// The executor's waker of the running poll; null outside of polls.
    borrowed: AtomicPtr<Waker>,
}

// SAFETY: `stored` is accessed as the module documentation says, and a waker may be used by any
// thread.
unsafe impl Sync for Forward {}

const CLONES: u64 = (1 << 32) - 1;
const LOCKED: u64 = 1 << 32;
/// The task or wait is over.
const DONE: u64 = 1 << 33;
const COPYING: u64 = 1 << 34;
const MAX_CLONES: u64 = 1 << 30;

fn address_of(waker: &Waker) -> [usize; 2] {
    [waker.data().addr(), std::ptr::from_ref(waker.vtable()).addr()]
}

/// The result of releasing a clone of ours.
#[derive(Debug)]
pub(crate) struct Released {
    /// The executor's waker.
    pub(crate) outer: Option<Waker>,
    /// Whether there are no more clones, and the task or wait is over.
    pub(crate) is_free: bool,
}

impl Forward {
    /// The addresses of the data and of the vtable of the executor's waker stored last; 0 before
    /// any.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn address(&self) -> [usize; 2] {
        self.address.each_ref().map(|part| part.load(Ordering::Relaxed))
    }

    /// The number of clones.
    pub(crate) fn clones(&self) -> u32 {
        // Acquire pairs with the Release of the thread that releases a clone: with the clone's end,
        // the wake that used it is visible.
        (self.state.load(Ordering::Acquire) & CLONES) as u32
    }

    /// Resets the state for another task or wait. There must be no clones.
    pub(crate) fn begin(&self) {
        self.state.store(0, Ordering::Relaxed);
    }

    /// Returns whether there are no clones, and the task or wait is not over.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_unused(&self) -> bool {
        // Only the poll that lends its waker makes the first clone. Acquire pairs with the Release
        // of the thread that released the last one: the wake that used it is visible.
        self.state.load(Ordering::Acquire) == 0
    }

    /// Ends the task or wait. Returns whether there are no clones.
    pub(crate) fn end(&self) -> bool {
        // No thread has a clone or makes one: the poll that lends its waker is over.
        // Acquire pairs with the Release of `unlock`: the last clone has taken the waker before.
        if self.state.load(Ordering::Acquire) == 0 {
            return true;
        }
        for attempt in 0.. {
            let state = self.state.load(Ordering::Relaxed);
            if state & LOCKED != 0 {
                spin(attempt);
            // AcqRel pairs with that of the last clone, in `release_last`: the second of the two
            // sees the changes of the first.
            } else if self.change(state, state | DONE, Ordering::AcqRel) {
                return state & CLONES == 0;
            }
        }
        false
    }

    /// Starts a poll with the waker `outer`, which outlives every use through the poll's own waker.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn borrow(&self, outer: &Waker) {
        self.lend(outer);
        if self.stores_other(outer) {
            self.replace(outer);
        }
    }

    /// Returns whether there are clones, and they forward wakes to another waker than `outer`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn stores_other(&self, outer: &Waker) -> bool {
        self.state.load(Ordering::Relaxed) & CLONES != 0 && self.address() != address_of(outer)
    }

    /// Starts a poll with the waker `outer`, which the clones use too, if there are any.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn lend(&self, outer: &Waker) {
        self.borrowed.store(std::ptr::from_ref(outer).cast_mut(), Ordering::Relaxed);
    }

    /// Ends the poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn give_back(&self) {
        self.borrowed.store(std::ptr::null_mut(), Ordering::Relaxed);
    }

    /// The executor's waker of the running poll.
    ///
    /// # Safety
    /// The caller uses the waker of the running poll.
    pub(crate) unsafe fn borrowed(&self) -> Option<&Waker> {
        // Relaxed: each use of the poll's waker comes after the store of this pointer by the
        // polling thread.
        let borrowed = self.borrowed.load(Ordering::Relaxed);
        // SAFETY: it is null, or points to the waker that the poll has borrowed for longer than it
        // lends out its own waker.
        unsafe { borrowed.as_ref() }
    }

    /// Counts another clone of ours. For the first one, `outer` clones the executor's waker, which
    /// a poll has borrowed.
    #[inline]
    pub(crate) fn add_clone(&self, mut outer: impl FnMut() -> Option<Waker>) {
        let mut first = None;
        for attempt in 0.. {
            let state = self.state.load(Ordering::Relaxed);
            let clones = state & CLONES;
            if state & LOCKED != 0 {
                spin(attempt);
            } else if clones >= MAX_CLONES {
                // Aborts as `Arc` does: code that forgets clones in a loop must not make the count
                // wrap.
                std::process::abort();
            } else if clones != 0 {
                // Relaxed: the caller has a clone, which keeps the executor's waker in place.
                if self.change(state, state + 1, Ordering::Relaxed) {
                    break;
                }
            } else if first.is_none() {
                // Nothing is locked while a waker is cloned or dropped, because that runs foreign
                // code.
                first = Some(outer());
            // Acquire pairs with the Release of `unlock`, and of a finished copy: no other thread
            // accesses the cell.
            } else if self.change(state, state | LOCKED, Ordering::Acquire) {
                let waker = first.take().flatten();
                if let Some(waker) = &waker {
                    self.set_address(waker);
                }
                // SAFETY: this thread holds the lock.
                unsafe { self.swap(waker) };
                self.unlock(state + 1);
                break;
            }
        }
        drop(first);
    }

    /// Counts the first clone of ours, and stores `outer`.
    ///
    /// # Safety
    /// No other thread accesses this yet.
    pub(crate) unsafe fn add_first_clone(&self, outer: Option<Waker>) {
        if let Some(outer) = &outer {
            self.set_address(outer);
        }
        // SAFETY: by the contract of this function.
        drop(unsafe { self.swap(outer) });
        // Relaxed: the code that makes this known to other threads releases it.
        self.state.store(1, Ordering::Relaxed);
    }

    /// Releases a clone of ours. The last one takes the executor's waker.
    pub(crate) fn release(&self) -> Released {
        for attempt in 0.. {
            let state = self.state.load(Ordering::Relaxed);
            if state & CLONES == 1 {
                if let Some(released) = self.release_last() {
                    return released;
                }
            } else if state & LOCKED != 0 {
                spin(attempt);
            // Release pairs with the Acquire of `clones`, and of the thread that releases the last
            // clone.
            } else if self.change(state, state - 1, Ordering::Release) {
                break;
            }
        }
        Released { outer: None, is_free: false }
    }

    /// Releases a clone of ours that is used for a wake. Returns the executor's waker in any case.
    pub(crate) fn release_to_wake(&self) -> Released {
        if let Some(released) = self.release_last() {
            return released;
        }
        // Copied before the release: afterwards another clone could be the last, and take the
        // waker.
        let copy = self.copy();
        let released = self.release();
        Released { outer: copy.or(released.outer), is_free: released.is_free }
    }

    /// Releases the last clone of ours. Returns `None`, with nothing changed, if it is not the
    /// last.
    fn release_last(&self) -> Option<Released> {
        for attempt in 0.. {
            let state = self.state.load(Ordering::Relaxed);
            if state & CLONES != 1 {
                return None;
            } else if state & !(CLONES | DONE) != 0 {
                spin(attempt);
            // Acquire pairs with the Release of `release`: this comes after every use of the other
            // clones. AcqRel pairs with that of `end`.
            } else if self.change(state, state | LOCKED, Ordering::AcqRel) {
                // SAFETY: this thread holds the lock.
                let outer = unsafe { self.swap(None) };
                self.unlock(state - 1);
                return Some(Released { outer, is_free: state & DONE != 0 });
            }
        }
        None
    }

    /// A clone of the executor's waker, if there are clones of ours. The caller uses one of them,
    /// or the waker of the running poll.
    pub(crate) fn copy(&self) -> Option<Waker> {
        for attempt in 0.. {
            let state = self.state.load(Ordering::Relaxed);
            if state & LOCKED != 0 {
                spin(attempt);
            } else if state & CLONES == 0 {
                return None;
            // Acquire pairs with the Release of `unlock`: the waker that was put in is visible.
            } else if self.change(state, state + COPYING, Ordering::Acquire) {
                // SAFETY: no thread locks the cell while another is copying.
                let copy = self.stored.with(|stored| unsafe { (*stored).clone() });
                // Release pairs with the Acquire of the thread that locks next: the copy is
                // finished.
                self.state.fetch_sub(COPYING, Ordering::Release);
                return copy;
            }
        }
        None
    }

    /// Forwards wakes to `outer` from now on.
    #[cold]
    pub(crate) fn replace(&self, outer: &Waker) {
        let mut outer = Some(outer.clone());
        for attempt in 0.. {
            let state = self.state.load(Ordering::Relaxed);
            if state & CLONES == 0 {
                break;
            } else if state & !(CLONES | DONE) != 0 {
                spin(attempt);
            // Acquire pairs with the Release of `unlock`, and of a finished copy: no other thread
            // accesses the cell.
            } else if self.change(state, state | LOCKED, Ordering::Acquire) {
                if let Some(outer) = &outer {
                    self.set_address(outer);
                }
                // SAFETY: this thread holds the lock.
                outer = unsafe { self.swap(outer) };
                self.unlock(state);
                break;
            }
        }
        drop(outer);
    }

    fn change(&self, from: u64, to: u64, ordering: Ordering) -> bool {
        self.state.compare_exchange_weak(from, to, ordering, Ordering::Relaxed).is_ok()
    }

    /// Swaps the stored waker.
    ///
    /// # Safety
    /// The caller has locked the cell while no thread was copying, or no other thread accesses it.
    unsafe fn swap(&self, waker: Option<Waker>) -> Option<Waker> {
        // SAFETY: by the contract of this function; only one thread can hold the lock.
        self.stored.with_mut(|stored| unsafe { std::mem::replace(&mut *stored, waker) })
    }

    /// Unlocks. No other thread changes a locked state.
    fn unlock(&self, state: u64) {
        // Release pairs with the Acquire of the thread that next locks or copies, and with that of
        // `clones`.
        self.state.store(state, Ordering::Release);
    }

    fn set_address(&self, waker: &Waker) {
        for (part, address) in self.address.iter().zip(address_of(waker)) {
            part.store(address, Ordering::Relaxed);
        }
    }
}
