//! `within` lets a value through in time, and else panics with the tree of what was waited for.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use diagnose::{diagnose, within};
use diagnose_scenarios_tests::runtime::{self, sleep};

#[diagnose]
async fn answer() -> u32 {
    sleep(5).await;
    42
}

#[diagnose]
async fn stuck() {
    never().await;
}

#[diagnose]
async fn never() {
    std::future::pending::<()>().await;
}

#[test]
fn what_is_not_done_says_what_it_waits_for() {
    for runtime in runtime::ALL {
        diagnose::reset();
        assert_eq!(runtime.run(within(Duration::from_secs(60), answer())), 42);

        let start = Instant::now();
        let run = || runtime.run(within(Duration::from_millis(50), stuck()));
        let panic = std::panic::catch_unwind(AssertUnwindSafe(run)).expect_err("it never ends");
        assert!(start.elapsed() >= Duration::from_millis(50));
        let text = panic.downcast::<String>().expect("a text");
        assert!(
            text.starts_with("not done within 50ms\n\ntasks: 1 alive, 1 waiting\n"),
            "{runtime:?}: {text}"
        );
        assert!(text.contains(" stuck [waiting "), "{runtime:?}: {text}");
        assert!(
            text.contains("└─ never at never().await (tests/scenarios/tests/within.rs:"),
            "{runtime:?}: {text}"
        );
        assert!(text.contains("std::future::pending::<()>().await (tests/"), "{runtime:?}: {text}");
    }
    // Nothing of it is left.
    assert!(diagnose::snapshot().tasks.is_empty());
}
