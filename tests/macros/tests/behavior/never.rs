//! `-> !` stays `-> !`.

use std::pin::pin;

use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, poll};

#[diagnose]
async fn for_ever(step: u32) -> ! {
    let mut total = 0;
    loop {
        pause().await;
        total += step;
        assert!(total <= 2, "enough");
    }
}

async fn coerced() -> u32 {
    for_ever(1).await
}

#[test]
fn a_future_that_never_ends_has_any_type() {
    let mut future = pin!(coerced());
    for _ in 0..3 {
        assert!(poll(future.as_mut()).is_pending());
    }
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| poll(future.as_mut()))).is_err());
    assert_eq!(calls("for_ever"), ["1 for_ever"]);
}
