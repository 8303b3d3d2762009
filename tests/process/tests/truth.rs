//! What is recorded is what happened: against the processor time of the threads, on real workers.
#![cfg(target_os = "linux")]

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose_process_tests::cpu;

const TASKS: u64 = 4;
const ROUNDS: u64 = 3;
const SPIN: Duration = Duration::from_micros(500);

/// What the program itself measures: processor time of its spins, and how often one of them was interrupted.
static SPUN_NS: AtomicU64 = AtomicU64::new(0);
static PREEMPTED: AtomicI64 = AtomicI64::new(0);
/// The same spins by the clock on the wall, which goes on when a hypervisor takes the processor away.
static WALL_NS: AtomicU64 = AtomicU64::new(0);

/// Spins, sleeps, spins, … : `ROUNDS` + 1 polls.
#[diagnose(root)]
async fn task() {
    for _ in 0..ROUNDS {
        spin();
        sleep().await;
    }
    spin();
}

#[diagnose]
async fn sleep() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

#[diagnose]
fn spin() {
    let wall = Instant::now();
    let (start, preemptions) = (cpu::time(), cpu::preemptions());
    while cpu::time().saturating_sub(start) < SPIN {}
    PREEMPTED.fetch_add(cpu::preemptions() - preemptions, Relaxed);
    SPUN_NS.fetch_add(
        u64::try_from(cpu::time().saturating_sub(start).as_nanos()).expect("it is short"),
        Relaxed,
    );
    WALL_NS.fetch_add(u64::try_from(wall.elapsed().as_nanos()).expect("it is short"), Relaxed);
}

/// One run. Poll counts are exact in every run; returns whether no spin was interrupted, so that time inside polls
/// and processor time are the same thing.
fn run(runtime: &tokio::runtime::Runtime) -> bool {
    diagnose::reset();
    SPUN_NS.store(0, Relaxed);
    PREEMPTED.store(0, Relaxed);
    WALL_NS.store(0, Relaxed);
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
    assert_eq!((task.calls, task.polls, task.completed), (TASKS, TASKS * (ROUNDS + 1), TASKS));
    assert_eq!(
        (sleep.calls, sleep.polls, sleep.completed),
        (TASKS * ROUNDS, TASKS * ROUNDS * 2, TASKS * ROUNDS)
    );
    assert_eq!((spin.calls, spin.polls), (TASKS * (ROUNDS + 1), TASKS * (ROUNDS + 1)));
    assert!(
        sleep.idle_ns >= TASKS * ROUNDS * 1_000_000,
        "a sleep is at least its time: {} ns",
        sleep.idle_ns
    );
    let (spun, wall) = (SPUN_NS.load(Relaxed), WALL_NS.load(Relaxed));
    let undisturbed = PREEMPTED.load(Relaxed) == 0 && wall.saturating_sub(spun) * 200 <= spun;
    if undisturbed {
        assert!(
            spin.busy_ns.abs_diff(spun) * 100 <= spun,
            "spins were busy for {} ns and used the processor for {spun} ns",
            spin.busy_ns
        );
    }
    undisturbed
}

#[test]
fn busy_is_processor_time_and_polls_are_exact() {
    for workers in [1, 2, 4] {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_time().build();
        let runtime = runtime.expect("a runtime starts");
        run(&runtime);
        let (mut undisturbed, mut attempts) = (0, 0);
        while undisturbed < 20 {
            attempts += 1;
            assert!(attempts < 1_000, "the machine never let a run pass undisturbed: {undisturbed} of 20");
            undisturbed += u32::from(run(&runtime));
        }
    }
}
