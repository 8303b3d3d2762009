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
