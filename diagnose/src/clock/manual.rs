//! A clock for tests, which advances only by [`advance_ns`].
//!
//! ```
//! use diagnose::manual_clock;
//!
//! manual_clock::install();                  // once, before anything annotated is polled
//! manual_clock::advance_ns(1_000);          // everything that is busy or idle now has been so for 1 µs longer
//! ```
//! It serves the whole process and cannot be removed, so a test that uses it needs a process of its
//! own.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The first tick, in ns: far from zero, which is not a tick.
pub(super) const FIRST: u64 = 1_000_000;

/// The current tick, in ns. Relaxed: a test that sets it on one thread and reads it on another
/// synchronizes by itself.
static NOW: AtomicU64 = AtomicU64::new(FIRST);

/// Number of clock readings.
static READINGS: AtomicU64 = AtomicU64::new(0);

/// Switches the process to this clock. Earlier ticks are meaningless afterwards.
pub fn install() {
    super::source::use_manual();
}

/// Moves the clock forward by `ns` nanoseconds.
pub fn advance_ns(ns: u64) {
    NOW.fetch_add(ns, Relaxed);
}

/// Number of clock readings of the process so far.
#[must_use]
pub fn readings() -> u64 {
    READINGS.load(Relaxed)
}

/// Every second time, as if there was no counter: tests cover the polls with one and those without.
pub(super) fn read_counter() -> Option<u64> {
    (READINGS.load(Relaxed) % 2 == 0).then(now)
}

pub(super) fn now() -> u64 {
    READINGS.fetch_add(1, Relaxed);
    NOW.load(Relaxed)
}
