//! What a waker of this crate hands wakes on to: the executor's waker, which is kept for as long as somebody keeps a clone of ours.
//!
//! ```text
//! poll             ├─ borrowed ─┤                        the executor's waker is used in place, and not cloned
//! clones             0 ── keep ──▶ 1 ▶ 2 ── wake ──▶ 0   the first clone of ours makes one of it, the last takes that along
//! ```
//! All is in one word: the clones of ours, who is copying the executor's waker right now, and whether that is being put in or
//! taken out. Changes of the count from zero and to zero hold `LOCKED` for the few instructions that move two words; nobody's code
//! runs meanwhile, and whoever has a clone never meets it, but when a poll brings another executor's waker along.
//!
//! Unsafe is kept in this file: what is in the cell is moved by whoever has set `LOCKED`, and copied by whoever is counted
//! as `COPYING`, and the compiler cannot see that.

#![allow(unsafe_code)]

use std::task::Waker;

use crate::sync::{AtomicPtr, AtomicU64, AtomicUsize, Ordering, UnsafeCell, spin};

/// See the head of this file.
#[derive(Debug)]
pub(crate) struct Forward {
    /// Clones of ours in the lower half; above them [`LOCKED`], [`DONE`] and how many are [`COPYING`].
    state: AtomicU64,
    /// There while there are clones, unless it was taken out because wakes lead nowhere any more.
    kept: UnsafeCell<Option<Waker>>,
    /// The two words of the one that was kept last, so that the next poll can tell whether it is given another one.
    address: [AtomicUsize; 2],
    /// The executor's waker of the running poll; null outside of polls.
    borrowed: AtomicPtr<Waker>,
}

// SAFETY: `kept` is accessed as the head of this file says, and a waker may be used by any thread.
unsafe impl Sync for Forward {}

const CLONES: u64 = (1 << 32) - 1;
const LOCKED: u64 = 1 << 32;
/// What it is the waker of is over.
const DONE: u64 = 1 << 33;
const COPYING: u64 = 1 << 34;
const MAX_CLONES: u64 = 1 << 30;

fn address_of(waker: &Waker) -> [usize; 2] {
    [waker.data().addr(), std::ptr::from_ref(waker.vtable()).addr()]
}

/// What became of a clone of ours.
#[derive(Debug)]
pub(crate) struct Released {
    /// The executor's waker.
    pub(crate) outer: Option<Waker>,
    /// Whether there are no more clones, and what it was the waker of is over.
    pub(crate) is_free: bool,
}

impl Forward {
    pub(crate) fn new() -> Self {
        Self {
            state: AtomicU64::new(0),
            kept: UnsafeCell::new(None),
            address: [AtomicUsize::new(0), AtomicUsize::new(0)],
            borrowed: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// How many clones there are.
    pub(crate) fn clones(&self) -> u32 {
        // Acquire pairs with the Release of whoever gave a clone up: that it is gone brings the wake that it was used for.
        (self.state.load(Ordering::Acquire) & CLONES) as u32
    }

    /// It becomes the waker of something new. There are no clones.
    pub(crate) fn begin(&self) {
        self.state.store(0, Ordering::Relaxed);
    }

    /// Whether there are no clones, and it is not over.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_unused(&self) -> bool {
        // Relaxed: only the poll that lends its waker makes the first clone.
        self.state.load(Ordering::Relaxed) == 0
    }

    /// What it is the waker of is over. Returns whether there are no clones.
    pub(crate) fn end(&self) -> bool {
        // Nobody has a clone, and nobody makes one: the poll that lends its waker is over.
        if self.state.load(Ordering::Relaxed) == 0 {
            return true;
        }
        for attempt in 0.. {
            let state = self.state.load(Ordering::Relaxed);
            if state & LOCKED != 0 {
                spin(attempt);
            // AcqRel pairs with that of the last clone, in `release_last`: the second of the two sees what the first has done.
            } else if self.change(state, state | DONE, Ordering::AcqRel) {
                return state & CLONES == 0;
            }
        }
        false
    }

    /// A poll begins, which is given `outer`, and lends it out for longer than this is used through the poll's own waker.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn borrow(&self, outer: &Waker) {
        self.borrowed.store(std::ptr::from_ref(outer).cast_mut(), Ordering::Relaxed);
        if self.state.load(Ordering::Relaxed) & CLONES != 0
            && self.address.each_ref().map(|part| part.load(Ordering::Relaxed)) != address_of(outer)
        {
            self.replace(Some(outer));
        }
    }

