//! Interrupts threads at points where a signal handler may do little, as the watchdog does for a
//! native stack.
//!
//! ```text
//! interrupts <count>
//! ```
//! The activities run one after the other, each on its own thread, so that no interruption waits
//! for a processor. The stack of every hundredth interruption is unwound. Prints `count <n> unwound
//! <n> frames <n> after_reset <n>`. A failure ends the process by a signal, or hangs it.
//!
//! Unsafe is kept in this file: it panics through C frames, calls the dynamic linker, and starts a
//! thread as C code does.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::hint::black_box;
use std::panic::{catch_unwind, panic_any};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;

use diagnose::diagnose;

/// The number of times the activity was completed: evidence that its thread goes on.
static DONE: AtomicU64 = AtomicU64::new(0);
static STOP: AtomicBool = AtomicBool::new(false);

unsafe extern "C-unwind" {
    fn qsort(
        base: *mut c_void,
        count: usize,
        size: usize,
        compare: unsafe extern "C-unwind" fn(*const c_void, *const c_void) -> c_int,
    );
}

/// Annotated, so that the watchdog may interrupt the thread.
#[diagnose]
fn recorded() {
    black_box(());
}

fn repeat(work: impl Fn()) {
    recorded();
    while !STOP.load(Relaxed) {
        work();
        DONE.fetch_add(1, Relaxed);
    }
}

#[inline(never)]
fn panics_below(depth: u32) -> u32 {
    let text = depth.to_string();
    if depth == 0 {
        panic_any(7_u8);
    }
    panics_below(depth - 1) + u32::try_from(black_box(text).len()).unwrap_or(0)
}

fn panics() {
    assert!(catch_unwind(|| panics_below(20)).is_err());
}

unsafe extern "C-unwind" fn compares_by_panic(_: *const c_void, _: *const c_void) -> c_int {
    panics_below(3);
    0
}

/// A panic that unwinds through frames of the C library.
fn panics_through_c() {
    let mut numbers: [u32; 64] = std::array::from_fn(|index| 64 - u32::try_from(index).unwrap_or(0));
    let sorted = catch_unwind(move || {
        let base = numbers.as_mut_ptr().cast();
        // SAFETY: count and size are those of the array. The comparison unwinds, which `C-unwind`
        // allows on both sides.
        unsafe { qsort(base, numbers.len(), size_of::<u32>(), compares_by_panic) };
    });
    assert!(sorted.is_err());
}

fn allocates() {
    let pieces: Vec<Vec<u8>> = (0..64).map(|size| vec![0; size * 97]).collect();
    drop(black_box(pieces));
    drop(black_box(vec![1_u8; 1 << 20]));
}

fn loads_libraries() {
    const NAMES: [&CStr; 4] = [c"libBrokenLocale.so.1", c"libthread_db.so.1", c"libanl.so.1", c"libz.so.1"];
    for name in NAMES {
        // SAFETY: the constructors of these libraries have no preconditions.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        if !handle.is_null() {
            // SAFETY: it was opened above, and nothing of it is in use.
            unsafe { libc::dlclose(handle) };
        }
    }
}

fn starts_threads() {
    let threads: Vec<_> = (0..4).map(|_| thread::spawn(recorded)).collect();
    for thread in threads {
        thread.join().expect("it does nothing");
    }
}

/// The stack size of the thread that C code starts, in bytes, without the guard page.
const SMALL_STACK: usize = 128 << 10;
/// The bytes of the stack left where the thread spins: less than a signal frame.
const LEFT: usize = 1 << 10;

#[inline(never)]
fn sinks(bottom: usize) {
    let here = black_box([0_u8; 64]);
    if here.as_ptr().addr() > bottom + LEFT {
        sinks(bottom);
    } else {
        for _ in 0..200_000 {
            std::hint::spin_loop();
        }
    }
    black_box(&here);
}

extern "C" fn near_the_end_of_the_stack(bottom: *mut c_void) -> *mut c_void {
    repeat(|| sinks(bottom.addr()));
    std::ptr::null_mut()
}

