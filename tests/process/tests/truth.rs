//! Recorded times agree with stopwatches and the processor time of the threads, on real workers.
#![cfg(target_os = "linux")]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose_process_tests::cpu;

const TASKS: u64 = 2;
const ROUNDS: u64 = 3;
const SPIN: Duration = Duration::from_millis(1);

/// The program's own measurement of its spins: processor time, and wall-clock time inside and
/// around the recorded span. The outer wall-clock time continues while another process has the
/// processor.
static SPUN_NS: AtomicU64 = AtomicU64::new(0);
static INSIDE_NS: AtomicU64 = AtomicU64::new(0);
static AROUND_NS: AtomicU64 = AtomicU64::new(0);
/// The program's own measurement of its sleeps, from the outside.
static SLEPT_NS: AtomicU64 = AtomicU64::new(0);

/// Spins, sleeps, spins, … : `ROUNDS` + 1 polls.
#[diagnose(root)]
async fn task() {
    for _ in 0..ROUNDS {
        measure(&AROUND_NS, spin);
        let start = Instant::now();
        sleep().await;
        SLEPT_NS.fetch_add(ns(start.elapsed()), Relaxed);
    }
    measure(&AROUND_NS, spin);
}

#[diagnose]
async fn sleep() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

#[diagnose]
fn spin() {
    measure(&INSIDE_NS, || {
        let start = cpu::time();
        let mut spun = Duration::ZERO;
        while spun < SPIN {
            spun = cpu::time().saturating_sub(start);
        }
        SPUN_NS.fetch_add(ns(spun), Relaxed);
    });
}

fn measure(sum_ns: &AtomicU64, function: impl FnOnce()) {
    let start = Instant::now();
    function();
    sum_ns.fetch_add(ns(start.elapsed()), Relaxed);
}

fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("it is short")
}

/// Adds a tolerance, as each capture measures the rate of the recorder's clock anew.
fn with_slack(ns: u64) -> u64 {
    ns + ns / 500 + 20_000
}

/// One run. In every run, counts are exact and times lie between the stopwatches. Returns whether
/// almost only the spins had the processor, so that time inside polls equals processor time.
fn run(runtime: &tokio::runtime::Runtime) -> bool {
    diagnose::reset();
    for sum_ns in [&SPUN_NS, &INSIDE_NS, &AROUND_NS, &SLEPT_NS] {
        sum_ns.store(0, Relaxed);
    }
    runtime.block_on(async {
        for _ in 0..TASKS {
            tokio::spawn(task()).await.expect("no panic");
        }
    });
    let snapshot = diagnose::snapshot();
    let node = |name: &str| {
        let node = snapshot.nodes.iter().find(|node| snapshot.sites[node.site].name == name);
        node.unwrap_or_else(|| panic!("{name} was recorded"))
    };
    let (task, sleep, spin) = (node("task"), node("sleep"), node("spin"));
    // A sleep whose first poll is delayed past its end is not polled again.
    let awaited = sleep.polls - sleep.calls;
    assert!(awaited <= TASKS * ROUNDS, "{awaited}");
    assert_eq!((task.calls, task.polls, task.completed), (TASKS, TASKS + awaited, TASKS));
    assert_eq!((sleep.calls, sleep.completed), (TASKS * ROUNDS, TASKS * ROUNDS));
    assert_eq!((spin.calls, spin.polls), (TASKS * (ROUNDS + 1), TASKS * (ROUNDS + 1)));
    assert_eq!(task.idle_ns, sleep.idle_ns, "it waits for nothing else");

    let slept_ns = sleep.busy_ns + sleep.idle_ns;
    let asked_ns = TASKS * ROUNDS * 1_000_000;
    assert!(with_slack(slept_ns) >= asked_ns, "a sleep is at least its time: {slept_ns} ns");
    let most_ns = SLEPT_NS.load(Relaxed);
    assert!(slept_ns <= with_slack(most_ns), "sleeps took {most_ns} ns, and {slept_ns} ns were recorded");

    let [spun, inside, around] = [&SPUN_NS, &INSIDE_NS, &AROUND_NS].map(|sum_ns| sum_ns.load(Relaxed));
    let busy = spin.busy_ns;
    let is_between = inside <= with_slack(busy) && busy <= with_slack(around);
    assert!(is_between, "spins were busy for {busy} ns, and took {inside} to {around} ns");
    let undisturbed = around.saturating_sub(spun) * 200 <= spun;
    if undisturbed {
        assert!(busy.abs_diff(spun) * 100 <= spun, "spins were busy for {busy} ns and used {spun} ns");
    }
    undisturbed
}

#[test]
fn busy_is_processor_time_and_polls_are_exact() {
    diagnose_isolation::isolated!();
    for workers in [1, 2, 4] {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_time().build();
        let runtime = runtime.expect("a runtime starts");
        let end = Instant::now() + Duration::from_secs(5);
        let (mut undisturbed, mut runs) = (0, 0);
        while runs < 3 || undisturbed < 20 && Instant::now() < end {
            undisturbed += u32::from(run(&runtime));
            runs += 1;
        }
        println!("{workers} workers: {undisturbed} of {runs} runs were undisturbed");
    }
}
