//! Quantiles of calls are within 4 % of the exact ones, by function and label.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps};
use proptest::prelude::*;

const HOUR_NS: u64 = 3_600_000_000_000;

/// For each call: label, duration of the first poll, time to its end, and whether it is canceled.
type Calls = Vec<(u8, u64, u64, bool)>;

#[diagnose(label = "{label}")]
async fn call(label: u8, first_ns: u64) {
    steps([Busy(first_ns), Wait]).await;
    let _ = label;
}

fn length() -> impl Strategy<Value = u64> {
    prop_oneof![0..3_u64, 0..100_u64, 0..10_000_000_u64, HOUR_NS..100 * HOUR_NS]
}

/// Returns the smallest duration that at least `per_mille` of 1000 durations do not exceed.
fn exact(durations: &mut [u64], per_mille: usize) -> u64 {
    durations.sort_unstable();
    let rank = (durations.len() * per_mille).div_ceil(1000).max(1);
    durations.get(rank - 1).copied().unwrap_or(0)
}

fn check(calls: &Calls) {
    diagnose::reset();
    for &(label, first_ns, then_ns, is_cancelled) in calls {
        let mut task = Task::new(call(label, first_ns));
        assert!(task.poll().is_pending());
        pass(then_ns);
        assert!(is_cancelled || task.poll().is_ready());
    }
    let found = diagnose::snapshot().latencies();
    for label in 0..2 {
        let ended = |cancelled: bool| {
            let ended = calls.iter().filter(move |call| call.0 == label && call.3 == cancelled);
            ended.map(|&(_, first_ns, then_ns, _)| first_ns + then_ns).collect::<Vec<u64>>()
        };
        let (mut completed, mut cancelled) = (ended(false), ended(true));
        let found = found.iter().find(|row| row.label == Some(label.to_string()));
        let found = found.map(|row| [row.completed, row.cancelled]).unwrap_or_default();
        for (found, exactly) in found.into_iter().zip([&mut completed, &mut cancelled]) {
            assert_eq!(found.count, exactly.len() as u64);
            assert_eq!(found.max_ns, exact(exactly, 1000));
            let quantiles =
                [(found.p50_ns, 500), (found.p90_ns, 900), (found.p99_ns, 990), (found.p999_ns, 999)];
            for (found, per_mille) in quantiles {
                let exact = exact(exactly, per_mille);
                assert!(found.abs_diff(exact) * 100 <= exact * 4, "{per_mille}: {found}, exactly {exact}");
            }
        }
    }
}

#[test]
fn quantiles_cover_all_calls_since_the_reset() {
    isolated!();
    random_calls();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]
    fn random_calls(calls in prop::collection::vec((0..2_u8, length(), length(), any::<bool>()), 0..60)) {
        check(&calls);
    }
}

#[diagnose]
fn timed(ns: u64) {
    diagnose::manual_clock::advance_ns(ns);
}

#[test]
fn a_million_calls_have_quantiles_as_exact_as_a_hundred() {
    isolated!();
    diagnose::manual_clock::install();
    // Two modes, as with a cache: most calls take microseconds, some milliseconds.
    let length = |number: u64| {
        let scattered = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        if number % 10 == 0 { 2_000_000 + scattered % 3_000_000 } else { 1_000 + scattered % 9_000 }
    };
    for count in [100, 1_000_000] {
        diagnose::reset();
        (0..count).for_each(|number| timed(length(number)));
        let mut lengths: Vec<u64> = (0..count).map(length).collect();
        let found = diagnose::snapshot().latencies()[0].completed;
        assert_eq!((found.count, found.max_ns), (count, exact(&mut lengths, 1000)));
        for (found, per_mille) in
            [(found.p50_ns, 500), (found.p90_ns, 900), (found.p99_ns, 990), (found.p999_ns, 999)]
        {
            let exact = exact(&mut lengths, per_mille);
            assert!(
                found.abs_diff(exact) * 100 <= exact * 4,
                "{count} {per_mille}: {found}, exactly {exact}"
            );
        }
    }
}