/// Starts a thread as C code does: without a signal stack.
fn start_c_thread() {
    const GUARD: usize = 4096;
    let (size, access) = (SMALL_STACK + GUARD, libc::PROT_READ | libc::PROT_WRITE);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: new memory, at an address that the kernel chooses.
    let memory = unsafe { libc::mmap(std::ptr::null_mut(), size, libc::PROT_NONE, flags, -1, 0) };
    assert_ne!(memory, libc::MAP_FAILED);
    let bottom = memory.wrapping_byte_add(GUARD);
    // SAFETY: inside what was just mapped.
    assert_eq!(unsafe { libc::mprotect(bottom, SMALL_STACK, access) }, 0);
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    // SAFETY: the pointer is to a local that has room for the attributes.
    assert_eq!(unsafe { libc::pthread_attr_init(attributes.as_mut_ptr()) }, 0);
    // SAFETY: the memory is the thread's alone from now on.
    assert_eq!(unsafe { libc::pthread_attr_setstack(attributes.as_mut_ptr(), bottom, SMALL_STACK) }, 0);
    let mut number = std::mem::MaybeUninit::<libc::pthread_t>::uninit();
    let (number, attributes) = (number.as_mut_ptr(), attributes.as_ptr());
    // SAFETY: the function has the signature of a thread's, and its stack lives as long as the
    // process.
    let result = unsafe { libc::pthread_create(number, attributes, near_the_end_of_the_stack, bottom) };
    assert_eq!(result, 0);
}

fn start(activity: fn()) {
    thread::spawn(move || repeat(activity));
}

fn threads() -> Vec<u64> {
    let own = u64::from(std::process::id());
    let all = std::fs::read_dir("/proc/self/task").expect("this is Linux").flatten();
    all.filter_map(|thread| thread.file_name().to_str()?.parse().ok()).filter(|id| *id != own).collect()
}

/// Interrupts all other threads, `count` times in total. Returns the number of interruptions, of
/// unwound stacks, and of their frames.
fn interrupt(count: u64) -> [u64; 3] {
    let [mut interrupted, mut unwound, mut frames] = [0; 3];
    while interrupted < count {
        for thread in threads() {
            if interrupted % 100 == 0 {
                let addresses = diagnose::__private::addresses_of(thread).len() as u64;
                unwound += u64::from(addresses > 1);
                frames += addresses;
            }
            interrupted += u64::from(diagnose::__private::interrupt_thread(thread) > 0);
        }
    }
    [interrupted, unwound, frames]
}

/// Resets all real-time signals, as a program does before it becomes a daemon, and interrupts the
/// threads once more. Returns the number of interruptions: a signal would end the process.
fn interrupt_after_reset() -> usize {
    for signal in libc::SIGRTMIN()..=libc::SIGRTMAX() {
        // SAFETY: the default disposition needs no handler.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    threads().into_iter().filter(|thread| diagnose::__private::interrupt_thread(*thread) > 0).count()
}

fn wait_until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).expect("how often");
    std::panic::set_hook(Box::new(|_| {}));
    let starts: [fn(); 6] = [
        || start(panics),
        || start(panics_through_c),
        || start(allocates),
        || start(loads_libraries),
        || start(starts_threads),
        start_c_thread,
    ];
    let mut sums = [0; 3];
    for start in starts {
        STOP.store(false, Relaxed);
        DONE.store(0, Relaxed);
        start();
        wait_until(|| DONE.load(Relaxed) > 0);
        let counts = interrupt(count.div_ceil(6));
        let before = DONE.load(Relaxed);
        wait_until(|| DONE.load(Relaxed) > before);
        STOP.store(true, Relaxed);
        wait_until(|| threads().is_empty());
        sums = std::array::from_fn(|index| sums[index] + counts[index]);
    }
    let [interrupted, unwound, frames] = sums;
    STOP.store(false, Relaxed);
    start(allocates);
    wait_until(|| !threads().is_empty());
    let after_reset = interrupt_after_reset();
    println!("count {interrupted} unwound {unwound} frames {frames} after_reset {after_reset}");
}
