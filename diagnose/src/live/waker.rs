//! The waker of a task: it notes the wake, and hands it on to the executor's.
//!
//! There is one for all polls of a task, so that whoever keeps it can tell by `will_wake` that it is still the same
//! task's. It is the address of the task, and its clones are counted there. The executor's waker goes with the last clone,
//! as it would without this one in between: there are executors that drop a task which nobody can wake.
//!
//! ```text
//! count   clones that somebody keeps, one for a running poll      0 ── poll, clone ──▶ n ── drops ──▶ 0
//!         CLAIMED: somebody takes the executor's waker out        0 ──▶ CLAIMED ──▶ 0
//!         DONE: the task is over; at DONE alone it can be used again
//! ```
//! Unsafe is kept in this file: a waker without an allocation of its own is made of a pointer. With one, kept alive by its
//! clones, a poll in which nobody keeps the waker cost 90 ns instead of 40.

#![allow(unsafe_code)]

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::task::{RawWaker, RawWakerVTable, Waker};

use super::task::Task;
use super::tasks;
use crate::sync::Mutex;

/// The clones of a task's waker, and what they hand wakes on to.
#[derive(Debug)]
pub(super) struct Wakers {
    count: AtomicU32,
    /// The executor's waker: there while `count` is not zero.
    outer: Mutex<Option<Waker>>,
    /// Its two words, so that the next poll can tell whether it is given the same one.
    address: [AtomicUsize; 2],
}

const CLAIMED: u32 = 1 << 31;
const DONE: u32 = 1 << 30;

impl Wakers {
    pub(super) fn new() -> Self {
        let zero = || AtomicUsize::new(0);
        Self { count: AtomicU32::new(0), outer: Mutex::new(None), address: [zero(), zero()] }
    }

    /// How many clones somebody keeps, the running poll included.
    pub(super) fn live(&self) -> u32 {
        // Acquire: that a clone is gone brings the wake that it was used for.
        self.count.load(Ordering::Acquire) & !(CLAIMED | DONE)
    }

    /// The task begins.
    pub(super) fn begin(&self) {
        self.count.store(0, Ordering::Relaxed);
    }

    /// Every wake goes on to this waker from now on.
    #[cold]
    fn follow(&self, outer: &Waker, address: [usize; 2]) {
        let outer = outer.clone();
        let mut own = self.outer.lock();
        let old = own.replace(outer);
        self.set_address(address);
        drop(own);
        // Wakers are other people's code: no lock is held when they are dropped.
        drop(old);
    }

    fn set_address(&self, address: [usize; 2]) {
        for (part, address) in self.address.iter().zip(address) {
            part.store(address, Ordering::Relaxed);
        }
    }

    /// Takes the executor's waker out if nobody has made a new clone in between.
    #[cold]
    fn take_outer(&self) -> Option<Waker> {
        let mut own = self.outer.lock();
        // A poll that begins from here on sees the claim, and sets the waker anew, under the lock.
        let claim = self.count.compare_exchange(0, CLAIMED, Ordering::AcqRel, Ordering::Relaxed);
        claim.ok().and_then(|_| own.take())
    }
}

impl Task {
    /// The waker of a poll that begins, which hands wakes on to `outer`.
    #[inline]
    pub(super) fn waker(&'static self, outer: &Waker) -> PollWaker {
        let address = [outer.data().addr(), std::ptr::from_ref(outer.vtable()).addr()];
        // AcqRel, as everywhere with this counter: whoever brings it to zero, or finds it there, comes after all that was
        // done with the clones.
        let before = self.wakers.count.fetch_add(1, Ordering::AcqRel);
        let same = self.wakers.address.each_ref().map(|part| part.load(Ordering::Relaxed)) == address;
        if !same || before & !DONE == 0 || before & CLAIMED != 0 {
            self.wakers.follow(outer, address);
        }
        // SAFETY: the pointer is that of a `&'static Task`, as the functions of the table expect; the clone that the
        // waker stands for was counted above.
        let waker = unsafe { Waker::new(std::ptr::from_ref(self).cast(), &TABLE) };
        PollWaker { task: self, waker: ManuallyDrop::new(waker) }
    }

    /// Whether that is its waker.
    pub(crate) fn is_waker(&self, waker: &Waker) -> bool {
        std::ptr::eq(waker.data(), std::ptr::from_ref(self).cast())
            && std::ptr::eq(waker.vtable(), &raw const TABLE)
    }

    /// The task is over. It is used again when nobody keeps its waker any more.
    pub(super) fn end_wakers(&'static self) {
        if self.wakers.count.fetch_or(DONE, Ordering::AcqRel) == 0 {
            self.end();
        }
    }

    /// A clone is gone.
    #[inline]
    fn release(&'static self) {
        match self.wakers.count.fetch_sub(1, Ordering::AcqRel) {
            1 => self.release_last(),
            before if before == DONE | 1 => self.end(),
            _ => {}
        }
    }

    /// The last clone is gone, and the task is not.
    #[cold]
    fn release_last(&'static self) {
        let outer = self.wakers.take_outer();
        if outer.is_some() && self.wakers.count.fetch_sub(CLAIMED, Ordering::AcqRel) == CLAIMED | DONE {
            self.end();
        }
        drop(outer);
    }

    /// Nobody keeps the waker, and the task is over.
    #[cold]
    fn end(&'static self) {
        let outer = self.wakers.outer.lock().take();
        drop(outer);
        tasks::free(self);
    }

    fn wake_outer(&self) {
        let outer = self.wakers.outer.lock().clone();
        if let Some(outer) = outer {
            outer.wake();
        }
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
        self.task.release();
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
    let task = unsafe { task(data) };
    task.wakers.count.fetch_add(1, Ordering::AcqRel);
    RawWaker::new(data, &TABLE)
}

unsafe fn wake(data: *const ()) {
    // SAFETY: as in `clone`.
    let task = unsafe { task(data) };
    task.woken();
    task.wake_outer();
    task.release();
}

unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: as in `clone`.
    let task = unsafe { task(data) };
    task.woken();
    task.wake_outer();
}

unsafe fn release(data: *const ()) {
    // SAFETY: as in `clone`.
    unsafe { task(data) }.release();
}