    /// That poll is over.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn give_back(&self) {
        self.borrowed.store(std::ptr::null_mut(), Ordering::Relaxed);
    }

    /// The executor's waker of the running poll.
    ///
    /// # Safety
    /// The caller uses the waker of the running poll.
    pub(crate) unsafe fn borrowed(&self) -> Option<&Waker> {
        // Relaxed: whoever has the waker of the poll comes after what its thread did before.
        let borrowed = self.borrowed.load(Ordering::Relaxed);
        // SAFETY: it is null, or what the poll has borrowed for longer than it lends out its own waker.
        unsafe { borrowed.as_ref() }
    }

    /// Another clone of ours. `outer` makes one of the executor's waker, for the first: there is a poll that has borrowed it.
    pub(crate) fn keep(&self, mut outer: impl FnMut() -> Option<Waker>) {
        let mut first = None;
        for attempt in 0.. {
            let state = self.state.load(Ordering::Relaxed);
            let clones = state & CLONES;
            if state & LOCKED != 0 {
                spin(attempt);
            } else if clones >= MAX_CLONES {
                // As `Arc` does: they are forgotten in a loop, and the count must not begin anew.
                std::process::abort();
            } else if clones != 0 {
                // Relaxed: the caller has one, which keeps what is kept.
                if self.change(state, state + 1, Ordering::Relaxed) {
                    break;
                }
            } else if first.is_none() {
                // Wakers are other people's code: nothing is locked when they are made or dropped.
                first = Some(outer());
            // Acquire pairs with the Release of `unlock`, and of a copy that is made: nobody else is at the cell.
            } else if self.change(state, state | LOCKED, Ordering::Acquire) {
                let kept = first.take().flatten();
                if let Some(kept) = &kept {
                    self.set_address(kept);
                }
                self.swap(kept);
                self.unlock(state + 1);
                break;
            }
        }
        drop(first);
    }

    /// A clone of ours is gone. The last takes the executor's waker along.
    pub(crate) fn release(&self) -> Released {
        for attempt in 0.. {
            let state = self.state.load(Ordering::Relaxed);
            if state & CLONES == 1 {
                if let Some(released) = self.release_last() {
                    return released;
                }
            } else if state & LOCKED != 0 {
                spin(attempt);
            // Release pairs with the Acquire of `clones`, and of whoever is the last.
            } else if self.change(state, state - 1, Ordering::Release) {
                break;
            }
        }
        Released { outer: None, is_free: false }
    }

    /// The same for one that is used for a wake: gives the executor's waker in any case.
    pub(crate) fn release_to_wake(&self) -> Released {
        if let Some(released) = self.release_last() {
            return released;
        }
        // Made before the clone goes: afterwards another could be the last, and take it along.
        let copy = self.copy();
        let released = self.release();
        Released { outer: copy.or(released.outer), is_free: released.is_free }
    }

    /// The last clone of ours is gone. `None` if it is not the last, and nothing has changed.
    fn release_last(&self) -> Option<Released> {
        for attempt in 0.. {
            let state = self.state.load(Ordering::Relaxed);
            if state & CLONES != 1 {
                return None;
            } else if state & !(CLONES | DONE) != 0 {
                spin(attempt);
            // Acquire pairs with the Release of `release`: this comes after all that was done with the other clones. AcqRel pairs with
            // that of `end`.
            } else if self.change(state, state | LOCKED, Ordering::AcqRel) {
                let outer = self.swap(None);
                self.unlock(state - 1);
                return Some(Released { outer, is_free: state & DONE != 0 });
            }
        }
        None
    }

    /// A clone of the executor's waker, if there are clones of ours. The caller uses one, or the waker of the running poll.
    pub(crate) fn copy(&self) -> Option<Waker> {
        for attempt in 0.. {
            let state = self.state.load(Ordering::Relaxed);
            if state & LOCKED != 0 {
                spin(attempt);
            } else if state & CLONES == 0 {
                return None;
            // Acquire pairs with the Release of `unlock`: what was put in is there.
            } else if self.change(state, state + COPYING, Ordering::Acquire) {
                // SAFETY: nobody locks it while somebody is copying.
                let copy = self.kept.with(|kept| unsafe { (*kept).clone() });
                // Release pairs with the Acquire of whoever locks it: the copy is made.
                self.state.fetch_sub(COPYING, Ordering::Release);
                return copy;
            }
        }
        None
    }

    /// Wakes go there from now on, or nowhere.
    #[cold]
    pub(crate) fn replace(&self, outer: Option<&Waker>) {
        let mut outer = outer.cloned();
        for attempt in 0.. {
            let state = self.state.load(Ordering::Relaxed);
            if state & CLONES == 0 {
                break;
            } else if state & !(CLONES | DONE) != 0 {
                spin(attempt);
            // Acquire pairs with the Release of `unlock`, and of a copy that is made: nobody else is at the cell.
            } else if self.change(state, state | LOCKED, Ordering::Acquire) {
                if let Some(outer) = &outer {
                    self.set_address(outer);
                }
                outer = self.swap(outer);
                self.unlock(state);
                break;
            }
        }
        drop(outer);
    }

    fn change(&self, from: u64, to: u64, ordering: Ordering) -> bool {
        self.state.compare_exchange_weak(from, to, ordering, Ordering::Relaxed).is_ok()
    }

    /// Puts another waker in, or none. The caller has locked it.
    fn swap(&self, waker: Option<Waker>) -> Option<Waker> {
        // SAFETY: the caller has locked it while nobody was copying, and only one can.
        self.kept.with_mut(|kept| unsafe { std::mem::replace(&mut *kept, waker) })
    }

    /// Unlocks it. Nobody changes what is locked.
    fn unlock(&self, state: u64) {
        // Release pairs with the Acquire of whoever locks it next, or copies what is in it, and with that of `clones`.
        self.state.store(state, Ordering::Release);
    }

    fn set_address(&self, waker: &Waker) {
        for (part, address) in self.address.iter().zip(address_of(waker)) {
            part.store(address, Ordering::Relaxed);
        }
    }
}
