//! The wakers that futures are polled with: they record a wake and forward it to the executor's.
//!
//! ```text
//! first poll    lent from the stack ── clone ──▶ promoted to a registered task or wait
//! later polls   that one is lent, and not counted as a clone
//! ```
//! A promoted waker is the address of the task or wait, which counts its clones. So code that
//! stores such a waker sees by `will_wake` that the waker of the next poll is equal. The executor's
//! waker is dropped with the last clone, as it would be without ours in between: some executors
//! drop a task that has no waker left.
//!
//! Unsafe code is here and in [`forward`](super::forward): a waker without an allocation of its own
//! is built from a raw pointer.

#![allow(unsafe_code)]

use std::mem::ManuallyDrop;
use std::ptr;
use std::task::{RawWaker, RawWakerVTable, Waker};

use super::forward::Forward;
use crate::sync::{AtomicPtr, Ordering};

/// The task or wait behind a promoted waker. It is never freed, only reused when it is over and has
/// no clones.
pub(crate) trait Promoted: Sync + 'static {
    fn forward(&self) -> &Forward;
    fn table() -> &'static RawWakerVTable;
    /// Records a wake by the calling code. Nothing is locked.
    fn note_wake(&self);
    /// If the caller is inside a poll of this task or wait, records its wake and returns `true`.
    #[inline]
    fn note_own_wake(&self) -> bool {
        false
    }
    /// Called once the recorded wake is forwarded.
    #[inline]
    fn end_wake() {}
    /// Frees it for reuse: it is over, and no clone is left.
    fn free(&'static self);
}

/// A task or wait that a waker on the stack of a poll is promoted to.
pub(crate) trait Lendable: Promoted {
    /// Takes a new one. Returns `None` if there is no room; then the executor's waker is cloned.
    fn take() -> Option<&'static Self>;
    /// Ends one that was taken in vain, because another thread was faster. Its clone has been
    /// released.
    fn discard(&'static self);
}

/// The state behind a waker on the stack of a poll, which its first clone promotes.
#[derive(Debug)]
pub(crate) struct Lent<T: 'static> {
    outer: AtomicPtr<Waker>,
    promoted: AtomicPtr<T>,
}

impl<T: Promoted> Lent<T> {
    pub(crate) fn new() -> Self {
        Self { outer: AtomicPtr::new(ptr::null_mut()), promoted: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The promoted task or wait, if there is one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn promoted(&self) -> Option<&'static T> {
        // Acquire pairs with the Release of `set`: a thread that sees the pointer sees the fields
        // of its target.
        let promoted = self.promoted.load(Ordering::Acquire);
        // SAFETY: it is null or was made of a `&'static T`, in `set`.
        unsafe { promoted.as_ref() }
    }

    /// Sets the promoted one. Returns `false` if another thread was faster.
    fn set(&self, promoted: &'static T) -> bool {
        let new = ptr::from_ref(promoted).cast_mut();
        // Release pairs with the Acquire of `promoted`. Nothing is read through the old pointer
        // here.
        self.promoted.compare_exchange(ptr::null_mut(), new, Ordering::Release, Ordering::Relaxed).is_ok()
    }

    /// # Safety
    /// The caller is inside the poll for which it was lent, or uses a waker of that poll.
    unsafe fn outer(&self) -> Option<&Waker> {
        // SAFETY: the poll has borrowed it for longer.
        unsafe { self.outer.load(Ordering::Relaxed).as_ref() }
    }
}

/// The waker of a poll: of a `Lent` on the stack, or of a promoted target.
#[derive(Debug)]
pub(crate) struct PollWaker(ManuallyDrop<Waker>);

impl PollWaker {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn get(&self) -> &Waker {
        &self.0
    }

    /// The waker of a poll, on the stack, which forwards wakes to `outer`.
    ///
    /// # Safety
    /// `lent` neither moves nor goes away before the poll is over, and `outer` does not either.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn lend<T: Lendable>(
        lent: &Lent<T>,
        outer: &Waker,
        table: &'static RawWakerVTable,
    ) -> Self {
        lent.outer.store(ptr::from_ref(outer).cast_mut(), Ordering::Relaxed);
        // SAFETY: the functions of the table expect this pointer; the waker is not dropped, and
        // lives as long as the poll.
        Self(ManuallyDrop::new(unsafe { Waker::new(ptr::from_ref(lent).cast(), table) }))
    }

    /// The waker of a later poll. It forwards wakes to the executor's waker that `promoted` has
    /// borrowed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn of<T: Promoted>(promoted: &'static T) -> Self {
        // SAFETY: the functions of the table expect this pointer; the waker is not dropped, and not
        // counted.
        Self(ManuallyDrop::new(unsafe { Waker::new(ptr::from_ref(promoted).cast(), T::table()) }))
    }
}

