//! A clock for tests: it stands still until it is moved.
//!
//! ```
//! use diagnose::manual_clock;
//!
//! manual_clock::install();                  // once, before anything annotated is polled
//! manual_clock::advance_ns(1_000);          // everything that is busy or idle now has been so for 1 µs longer
//! ```
//! It serves the whole process and cannot be taken out again, so a test that uses it has a process of its own.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The first tick: far from zero, which is not a tick.
pub(super) const FIRST: u64 = 1_000_000;

/// Nanoseconds. Relaxed: a test that moves it from one thread and reads it on another synchronises by itself.
static NOW: AtomicU64 = AtomicU64::new(FIRST);

/// How often the clock was read.
static READINGS: AtomicU64 = AtomicU64::new(0);

/// Switches the process to this clock. Ticks that were read before have no meaning afterwards.
pub fn install() {
    super::source::use_manual();
}

/// Moves the clock forward by so many nanoseconds.
pub fn advance_ns(ns: u64) {
    NOW.fetch_add(ns, Relaxed);
}

/// How often the process has read the clock so far.
#[must_use]
pub fn readings() -> u64 {
    READINGS.load(Relaxed)
}

pub(super) fn now() -> u64 {
    READINGS.fetch_add(1, Relaxed);
    NOW.load(Relaxed)
}
