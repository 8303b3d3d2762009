//! Ends the process by `exit` in a signal's handler, with the status 7. A dump at exit is on.
//!
//! ```text
//! exits allocator     the handler interrupts a thread that holds the lock of the allocator
//! exits dumping       … that holds it while another thread writes a dump on a signal
//! exits first <n>     … in the allocation with this number of its first recorded call
//! exits malloc        … that allocates and frees all the time, with the C library's allocator
//! exits recorder      … that records, spawns and ends tasks all the time
//! ```
//! Unsafe is kept in this file: handlers and allocators are the system's.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{env, ptr};

use diagnose::diagnose;
use diagnose::tokio;

/// An allocator with one lock.
struct OneLock;

static LOCK: Mutex<()> = Mutex::new(());
/// Whether the lock is used.
static IS_LOCKED: AtomicBool = AtomicBool::new(false);
/// How many allocations follow until one is interrupted, that one included. 0 if none is.
static INTERRUPTED_IN: AtomicU64 = AtomicU64::new(0);
/// Whether a dump is asked for before that.
static IS_DUMPING: AtomicBool = AtomicBool::new(false);

// SAFETY: all calls are passed on to the system's allocator.
unsafe impl GlobalAlloc for OneLock {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _guard = IS_LOCKED.load(Relaxed).then(|| LOCK.lock().unwrap_or_else(PoisonError::into_inner));
        let before = INTERRUPTED_IN.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        if before == Ok(1) {
            if IS_DUMPING.load(Relaxed) {
                // SAFETY: the call takes a number.
                unsafe { libc::raise(libc::SIGUSR1) };
                // The other thread gets as far as to the lock.
                std::thread::sleep(Duration::from_millis(200));
            }
            // SAFETY: the call takes a number.
            unsafe { libc::raise(libc::SIGALRM) };
        }
        // SAFETY: the caller keeps the conditions of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let _guard = IS_LOCKED.load(Relaxed).then(|| LOCK.lock().unwrap_or_else(PoisonError::into_inner));
        // SAFETY: the caller keeps the conditions of this function.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: OneLock = OneLock;

extern "C" fn exits(_signal: libc::c_int) {
    // SAFETY: the call takes a number. That it is not allowed in a handler is what this tests.
    unsafe { libc::exit(7) }
}

#[diagnose]
fn first() {}

#[diagnose]
async fn step(number: u64) -> u64 {
    tokio::task::yield_now().await;
    number + 1
}

fn main() {
    diagnose::install();
    let handler: extern "C" fn(libc::c_int) = exits;
    // SAFETY: the handler has the type that the call requires.
    unsafe { libc::signal(libc::SIGALRM, handler as libc::sighandler_t) };
    match env::args().nth(1).as_deref() {
        Some(mode @ ("allocator" | "dumping")) => {
            IS_DUMPING.store(mode == "dumping", Relaxed);
            IS_LOCKED.store(true, Relaxed);
            INTERRUPTED_IN.store(1, Relaxed);
            black_box(Box::new(1_u64));
        }
        Some("first") => {
            let number = env::args().nth(2).and_then(|number| number.parse().ok()).expect("a number");
            INTERRUPTED_IN.store(number, Relaxed);
            first();
            // It has allocated less often.
            exits(libc::SIGALRM);
        }
        Some("malloc") => {
            interrupt_soon();
            loop {
                let blocks: Vec<Vec<u8>> = (1..64).map(|kib| vec![1; kib << 10]).collect();
                black_box(blocks);
            }
        }
        Some("recorder") => {
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            interrupt_soon();
            runtime.block_on(async {
                loop {
                    tokio::spawn(step(1)).await.expect("it does not panic");
                }
            });
        }
        mode => panic!("unknown mode {mode:?}"),
    }
}

/// Interrupts the program in some milliseconds, a different number in each process.
fn interrupt_soon() {
    let soon =
        libc::timeval { tv_sec: 0, tv_usec: libc::suseconds_t::from(std::process::id() % 97 + 1) * 211 };
    let timer = libc::itimerval { it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 }, it_value: soon };
    // SAFETY: the pointer is to a value of this function, and the previous timer is not asked for.
    let result = unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, ptr::null_mut()) };
    assert_eq!(result, 0, "a timer");
}
