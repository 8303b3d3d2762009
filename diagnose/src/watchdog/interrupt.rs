//! How the stack of another thread is walked: by a signal to it, whose handler does nothing else.
//!
//! ```text
//! watchdog   IDLE ──▶ WANTED(thread) ── tgkill ──▶ …                    ──▶ copies ──▶ IDLE
//! thread                                        WALKING ──▶ DONE
//! ```
//! One thread is asked at a time. One that does not answer in time, because it blocks signals or has ended, is not waited
//! for: the request is taken back, and a handler that comes late finds none and returns. One that began to walk and does
//! not come back is never taken back, and no thread is asked from then on.
//!
//! The handler writes into memory set aside for it and allocates nothing. It runs on the stack of the thread and uses the
//! unwinder of the process, as a panic there would; the unwinder was used once before by the watchdog's thread, so that
//! nothing is set up in a handler.
//!
//! Unsafe is kept in this file: signals, and the walk, are calls into C.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::sync::OnceCell;

/// So many frames of a stack are kept, the innermost.
const MAX_FRAMES: usize = 128;
/// So long a thread has to begin with the walk, and then to end it.
const LIMIT: Duration = Duration::from_secs(1);

/// What is going on: the kernel's number of the thread that is asked, above two bits.
static STATE: AtomicU64 = AtomicU64::new(IDLE);
const IDLE: u64 = 0;
const WANTED: u64 = 1;
const WALKING: u64 = 2;
const DONE: u64 = 3;

/// The frames of the last walk, innermost first. Written by the handler between WALKING and DONE.
static FRAMES: [AtomicUsize; MAX_FRAMES] = [const { AtomicUsize::new(0) }; MAX_FRAMES];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The addresses of the code that a thread is in, innermost first. `None` if it does not answer.
pub(super) fn stack_of(thread_id: u64) -> Option<Vec<usize>> {
    let signal = (*SIGNAL.get_or_init(take_signal))?;
    let state = |what: u64| thread_id << 2 | what;
    // Release pairs with the Acquire in the handler, which comes after the copy of the last walk.
    STATE.compare_exchange(IDLE, state(WANTED), Ordering::Release, Ordering::Relaxed).ok()?;
    let is_sent = send(signal, thread_id);
    if !is_sent || !is_done(state(DONE), LIMIT) {
        let taken_back = STATE.compare_exchange(state(WANTED), IDLE, Ordering::Relaxed, Ordering::Relaxed);
        if taken_back.is_ok() || !is_done(state(DONE), LIMIT) {
            return None;
        }
    }
    let frames = FRAMES.iter().take(COUNT.load(Ordering::Relaxed));
    let frames = frames.map(|frame| frame.load(Ordering::Relaxed)).collect();
    STATE.store(IDLE, Ordering::Relaxed);
    Some(frames)
}

fn is_done(done: u64, limit: Duration) -> bool {
    let end = Instant::now() + limit;
    // Acquire pairs with the Release at the end of the handler: the state brings the frames with it.
    while STATE.load(Ordering::Acquire) != done {
        if Instant::now() >= end {
            return false;
        }
        thread::sleep(Duration::from_micros(100));
    }
    true
}

/// The signal that asks; `None` if the program uses all.
static SIGNAL: OnceCell<Option<c_int>> = OnceCell::new();

/// Takes the last real-time signal for which there is no handler.
fn take_signal() -> Option<c_int> {
    // SAFETY: nothing is asked of the caller but that no other walk of this thread is running.
    unsafe { backtrace::trace_unsynchronized(|_| true) };
    let signal = (libc::SIGRTMIN()..=libc::SIGRTMAX()).rev().find(|signal| is_free(*signal))?;
    // SAFETY: all zeros is a value of this structure of numbers and a pointer.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = on_signal as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the handler has the signature that SA_SIGINFO asks for, and does only what a handler may.
    let result = unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
    (result == 0).then_some(signal)
}

fn is_free(signal: c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action it only writes the present one to where there is room for it.
    let result = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
    if result != 0 {
        return false;
    }
    // SAFETY: the call has succeeded, so it was written.
    unsafe { action.assume_init() }.sa_sigaction == libc::SIG_DFL
}

fn send(signal: c_int, thread_id: u64) -> bool {
    let (process, thread) =
        (libc::c_long::from(std::process::id()), libc::c_long::try_from(thread_id).unwrap_or(0));
    // SAFETY: the call takes three numbers. The signal has a handler, so it ends nothing.
    unsafe { libc::syscall(libc::SYS_tgkill, process, thread, libc::c_long::from(signal)) == 0 }
}

/// The handler, on the thread that is asked.
extern "C" fn on_signal(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the C library's own number of the last error, of this thread.
    let error = unsafe { libc::__errno_location() };
    // SAFETY: it points to a number that lives as long as the thread.
    let before = unsafe { error.read() };
    // SAFETY: the call takes nothing.
    let own = unsafe { libc::syscall(libc::SYS_gettid) };
    let own = u64::try_from(own).unwrap_or(0) << 2;
    // Acquire pairs with the Release of the request.
    let asked = STATE.compare_exchange(own | WANTED, own | WALKING, Ordering::Acquire, Ordering::Relaxed);
    if asked.is_ok() {
        walk(interrupted_at(context));
        // Release pairs with the Acquire of whoever waits for it.
        STATE.store(own | DONE, Ordering::Release);
    }
    // SAFETY: as above.
    unsafe { error.write(before) };
}

/// Notes the frames from that of the interrupted code on.
fn walk(interrupted: usize) {
    let mut count = 0;
    let note = |frame: &backtrace::Frame| {
        let address = frame.ip().addr();
        // Before it come the handler's own frames.
        if count == 0 && address != interrupted {
            return true;
        }
        if let Some(slot) = FRAMES.get(count) {
            slot.store(address, Ordering::Relaxed);
            count += 1;
        }
        count < MAX_FRAMES
    };
    // SAFETY: only one walk goes on at a time: whoever walks has won the exchange in the handler.
    unsafe { backtrace::trace_unsynchronized(note) };
    if count == 0 {
        // The unwinder does not get past the signal. At least where it was is known.
        FRAMES[0].store(interrupted, Ordering::Relaxed);
        count = 1;
    }
    COUNT.store(count, Ordering::Relaxed);
}

/// Where the instruction pointer is among the registers.
#[cfg(target_arch = "x86_64")]
const REG_RIP: usize = 16;

/// The address at which the thread was interrupted.
fn interrupted_at(context: *mut c_void) -> usize {
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: with SA_SIGINFO the kernel hands the handler such a structure, which lives as long as the handler runs.
    let registers = unsafe { &(*context).uc_mcontext };
    #[cfg(target_arch = "x86_64")]
    let address = u64::from_ne_bytes(registers.gregs[REG_RIP].to_ne_bytes());
    #[cfg(target_arch = "aarch64")]
    let address = registers.pc;
    usize::try_from(address).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::thread;

    use super::stack_of;

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
            assert!(stack_of(number).unwrap().len() > 3);
        }
        STOP.store(true, Ordering::Relaxed);
        spins.join().unwrap();
        assert_eq!(stack_of(number), None);
    }
}
