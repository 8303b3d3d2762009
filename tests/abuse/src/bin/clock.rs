//! A clock that is set back, and one that stands still while the machine is suspended.
//!
//! Unsafe is kept in this file: it overrides the C library's `clock_gettime`, which `Instant`
//! reads.
//!
//! ```text
//! clock set-back | suspended | suspended-later | suspended-timer | set-back-timer
//! ```
//! Each mode runs for 100 ms by the kernel's clock, changes `Instant` meanwhile, and prints the
//! measured time, the time in a snapshot, and the number of clock jumps recorded.

#![allow(unsafe_code)]

use std::future::Future as _;
use std::pin::pin;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;

use diagnose::diagnose;
use diagnose::tokio::time::sleep;

/// How far `Instant` is behind the kernel's clock, in ns.
static BEHIND_NS: AtomicI64 = AtomicI64::new(0);

const SECOND: i64 = 1_000_000_000;

/// Overrides the C library's function.
///
/// # Safety
/// `time` must be valid for a write.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> libc::c_int {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local that the kernel fills in.
    let status = unsafe { libc::syscall(libc::SYS_clock_gettime, clock, &raw mut now) };
    if clock == libc::CLOCK_MONOTONIC {
        let ns = now.tv_sec * SECOND + now.tv_nsec - BEHIND_NS.load(Relaxed);
        now = libc::timespec { tv_sec: ns.div_euclid(SECOND), tv_nsec: ns.rem_euclid(SECOND) };
    }
    // SAFETY: the caller says so.
    unsafe { time.write(now) };
    i32::try_from(status).unwrap_or(-1)
}

/// The kernel's clock, in ns.
fn real_ns() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local that the kernel fills in.
    unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec * SECOND + now.tv_nsec
}

#[diagnose]
fn measured() -> i64 {
    let start = real_ns();
    thread::sleep(Duration::from_millis(100));
    real_ns() - start
}

fn suspend() {
    let start = real_ns();
    thread::sleep(Duration::from_millis(400));
    BEHIND_NS.fetch_add(real_ns() - start, Relaxed);
}

/// Prints whether a timer of 200 ms is late after 400 ms of suspension, and the number of jumps.
fn suspended_timer() {
    let _ = measured();
    let _ = diagnose::snapshot();
    thread::sleep(Duration::from_millis(100));
    let _ = diagnose::snapshot();
    let runtime = diagnose::tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let _guard = runtime.enter();
    let mut sleep = pin!(sleep(Duration::from_millis(200)));
    assert!(sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    suspend();
    let snapshot = diagnose::snapshot();
    println!("{:?} {}", snapshot.waits[0].due_ns.map(|ns| ns < 0), snapshot.clock.jumps);
}

fn main() {
    let case = std::env::args().nth(1).expect("an argument");
    if case == "suspended-timer" {
        return suspended_timer();
    }
    if case == "suspended-later" {
        let _ = diagnose::snapshot();
    }
    if case == "set-back-timer" {
        // The recorder chooses its clock at its first use.
        let _ = measured();
        BEHIND_NS.store(3600 * SECOND, Relaxed);
        let runtime = diagnose::tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("a runtime");
        let _guard = runtime.enter();
        let mut sleep = pin!(sleep(Duration::from_secs(7)));
        assert!(sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        println!("done");
        return;
    }
    let real = measured();
    match case.as_str() {
        "set-back" => BEHIND_NS.store(3600 * SECOND, Relaxed),
        _ => suspend(),
    }
    let snapshot = diagnose::snapshot();
    let site = snapshot.sites.iter().position(|site| site.name == "measured").expect("it was recorded");
    let busy: u64 =
        snapshot.nodes.iter().filter(|node| node.site.get() == site).map(|node| node.busy_ns).sum();
    println!("{real} {busy} {} {}", snapshot.clock.name, snapshot.clock.jumps);
}