/// Returns whether `waker` is the promoted waker of `promoted`.
#[inline]
pub(crate) fn is_waker<T: Promoted>(promoted: &'static T, waker: &Waker) -> bool {
    ptr::eq(waker.data(), ptr::from_ref(promoted).cast()) && ptr::eq(waker.vtable(), T::table())
}

/// The table of a promoted waker, for one static per type.
pub(crate) const fn promoted_table<T: Promoted>() -> RawWakerVTable {
    RawWakerVTable::new(clone::<T>, wake::<T>, wake_by_ref::<T>, release::<T>)
}

/// The table of a waker lent from the stack.
pub(crate) const fn lent_table<T: Lendable>() -> RawWakerVTable {
    RawWakerVTable::new(clone_lent::<T>, wake_lent::<T>, wake_lent::<T>, |_| ())
}

/// # Safety
/// The pointer is that of a `&'static T`.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn promoted<T>(data: *const ()) -> &'static T {
    // SAFETY: by the contract of this function.
    unsafe { &*data.cast::<T>() }
}

unsafe fn clone<T: Promoted>(data: *const ()) -> RawWaker {
    // SAFETY: only wakers of `T` get this table, in `PollWaker::of`, here and in `clone_lent`.
    let promoted = unsafe { promoted::<T>(data) };
    // SAFETY: without clones, this is called through the waker of the running poll.
    promoted.forward().add_clone(|| unsafe { promoted.forward().borrowed() }.cloned());
    RawWaker::new(data, T::table())
}

unsafe fn wake<T: Promoted>(data: *const ()) {
    // SAFETY: as in `clone`.
    let promoted = unsafe { promoted::<T>(data) };
    promoted.note_wake();
    let released = promoted.forward().release_to_wake();
    if released.is_free {
        promoted.free();
    }
    if let Some(outer) = released.outer {
        outer.wake();
    }
    T::end_wake();
}

unsafe fn wake_by_ref<T: Promoted>(data: *const ()) {
    // SAFETY: as in `clone`.
    let promoted = unsafe { promoted::<T>(data) };
    if promoted.note_own_wake() {
        // SAFETY: this is called inside the poll.
        if let Some(borrowed) = unsafe { promoted.forward().borrowed() } {
            return borrowed.wake_by_ref();
        }
    }
    wake_from_outside(promoted);
}

#[inline(never)]
fn wake_from_outside<T: Promoted>(promoted: &'static T) {
    promoted.note_wake();
    if let Some(outer) = promoted.forward().copy() {
        outer.wake();
    // SAFETY: without clones, this is called through the waker of the running poll.
    } else if let Some(borrowed) = unsafe { promoted.forward().borrowed() } {
        borrowed.wake_by_ref();
    }
    T::end_wake();
}

unsafe fn release<T: Promoted>(data: *const ()) {
    // SAFETY: as in `clone`.
    let promoted = unsafe { promoted::<T>(data) };
    let released = promoted.forward().release();
    if released.is_free {
        promoted.free();
    }
    drop(released.outer);
}

/// # Safety
/// The pointer is that of a `Lent<T>`, whose poll is running.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn lent<'a, T>(data: *const ()) -> &'a Lent<T> {
    // SAFETY: by the contract of this function.
    unsafe { &*data.cast::<Lent<T>>() }
}

unsafe fn clone_lent<T: Lendable>(data: *const ()) -> RawWaker {
    // SAFETY: only wakers of a `Lent<T>` get this table, in `PollWaker::lend`, and they are used
    // while the poll is running.
    let lent = unsafe { lent::<T>(data) };
    // SAFETY: as above.
    let outer = || unsafe { lent.outer() }.cloned();
    let promoted = lent.promoted().inspect(|promoted| promoted.forward().add_clone(outer));
    match promoted.or_else(|| promote(lent, outer)) {
        Some(promoted) => RawWaker::new(ptr::from_ref(promoted).cast(), T::table()),
        None => {
            let outer = ManuallyDrop::new(outer().unwrap_or_else(|| Waker::noop().clone()));
            RawWaker::new(outer.data(), outer.vtable())
        }
    }
}

/// Promotes a lent waker, and counts the clone for which it is promoted.
fn promote<T: Lendable>(lent: &Lent<T>, outer: impl Fn() -> Option<Waker>) -> Option<&'static T> {
    let new = T::take()?;
    // SAFETY: no other thread knows of it before `set`.
    unsafe { new.forward().add_first_clone(outer()) };
    if lent.set(new) {
        return Some(new);
    }
    drop(new.forward().release());
    new.discard();
    lent.promoted().inspect(|promoted| promoted.forward().add_clone(outer))
}

unsafe fn wake_lent<T: Lendable>(data: *const ()) {
    // SAFETY: as in `clone_lent`.
    let lent = unsafe { lent::<T>(data) };
    if let Some(promoted) = lent.promoted() {
        promoted.note_wake();
    }
    // SAFETY: as in `clone_lent`.
    unsafe { lent.outer() }.into_iter().for_each(Waker::wake_by_ref);
    T::end_wake();
}
