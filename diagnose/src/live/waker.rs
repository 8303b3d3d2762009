//! The waker of a task: it notes the wake, and hands it on to the executor's.
//!
//! There is one for all polls of a task, so that whoever keeps it can tell by `will_wake` that it is still the same
//! task's. It is the address of the task, and its clones are counted there. The executor's waker goes with the last clone,
//! as it would without this one in between: there are executors that drop a task which nobody can wake.
//!
//! ```text
//! poll             ├─ borrowed ─┤                          what it was given is used in place, and not cloned
//! clones             0 ── clone ──▶ 1 ▶ 2 ── wake ──▶ 0    the first clone makes one of the executor's waker, the last
//!                                                          hands it on
//! ```
//! So a poll in which nobody clones the waker changes no count, and one clone and its wake cost one of the executor's.
//! Unsafe is kept in this file: a waker without an allocation of its own is made of a pointer. With one, kept alive by its
//! clones, a poll in which nobody keeps the waker cost 90 ns.

#![allow(unsafe_code)]

use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::task::{RawWaker, RawWakerVTable, Waker};

use super::task::Task;
use super::tasks;

/// The clones of a task's waker, and what they hand wakes on to, but for what is under the lock of the task: the executor's
/// waker that is kept while there are clones.
#[derive(Debug)]
pub(super) struct Wakers {
    /// The executor's waker that the running poll has borrowed; null outside of polls.
    borrowed: AtomicPtr<Waker>,
    /// The two words of the one that was kept last, so that the next poll can tell whether it is given another one.
    address: [AtomicUsize; 2],
    /// Clones that somebody keeps, and whether the task is over: changed under the lock.
    clones: AtomicU32,
}

const DONE: u32 = 1 << 31;
const MAX_CLONES: u32 = 1 << 30;

fn address_of(waker: &Waker) -> [usize; 2] {
    [waker.data().addr(), ptr::from_ref(waker.vtable()).addr()]
}

impl Wakers {
    pub(super) fn new() -> Self {
        let zero = || AtomicUsize::new(0);
        Self {
            borrowed: AtomicPtr::new(ptr::null_mut()),
            address: [zero(), zero()],
            clones: AtomicU32::new(0),
        }
    }

    /// How many clones somebody keeps.
    pub(super) fn live(&self) -> u32 {
        // Acquire pairs with the Release in `change`: that a clone is gone brings the wake that it was used for.
        self.clones.load(Ordering::Acquire) & !DONE
    }

    /// Changes the count by so many. The lock is held. Returns whether nobody keeps a clone, and the task is over.
    fn change(&self, by: i32) -> bool {
        let clones = self.clones.load(Ordering::Relaxed).wrapping_add_signed(by);
        self.clones.store(clones, Ordering::Release);
        clones == DONE
    }

    /// The task begins.
    pub(super) fn begin(&self) {
        self.clones.store(0, Ordering::Release);
    }

    /// The task is over. The lock is held. Returns whether nobody keeps a clone.
    pub(super) fn end(&self) -> bool {
        let clones = self.clones.load(Ordering::Relaxed) | DONE;
        self.clones.store(clones, Ordering::Release);
        clones == DONE
    }

    fn set_address(&self, waker: &Waker) {
        for (part, address) in self.address.iter().zip(address_of(waker)) {
            part.store(address, Ordering::Relaxed);
        }
    }

    /// What the running poll was given.
    ///
    /// # Safety
    /// The caller has borrowed the waker of the running poll.
    unsafe fn borrowed(&self) -> Option<&Waker> {
        // Relaxed: who has borrowed the waker of the poll comes after what its thread did before.
        let borrowed = self.borrowed.load(Ordering::Relaxed);
        // SAFETY: it is null, or what the poll has borrowed for longer than it lends out its own waker.
        unsafe { borrowed.as_ref() }
    }
}

impl Task {
    /// The waker of a poll that begins, which hands wakes on to `outer`.
    #[inline]
    pub(super) fn waker(&'static self, outer: &Waker) -> PollWaker {
        let wakers = &self.wakers;
        wakers.borrowed.store(ptr::from_ref(outer).cast_mut(), Ordering::Relaxed);
        if wakers.address.each_ref().map(|part| part.load(Ordering::Relaxed)) != address_of(outer) {
            self.follow(outer);
        }
        // SAFETY: the pointer is that of a `&'static Task`, as the functions of the table expect; this is not dropped, and
        // counted with its first clone.
        let waker = unsafe { Waker::new(ptr::from_ref(self).cast(), &TABLE) };
        PollWaker { task: self, waker: ManuallyDrop::new(waker) }
    }

