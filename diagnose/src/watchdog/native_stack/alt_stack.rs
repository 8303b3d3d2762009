//! A signal stack for threads that have none, so that a handler needs no room on the thread's own stack.
//!
//! The standard library gives the threads that it starts a signal stack of their own. A thread that C code has started has
//! none: a signal near the end of its stack would end the process. Such a thread gets one when it records for the first time,
//! and gives it back when it ends.
//!
//! Unsafe is kept in this file: signal stacks and their memory are calls into C.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

/// What the handler needs beside what the kernel saves, and more.
const ROOM: usize = 16 << 10;
/// A page without access below the stack.
const GUARD: usize = 4 << 10;

thread_local! {
    static OWN: Cell<Option<OwnedStack>> = const { Cell::new(None) };
}

/// A mapped signal stack of this thread.
struct OwnedStack {
    start: *mut c_void,
    size: usize,
}

/// Makes sure that this thread has a signal stack. Where none can be made, nothing changes.
#[cold]
pub(crate) fn prepare_thread() {
    if !has_signal_stack() {
        // In the last moments of a thread nothing would give it back.
        let _ = OWN.try_with(|own| own.set(OwnedStack::new()));
    }
}

fn has_signal_stack() -> bool {
    let mut current = MaybeUninit::<libc::stack_t>::uninit();
    // SAFETY: without a new stack it only writes the present one to where there is room for it.
    let result = unsafe { libc::sigaltstack(ptr::null(), current.as_mut_ptr()) };
    // SAFETY: the call has succeeded, so it was written.
    result != 0 || unsafe { current.assume_init() }.ss_flags & libc::SS_DISABLE == 0
}

impl OwnedStack {
    fn new() -> Option<Self> {
        // SAFETY: the call takes a number.
        let saved = unsafe { libc::getauxval(libc::AT_MINSIGSTKSZ) };
        let saved = usize::try_from(saved).ok()?.max(libc::MINSIGSTKSZ);
        let room = (saved + ROOM).next_multiple_of(GUARD);
        let (size, access) = (room + GUARD, libc::PROT_READ | libc::PROT_WRITE);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new memory, at an address that the kernel chooses.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let own = Self { start, size };
        let above_guard = start.wrapping_byte_add(GUARD);
        // SAFETY: the range lies inside what was just mapped, and nobody uses it yet.
        let is_usable = unsafe { libc::mprotect(above_guard, room, access) } == 0;
        let stack = libc::stack_t { ss_sp: above_guard, ss_flags: 0, ss_size: room };
        // SAFETY: the memory is this thread's alone, until `drop` takes the stack back.
        let is_set = is_usable && unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) } == 0;
        is_set.then_some(own)
    }
}

impl Drop for OwnedStack {
    fn drop(&mut self) {
        let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
        let mut current = MaybeUninit::<libc::stack_t>::uninit();
        // SAFETY: as in `has_signal_stack`.
        let result = unsafe { libc::sigaltstack(ptr::null(), current.as_mut_ptr()) };
        // SAFETY: the call has succeeded, so it was written.
        if result == 0 && unsafe { current.assume_init() }.ss_sp == self.start.wrapping_byte_add(GUARD) {
            // SAFETY: no handler of this thread runs on it: destructors of a thread run outside of handlers.
            unsafe { libc::sigaltstack(&raw const none, ptr::null_mut()) };
        }
        // SAFETY: it was mapped in `new` with this size, and is no signal stack any more.
        unsafe { libc::munmap(self.start, self.size) };
    }
}

#[cfg(test)]
mod tests {
    use super::{OWN, has_signal_stack, prepare_thread};

    #[test]
    fn a_thread_that_has_a_signal_stack_keeps_it() {
        assert!(has_signal_stack(), "the standard library makes one");
        prepare_thread();
        OWN.with(|own| assert!(own.take().is_none()));
    }
}
