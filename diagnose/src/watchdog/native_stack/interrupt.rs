//! Copies the registers and the stack of another thread, by a signal to that thread.
//!
//! ```text
//! watchdog   IDLE ──▶ WANTED(thread) ── tgkill ──▶ …           ──▶ reads the copy ──▶ IDLE
//! thread                                        COPYING ──▶ DONE
//! ```
//! One thread is interrupted at a time. A thread that blocks the signal is not sent it, because the
//! kernel would queue each one for good. A thread that has just blocked it or has ended does not
//! answer in time. Then the request is withdrawn, and a handler that runs late finds no request and
//! returns.
//!
//! The handler only copies. It may interrupt its thread anywhere: inside the allocator, the dynamic
//! linker or the unwinder of a panic. So it calls no unwinder, takes no lock, allocates nothing and
//! follows no pointer of the thread. The kernel copies the stack (`process_vm_readv`) and stops at
//! unmapped memory, where a load would be a segmentation fault. `unwind.rs` unwinds the copy later,
//! on the watchdog's thread.
//!
//! Unsafe code is in this file: signals and the copy are calls into C.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::unwind::{Copied, Registers};
use crate::cpu;
use crate::sync::OnceCell;

/// Maximum number of bytes copied of a stack, from the innermost frame on.
const MAX_BYTES: usize = 256 << 10;
const MAX_WORDS: usize = MAX_BYTES / size_of::<u64>();
/// The stack is copied in this many parts: the kernel may skip a part in which a page is missing.
const PARTS: usize = 16;
const PART_BYTES: usize = MAX_BYTES / PARTS;

/// Time limit for a thread to begin the copy, and again to end it. A fork may wait for both.
const LIMIT: Duration = Duration::from_millis(250);

/// The state of the current request: the kernel's number of the interrupted thread, above two bits.
static STATE: AtomicU64 = AtomicU64::new(IDLE);
/// The value of [`STATE`] once the thread of a request that was given up has ended its copy; 0 if
/// there is no such request.
static GIVEN_UP: AtomicU64 = AtomicU64::new(0);
const IDLE: u64 = 0;
const WANTED: u64 = 1;
const COPYING: u64 = 2;
const DONE: u64 = 3;

/// The last copy of a stack, from the stack pointer on. The handler writes it between COPYING and
/// DONE.
static STACK: [AtomicU64; MAX_WORDS] = [const { AtomicU64::new(0) }; MAX_WORDS];
/// Number of valid bytes in `STACK`.
static BYTES: AtomicUsize = AtomicUsize::new(0);
/// Instruction pointer, stack pointer, frame pointer and link register of the interrupted thread.
static REGISTERS: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

/// Copies the registers and the stack of a thread of this process. Returns `None` if the thread
/// does not answer.
pub(super) fn copy_of(thread_id: u64) -> Option<Copied> {
    let signal = *SIGNAL.get_or_try_init(|| take_signal().ok_or(())).ok()?;
    if is_in(blocked_by(thread_id), signal) {
        return None;
    }
    let state = |step: u64| thread_id << 2 | step;
    end_given_up();
    // Release pairs with the Acquire in the handler, which comes after the last copy was read.
    STATE.compare_exchange(IDLE, state(WANTED), Ordering::Release, Ordering::Relaxed).ok()?;
    let is_sent = send(signal, thread_id);
    if !is_sent || !is_done(state(DONE), thread_id) {
        let taken_back = STATE.compare_exchange(state(WANTED), IDLE, Ordering::Relaxed, Ordering::Relaxed);
        // Once a thread has begun to copy, only the scheduler can delay it.
        if taken_back.is_ok() {
            return None;
        }
        if !is_done(state(DONE), thread_id) {
            GIVEN_UP.store(state(DONE), Ordering::Relaxed);
            return None;
        }
    }
    let words = BYTES.load(Ordering::Relaxed) / size_of::<u64>();
    let stack = STACK.iter().take(words).map(|word| word.load(Ordering::Relaxed)).collect();
    let [instruction, stack_pointer, frame_pointer, link] =
        REGISTERS.each_ref().map(|register| register.load(Ordering::Relaxed));
    STATE.store(IDLE, Ordering::Relaxed);
    Some(Copied { registers: Registers { instruction, stack_pointer, frame_pointer, link }, stack })
}