    /// Whether that is its waker.
    pub(crate) fn is_waker(&self, waker: &Waker) -> bool {
        ptr::eq(waker.data(), ptr::from_ref(self).cast()) && ptr::eq(waker.vtable(), &raw const TABLE)
    }

    /// Every wake goes on to this waker from now on.
    #[cold]
    fn follow(&self, outer: &Waker) {
        if self.wakers.live() == 0 {
            // Nobody makes a clone before this poll has begun.
            self.wakers.set_address(outer);
            return;
        }
        // Wakers are other people's code: no lock is held when they are made or dropped.
        let mut changed = Some(outer.clone());
        let mut own = self.own.lock();
        if own.outer.is_some() {
            std::mem::swap(&mut own.outer, &mut changed);
        }
        self.wakers.set_address(own.outer.as_ref().unwrap_or(outer));
        drop(own);
        drop(changed);
    }

    /// There is another clone.
    fn keep(&self) {
        let mut first = if self.wakers.live() == 0 { self.first_clone() } else { None };
        let mut own = self.own.lock();
        if own.outer.is_none() && first.is_none() {
            drop(own);
            first = self.first_clone();
            own = self.own.lock();
        }
        if own.outer.is_none() {
            own.outer = first.take();
            own.outer.iter().for_each(|outer| self.wakers.set_address(outer));
        }
        if self.wakers.live() >= MAX_CLONES {
            // As `Arc` does: somebody forgets them in a loop, and the count must not begin anew.
            std::process::abort();
        }
        self.wakers.change(1);
        drop(own);
        drop(first);
    }

    /// A clone of what the running poll was given, for when there is none.
    fn first_clone(&self) -> Option<Waker> {
        // SAFETY: without clones, this is called through the waker of the running poll, which cannot end meanwhile.
        let borrowed = unsafe { self.wakers.borrowed() };
        borrowed.cloned()
    }

    /// A clone is gone. Returns the executor's waker: the one that was kept if that was the last, or a clone if one is
    /// asked for.
    fn release(&'static self, asked: bool) -> Option<Waker> {
        let mut own = self.own.lock();
        let is_free = self.wakers.change(-1);
        let outer = match self.wakers.live() {
            0 => own.outer.take(),
            // Under the lock: nothing else keeps it meanwhile.
            _ if asked => own.outer.clone(),
            _ => None,
        };
        drop(own);
        if is_free {
            tasks::free(self);
        }
        outer
    }
}

/// The waker that a poll is given.
#[derive(Debug)]
pub(crate) struct PollWaker {
    task: &'static Task,
    waker: ManuallyDrop<Waker>,
}

impl PollWaker {
    #[inline]
    pub(crate) fn get(&self) -> &Waker {
        &self.waker
    }
}

impl Drop for PollWaker {
    #[inline]
    fn drop(&mut self) {
        self.task.wakers.borrowed.store(ptr::null_mut(), Ordering::Relaxed);
    }
}

static TABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, release);

/// # Safety
/// The pointer is that of a `&'static Task`.
unsafe fn task(data: *const ()) -> &'static Task {
    // SAFETY: the caller says so.
    unsafe { &*data.cast::<Task>() }
}

unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: the table is given to wakers of tasks only, in `Task::waker` and here.
    unsafe { task(data) }.keep();
    RawWaker::new(data, &TABLE)
}

unsafe fn wake(data: *const ()) {
    // SAFETY: as in `clone`.
    let task = unsafe { task(data) };
    task.woken();
    if let Some(outer) = task.release(true) {
        outer.wake();
    }
}

unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: as in `clone`.
    let task = unsafe { task(data) };
    task.woken();
    let outer = task.own.lock().outer.clone();
    match outer {
        Some(outer) => outer.wake(),
        // SAFETY: without clones, this is the waker of the running poll, which cannot end meanwhile.
        None => unsafe { task.wakers.borrowed() }.into_iter().for_each(Waker::wake_by_ref),
    }
}

unsafe fn release(data: *const ()) {
    // SAFETY: as in `clone`.
    drop(unsafe { task(data) }.release(false));
}
