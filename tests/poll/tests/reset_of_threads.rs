//! A reset sets the CPU times of threads to zero.

use diagnose::diagnose;
use diagnose_isolation::isolated;

#[diagnose]
fn compute() {
    std::hint::black_box((0..1_000_000_u64).fold(0, |sum, it| sum ^ it.rotate_left(5)));
}

/// The time on a CPU of the only thread; `None` on other systems than Linux.
fn cpu_ns() -> Option<u64> {
    diagnose::snapshot().threads[0].cpu_ns
}

#[test]
fn the_cpu_time_of_a_thread_counts_from_the_reset() {
    isolated!();
    compute();
    while cpu_ns().is_some_and(|ns| ns < 200_000_000) {
        compute();
    }
    diagnose::reset();
    compute();
    let after = cpu_ns();
    assert!(after.is_none_or(|ns| ns < 200_000_000), "{after:?}");
}
