//! Other attributes, on the function and on its arguments, keep their meaning.

#![allow(clippy::unused_async, clippy::non_minimal_cfg)]

use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, run};

/// Documented once.
#[diagnose]
#[inline]
#[cfg_attr(all(), doc = "Documented conditionally.")]
async fn documented(
    #[cfg(all())] present: u32,
    #[cfg(any())] absent: Missing,
    #[allow(unused_variables)] allowed: u32,
    #[cfg_attr(all(), allow(unused_variables))] allowed_too: u32,
    #[expect(unused_variables)] expected: u32,
) -> u32 {
    #![allow(clippy::let_and_return)]
    let sum = present;
    sum
}

#[cfg(all())]
#[diagnose]
#[cfg(all())]
async fn configured() {}

#[diagnose]
#[cfg(any())]
async fn configured_away(_: Missing) {}

#[diagnose]
#[must_use = "it is an answer"]
async fn stays_async() -> u32 {
    pause().await;
    1
}

#[test]
fn attributes_are_kept() {
    assert_eq!(run(documented(1, 2, 3, 4)), 1);
    run(configured());
    assert_eq!(run(stays_async()), 1);
    assert_eq!(calls("stays_async"), ["1 stays_async"]);
    assert_eq!(calls("documented"), ["1 documented"]);
}
