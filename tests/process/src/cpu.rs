//! The processor time of the calling thread.
//!
//! Unsafe is kept in this file: it calls the C library.

use std::time::Duration;

/// The processor time used by this thread.
///
/// # Panics
/// If the system does not know the clock.
#[must_use]
pub fn time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local that the call fills in.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(status, 0, "every Linux has this clock");
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Keeps this thread on the first CPU that it may run on.
///
/// # Panics
/// If the system refuses it.
#[cfg(target_os = "linux")]
pub fn keep_on_one() {
    const SIZE: usize = size_of::<libc::cpu_set_t>();
    // SAFETY: a set is plain bits, and zeros are the empty set.
    let mut set = unsafe { std::mem::zeroed::<libc::cpu_set_t>() };
    // SAFETY: the pointer is to a local of this size that the call fills in.
    let status = unsafe { libc::sched_getaffinity(0, SIZE, &raw mut set) };
    assert_eq!(status, 0, "this thread has a set of CPUs");
    // SAFETY: the number is below the size of the set.
    let first = (0..SIZE * 8).find(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).expect("it runs on one");
    // SAFETY: zeros are the empty set.
    let mut one = unsafe { std::mem::zeroed::<libc::cpu_set_t>() };
    // SAFETY: the number is below the size of the set.
    unsafe { libc::CPU_SET(first, &mut one) };
    // SAFETY: the pointer is to a local of this size.
    let status = unsafe { libc::sched_setaffinity(0, SIZE, &raw const one) };
    assert_eq!(status, 0, "this thread may run there");
}
