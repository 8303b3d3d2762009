//! Programs that do to the library what it must survive, and what the tests that start them share.
//!
//! `cargo test -p diagnose-abuse-tests` takes about a minute. Before a release, with two hundred times as much of everything:
//! ```text
//! DIAGNOSE_ABUSE=long cargo test --release -p diagnose-abuse-tests
//! ```

pub mod child;
pub mod hostile;
pub mod usage;

/// How often to do something: that often, or two hundred times as often where `DIAGNOSE_ABUSE=long` asks for it.
#[must_use]
pub fn times(short: u64) -> u64 {
    if is_long() { short * 200 } else { short }
}

/// Whether `DIAGNOSE_ABUSE=long` asks for the tests that take minutes.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("DIAGNOSE_ABUSE").is_some_and(|value| value == "long")
}