/// Ends a request that was given up, once its thread has finished the copy.
/// Until then there is no other request.
fn end_given_up() {
    let done = GIVEN_UP.load(Ordering::Relaxed);
    let is_over = || STATE.compare_exchange(done, IDLE, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    if done != 0 && is_over() {
        GIVEN_UP.store(0, Ordering::Relaxed);
    }
}

/// Waits until the state is `done`, the thread has ended, or `LIMIT` has passed. Returns whether
/// the state is `done`.
fn is_done(done: u64, thread_id: u64) -> bool {
    let end = Instant::now() + LIMIT;
    let mut turns = 0_u32;
    // Acquire pairs with the Release at the end of the handler, which comes after the copy.
    while STATE.load(Ordering::Acquire) != done {
        turns += 1;
        if turns < 20 {
            thread::yield_now();
        } else if Instant::now() >= end || !send(0, thread_id) {
            return STATE.load(Ordering::Acquire) == done;
        } else {
            thread::sleep(Duration::from_micros(50));
        }
    }
    true
}

/// The signal that interrupts a thread; empty while the program uses or blocks all real-time
/// signals.
static SIGNAL: OnceCell<c_int> = OnceCell::new();

/// A static, so that the address that is installed and the address that is compared with it are the
/// same.
static HANDLER: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_signal;

/// Takes the last real-time signal that has no handler and that the main thread does not block: the
/// program may read one that it blocks, as from a `signalfd`.
fn take_signal() -> Option<c_int> {
    let blocked = blocked_by(u64::from(std::process::id()));
    let is_free = |signal: &c_int| handler_of(*signal) == Some(libc::SIG_DFL) && !is_in(blocked, *signal);
    let signal = (libc::SIGRTMIN()..=libc::SIGRTMAX()).rev().find(is_free)?;
    // SAFETY: all zeros is a valid value of this structure, which has numbers and a pointer.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = HANDLER as libc::sighandler_t;
    // The handler runs on the thread's signal stack, because the thread may be at the end of its
    // own stack. See `alt_stack.rs`.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
    // SAFETY: the set is a local. The full mask keeps other handlers from running on top of this
    // short one.
    unsafe { libc::sigfillset(&raw mut action.sa_mask) };
    // SAFETY: the handler has the signature that SA_SIGINFO requires, and does only what a handler
    // may do.
    let result = unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
    (result == 0).then_some(signal)
}

/// The signals that a thread blocks; empty if unknown.
fn blocked_by(thread_id: u64) -> u64 {
    cpu::blocked_signals(thread_id).unwrap_or(0)
}

fn is_in(set: u64, signal: c_int) -> bool {
    set >> (signal - 1) & 1 == 1
}

/// Returns the address of the signal's handler, or of the constant for its disposition.
fn handler_of(signal: c_int) -> Option<libc::sighandler_t> {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action the call only writes the current one to `action`, which has room
    // for it.
    let result = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
    if result != 0 {
        return None;
    }
    // SAFETY: the call has succeeded, so `action` was written.
    Some(unsafe { action.assume_init() }.sa_sigaction)
}

/// Sends a signal to a thread and returns whether the thread exists. Signal 0 sends nothing. A
/// signal that has lost its handler is not sent either, because it would end the process. A program
/// may have reset all signals.
fn send(signal: c_int, thread_id: u64) -> bool {
    if signal != 0 && handler_of(signal) != Some(HANDLER as libc::sighandler_t) {
        return false;
    }
    let (process, thread) =
        (libc::c_long::from(std::process::id()), libc::c_long::try_from(thread_id).unwrap_or(0));
    // SAFETY: the call takes three numbers. The signal is zero or has a handler, so it does not end
    // the process, unless the program has removed the handler since the check.
    unsafe { libc::syscall(libc::SYS_tgkill, process, thread, libc::c_long::from(signal)) == 0 }
}

/// The handler, on the interrupted thread.
extern "C" fn on_signal(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the call returns the address of `errno` of this thread.
    let error = unsafe { libc::__errno_location() };
    // SAFETY: `error` points to a number that lives as long as the thread.
    let before = unsafe { error.read() };
    // SAFETY: the call takes nothing.
    let own = unsafe { libc::syscall(libc::SYS_gettid) };
    let own = u64::try_from(own).unwrap_or(0) << 2;
    // Acquire pairs with the Release of the request in `copy_of`.
    let asked = STATE.compare_exchange(own | WANTED, own | COPYING, Ordering::Acquire, Ordering::Relaxed);
    if asked.is_ok() {
        copy(context);
        // Release pairs with the Acquire of `is_done`.
        STATE.store(own | DONE, Ordering::Release);
    }
    // SAFETY: as above.
    unsafe { error.write(before) };
}

/// Copies the registers, and the stack from the stack pointer on.
fn copy(context: *mut c_void) {
    let registers = registers(context);
    for (slot, value) in REGISTERS.iter().zip(registers) {
        slot.store(value, Ordering::Relaxed);
    }
    let start = usize::try_from(registers[1]).unwrap_or(0);
    let part = |number: usize| libc::iovec {
        iov_base: std::ptr::without_provenance_mut(start.wrapping_add(number * PART_BYTES)),
        iov_len: PART_BYTES,
    };
    let parts: [libc::iovec; PARTS] = std::array::from_fn(part);
    let own = libc::iovec { iov_base: STACK.as_ptr().cast_mut().cast(), iov_len: MAX_BYTES };
    // SAFETY: the call takes nothing.
    let process = unsafe { libc::getpid() };
    // SAFETY: the kernel writes into a static of atomic words, up to its length; no thread reads it
    // before DONE. It reads memory at addresses of this process, and stops at the first that is not
    // mapped.
    let copied = unsafe {
        libc::process_vm_readv(process, &raw const own, 1, parts.as_ptr(), PARTS as libc::c_ulong, 0)
    };
    BYTES.store(usize::try_from(copied).unwrap_or(0), Ordering::Relaxed);
}

/// Returns instruction pointer, stack pointer, frame pointer and link register of the interrupted
/// code.
fn registers(context: *mut c_void) -> [u64; 4] {
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: with SA_SIGINFO the kernel passes the handler such a structure, which lives as long
    // as the handler runs.
    let registers = unsafe { &(*context).uc_mcontext };
    #[cfg(target_arch = "x86_64")]
    {
        let value = |name: c_int| {
            let value = usize::try_from(name).ok().and_then(|index| registers.gregs.get(index));
            value.map_or(0, |value| u64::from_ne_bytes(value.to_ne_bytes()))
        };
        [value(libc::REG_RIP), value(libc::REG_RSP), value(libc::REG_RBP), 0]
    }
    #[cfg(target_arch = "aarch64")]
    [registers.pc, registers.sp, registers.regs[29], registers.regs[30]]
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::sync::mpsc::channel;
    use std::thread;

    use super::copy_of;
    use crate::os;

    #[test]
    fn a_thread_that_spins_answers_and_one_that_is_gone_does_not() {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        static STOP: AtomicBool = AtomicBool::new(false);
        let spins = thread::spawn(|| {
            let own = std::fs::read_link("/proc/thread-self").unwrap();
            let own = own.file_name().unwrap().to_str().unwrap().parse().unwrap();
            NUMBER.store(own, Ordering::Relaxed);
            while !STOP.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        while NUMBER.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        let number = NUMBER.load(Ordering::Relaxed);
        for _ in 0..100 {
            // On a busy machine, the thread may not run for as long as it is waited for.
            let copied = (0..100).find_map(|_| copy_of(number)).unwrap();
            assert!(copied.stack.len() > 32, "{} words", copied.stack.len());
            assert!(super::super::unwind::addresses(&copied).len() > 3);
        }
        STOP.store(true, Ordering::Relaxed);
        spins.join().unwrap();
        assert!(copy_of(number).is_none());
    }

    #[test]
    fn a_thread_that_blocks_signals_gets_none() {
        let (send, number) = channel();
        let (end, ends) = channel::<()>();
        let blocks = thread::spawn(move || {
            block_all();
            send.send(os::thread_id()).unwrap();
            let _ = ends.recv();
        });
        let number = number.recv().unwrap();
        assert!(copy_of(number).is_none());
        let status = std::fs::read_to_string(format!("/proc/self/task/{number}/status")).unwrap();
        let pending = status.lines().find_map(|line| line.strip_prefix("SigPnd:")).unwrap();
        assert_eq!(u64::from_str_radix(pending.trim(), 16), Ok(0));
        drop(end);
        blocks.join().unwrap();
    }

    /// Blocks all signals on this thread.
    fn block_all() {
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the call fills in the set at the pointer, which is valid for it.
        unsafe { libc::sigfillset(all.as_mut_ptr()) };
        // SAFETY: the pointer is to the set that the call above has filled in.
        let result = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut()) };
        assert_eq!(result, 0);
    }
}
