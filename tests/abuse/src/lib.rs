//! Programs that abuse the library in ways it must survive, and tools for the tests that start
//! them.
//!
//! `cargo test -p diagnose-abuse-tests` takes about a minute. Before a release, run it with 200
//! times the repetitions:
//! ```text
//! DIAGNOSE_ABUSE=long cargo test --release -p diagnose-abuse-tests
//! ```

pub mod child;
pub mod hostile;
pub mod usage;

/// The number of repetitions: `short`, or 200 times as many with `DIAGNOSE_ABUSE=long`.
#[must_use]
pub fn times(short: u64) -> u64 {
    if is_long() { short * 200 } else { short }
}

/// Whether `DIAGNOSE_ABUSE=long` enables the tests that take minutes.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("DIAGNOSE_ABUSE").is_some_and(|value| value == "long")
}
