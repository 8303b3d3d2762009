//! `within` returns a value in time, or panics with the tree of the awaited future.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use diagnose::{diagnose, within};
use diagnose_scenarios_tests::runtime::{self, Runtime, sleep};
use diagnose_scenarios_tests::stopwatch::Stopwatch;

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

static AROUND: Stopwatch = Stopwatch::new();

/// Doubles the limit until the task is waiting as it passes. Returns it and the panic's message.
fn run_into_limit(runtime: Runtime) -> (Duration, String) {
    let mut limit = Duration::from_millis(50);
    loop {
        let start = Instant::now();
        let run = || runtime.run(AROUND.time(within(limit, stuck())));
        let panic = std::panic::catch_unwind(AssertUnwindSafe(run)).expect_err("it never ends");
        assert!(start.elapsed() >= limit);
        let waits = AROUND.take().last_end.is_some_and(|end| end <= start + limit);
        if waits {
            return (limit, *panic.downcast::<String>().expect("a text"));
        }
        assert!(limit < Duration::from_secs(60), "the machine does not come to the first poll");
        limit *= 2;
    }
}

#[test]
fn a_future_over_its_time_limit_reports_what_it_waits_for() {
    diagnose_isolation::isolated!();
    for runtime in runtime::ALL {
        diagnose::reset();
        assert_eq!(runtime.run(within(Duration::from_secs(60), answer())), 42);

        let (limit, text) = run_into_limit(runtime);
        let (head, rest) = text.split_once(" did not finish within ").expect("the panic of `within`");
        assert!(head.starts_with("the future at tests/scenarios/tests/within.rs:"), "{runtime:?}: {text}");
        assert!(
            rest.starts_with(&format!("{limit:?}\n\ntasks: 1 alive, 1 waiting\n")),
            "{runtime:?}: {text}"
        );
        assert!(text.contains(" stuck [waiting "), "{runtime:?}: {text}");
        assert!(
            text.contains("└─ never at never().await (tests/scenarios/tests/within.rs:"),
            "{runtime:?}: {text}"
        );
        assert!(text.contains("std::future::pending::<()>().await (tests/"), "{runtime:?}: {text}");
    }
    // No task is left.
    assert!(diagnose::snapshot().tasks.is_empty());
}
