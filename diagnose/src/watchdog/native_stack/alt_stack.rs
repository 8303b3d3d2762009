//! Signal stacks for threads that have none. With one, a handler needs no room on the thread's own
//! stack.
//!
//! The standard library gives the threads that it starts a signal stack. A thread started by C code
//! has none: a signal near the end of its stack would end the process. Such a thread gets one when
//! it first records, and frees it when it ends.
//!
//! Unsafe code is in this file: signal stacks and their memory are calls into C.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

/// Bytes for the handler, beside those that the kernel saves. This is more than it needs.
const ROOM: usize = 16 << 10;
/// Bytes without access below the stack: one page.
const GUARD: usize = 4 << 10;

thread_local! {
    static OWN: Cell<Option<OwnedStack>> = const { Cell::new(None) };
}

/// A mapped signal stack of this thread; `size` is in bytes and includes the guard page.
struct OwnedStack {
    start: *mut c_void,
    size: usize,
}

/// Gives this thread a signal stack if it has none. Does nothing if none can be made.
#[cold]
pub(crate) fn prepare_thread() {
    if !has_signal_stack() {
        // While the thread's locals are being destroyed, nothing would free the stack.
        let _ = OWN.try_with(|own| own.set(OwnedStack::new()));
    }
}

fn has_signal_stack() -> bool {
    let mut current = MaybeUninit::<libc::stack_t>::uninit();
    // SAFETY: without a new stack the call only writes the current one to `current`, which has room
    // for it.
    let result = unsafe { libc::sigaltstack(ptr::null(), current.as_mut_ptr()) };
    // SAFETY: the call has succeeded, so `current` was written.
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
        // SAFETY: the call maps new memory, at an address that the kernel chooses.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let own = Self { start, size };
        let above_guard = start.wrapping_byte_add(GUARD);
        // SAFETY: the range is inside the new mapping, and nothing uses it yet.
        let is_usable = unsafe { libc::mprotect(above_guard, room, access) } == 0;
        let stack = libc::stack_t { ss_sp: above_guard, ss_flags: 0, ss_size: room };
        // SAFETY: only this thread has the memory, until `drop` removes the stack.
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
        // SAFETY: the call has succeeded, so `current` was written.
        if result == 0 && unsafe { current.assume_init() }.ss_sp == self.start.wrapping_byte_add(GUARD) {
            // SAFETY: no handler of this thread runs on the stack: a thread's destructors run
            // outside of handlers.
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
