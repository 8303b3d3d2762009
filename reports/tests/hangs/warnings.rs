//! Warnings without a proof: late timers, long polls, and futures that are not polled.

use diagnose_reports::model::{RunState, SiteKind, TaskId, WaitMode, Worker};

use crate::support::hangs::{Program, granted, set_aside};

const SECOND: u64 = 1_000_000_000;

#[test]
fn a_timer_long_overdue_says_that_nobody_drives_it() {
    let mut program = Program::new();
    program.wait(1, WaitMode::Timer, 7).due_ns = Some(-2_000_000_000);
    add_worker(&mut program);
    assert_eq!(program.verdicts(), ["likely driver_starved"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for a timer at src/main.rs:7 (due 2.00 s ago): no thread drives the timers of its runtime");
    program.snapshot.waits[0].due_ns = Some(-500_000_000);
    assert!(program.verdicts().is_empty());
}

#[test]
fn workers_without_a_cpu_may_come_to_their_timers_yet() {
    let late = |cpu_ns: u64| {
        let mut program = Program::new();
        program.wait(1, WaitMode::Timer, 7).due_ns = Some(-2_000_000_000);
        add_worker(&mut program);
        let worker = &mut program.snapshot.workers[0];
        (worker.cpu_ns, worker.delayed_ns) = (Some(cpu_ns), Some(9 * SECOND));
        program.verdicts()
    };
    assert!(late(SECOND / 2).is_empty());
    assert_eq!(late(2 * SECOND), ["likely driver_starved"]);
}

/// ```text
/// worker 70 ├─ poll of 2 s ─┤├─ next poll ▶
/// timer      due ▲
/// ```
#[test]
fn a_worker_that_has_polled_since_may_come_to_its_timers_yet() {
    let late = |since_ns: u64| {
        let mut program = Program::new();
        program.wait(1, WaitMode::Timer, 7).due_ns = Some(-2_000_000_000);
        let next = program.task("next");
        program.of(next).thread_id = Some(70);
        program.of(next).state = RunState::Running;
        program.of(next).since_ns = since_ns;
        add_worker(&mut program);
        program.snapshot.workers[0].thread_id = Some(70);
        program
    };
    let mut program = late(SECOND / 100);
    assert!(program.verdicts().is_empty());
    assert_eq!(late(2 * SECOND).verdicts(), ["likely driver_starved"]);
    let used = |cpu_ns: u64| {
        let mut program = late(2 * SECOND);
        program.snapshot.workers[0].cpu_ns = Some(cpu_ns);
        program.verdicts()
    };
    assert_eq!(used(40_000_000), ["likely driver_starved"]);
    assert_eq!(used(39_999_999), ["suspect driver_starved"], "its thread waited for a CPU");
    // Another executor polls there, and does not drive the timers.
    program.of(1).thread_id = Some(70);
    program.snapshot.workers.clear();
    assert_eq!(program.verdicts(), ["suspect driver_starved"]);
}

#[test]
fn a_worker_that_waits_for_a_cpu_may_come_to_its_timers_yet() {
    let mut program = Program::new();
    program.wait(1, WaitMode::Timer, 7).due_ns = Some(-2_000_000_000);
    add_worker(&mut program);
    add_worker(&mut program);
    program.snapshot.workers[1].is_delayed = true;
    assert!(program.verdicts().is_empty());
    program.snapshot.workers[1].runtime_number = 2;
    assert_eq!(program.verdicts(), ["likely driver_starved"]);
}

fn add_worker(program: &mut Program) {
    let mut worker = Worker::default();
    (worker.runtime, worker.runtime_number, worker.parked) = ("tokio".into(), 1, true);
    program.snapshot.workers.push(worker);
}

#[test]
fn timers_of_a_runtime_that_no_thread_runs_are_only_a_suspicion() {
    let mut program = Program::new();
    program.wait(1, WaitMode::Timer, 7).due_ns = Some(-2_000_000_000);
    assert_eq!(program.verdicts(), ["suspect driver_starved"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for a timer at src/main.rs:7 (due 2.00 s ago): no thread is in a `block_on` of its runtime");
}

/// A poll that has run for a second, and a task that has been queued as long.
fn hog(is_asleep: bool) -> Program {
    let mut program = Program::new();
    program.has_timer(1);
    let (hog, other) = (program.task("hog"), program.task("other"));
    program.of(hog).state = RunState::Running;
    program.of(hog).is_asleep = Some(is_asleep);
    program.of(other).state = RunState::Queued;
    program
}

#[test]
fn a_poll_that_does_not_end_spins() {
    let program = hog(false);
    assert_eq!(program.verdicts(), ["likely spin"]);
    assert_eq!(program.chain(), ["task 2 running 200"]);
    assert_eq!(program.snapshot.verdicts()[0].victims, [3].map(TaskId::new));
    insta::assert_snapshot!(program.sentence(), @"task 2 `hog` has been running in one poll at src/main.rs:200 for 1.00 s; 1 other task of its runtime is queued for a thread (1.00 s)");
}

/// Its thread may have waited for a CPU all the time, or for most of it.
#[test]
fn a_poll_that_waited_for_a_cpu_only_seems_to_spin() {
    let used = |cpu_ns: u64, delayed_ns: Option<u64>| {
        let mut program = hog(false);
        let mut worker = Worker::default();
        (worker.thread_id, worker.cpu_ns, worker.delayed_ns) = (Some(7), Some(cpu_ns), delayed_ns);
        worker.runtime = program.of(2).runtime.to_string();
        worker.task = Some(TaskId::new(2));
        program.snapshot.workers.push(worker);
        program.of(2).thread_id = Some(7);
        program.verdicts()
    };
    assert_eq!(used(20_000_000, None), ["likely spin"]);
    assert_eq!(used(19_999_999, None), ["suspect spin"]);
    // Half of its poll of a second, or less.
    assert_eq!(used(3 * SECOND, Some(2 * SECOND)), ["likely spin"]);
    assert_eq!(used(3 * SECOND, Some(3 * SECOND)), ["suspect spin"]);
}

#[test]
fn a_poll_that_sleeps_blocks_its_worker() {
    let program = hog(true);
    assert_eq!(program.verdicts(), ["likely blocked_worker"]);
    assert_eq!(program.chain(), ["task 2 blocked 200"]);
}

#[test]
fn a_poll_that_sleeps_for_a_time_is_only_suspect() {
    let mut program = hog(true);
    program.of(2).waits_for_thread = Some(true);
    assert_eq!(program.verdicts(), ["likely blocked_worker"]);
    program.of(2).waits_for_thread = Some(false);
    assert_eq!(program.verdicts(), ["suspect blocked_worker"]);
}

#[test]
fn a_timer_behind_a_poll_that_sleeps_for_a_time_is_only_suspect() {
    let late = |waits_for_thread: bool| {
        let mut program = hog(true);
        program.of(2).thread_id = Some(70);
        program.of(2).waits_for_thread = Some(waits_for_thread);
        program.of(3).state = RunState::Waiting;
        program.wait(3, WaitMode::Timer, 7).due_ns = Some(-2_000_000_000);
        add_worker(&mut program);
        let worker = &mut program.snapshot.workers[0];
        (worker.thread_id, worker.parked) = (Some(70), false);
        program
    };
    assert_eq!(late(true).verdicts(), ["likely driver_starved"]);
    let mut program = late(false);
    assert_eq!(program.verdicts(), ["suspect driver_starved"]);
    // Another worker that never returns does not change that.
    let stuck = program.task("stuck");
    program.of(stuck).state = RunState::Running;
    program.of(stuck).is_asleep = Some(true);
    program.of(stuck).waits_for_thread = Some(true);
    program.of(stuck).thread_id = Some(71);
    add_worker(&mut program);
    let worker = &mut program.snapshot.workers[1];
    (worker.thread_id, worker.parked) = (Some(71), false);
    assert!(program.verdicts().contains(&"suspect driver_starved".to_owned()));
}

#[test]
fn a_long_poll_with_a_free_worker_bothers_nobody() {
    let mut program = hog(false);
    add_worker(&mut program);
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_long_poll_that_nobody_waits_for_is_no_hang() {
    let mut program = hog(false);
    program.of(3).since_ns = SECOND / 10;
    assert!(program.verdicts().is_empty());
    let mut program = hog(false);
    program.of(2).since_ns = SECOND / 10;
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_nested_executor_that_misses_the_end_of_its_task() {
    let mut program = Program::new();
    program.sleeps(1, 70);
    program.joins(1, 99, 7).is_indirect = true;
    assert_eq!(program.verdicts(), ["likely blocked_worker"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is sleeping inside a poll at src/main.rs:7 (1.00 s): its `block_on` joins a task that is done, and nothing woke the `block_on`");
}

#[test]
fn a_future_that_was_woken_and_is_not_polled_is_a_hazard() {
    let mut program = Program::new();
    program.has_timer(1);
    let lock = program.mutex();
    let op = program.set_aside(1, "op", 33);
    set_aside(granted(program.waits(1, lock, WaitMode::Lock, 34))).span = Some(op);
    program.at(lock).free = 0;
    assert_eq!(program.verdicts(), ["suspect hazard"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` stopped polling future `op` at src/main.rs:34 (woken 1.00 s ago); the task is waiting at src/main.rs:100 (1.00 s)");
    program.snapshot.waits[0].woken_ns = Some(SECOND / 2);
    assert!(program.verdicts().is_empty());
}

#[test]
fn waiters_behind_a_future_that_is_not_polled_are_named() {
    let mut program = Program::new();
    program.has_timer(1);
    let (one, other, lock) = (program.task("one"), program.task("other"), program.mutex());
    let op = program.set_aside(1, "op", 33);
    set_aside(granted(program.waits(1, lock, WaitMode::Lock, 34))).span = Some(op);
    program.at(lock).free = 0;
    program.waits(one, lock, WaitMode::Lock, 7);
    program.waits(other, lock, WaitMode::Lock, 7).since_ns = SECOND / 2;
    assert_eq!(program.verdicts(), ["suspect hazard"]);
    assert_eq!(
        program.chain(),
        ["task 2 waits 7", "resource 1 created 11", "future 1000 granted 34", "task 1 waits 100"]
    );
    assert_eq!(program.snapshot.verdicts()[0].victims, [TaskId::new(other)]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` stopped polling future `op` at src/main.rs:34 (woken 1.00 s ago); the task is waiting at src/main.rs:100 (1.00 s); `Mutex#1` was granted to that future, and 2 waiters are waiting for it (longest 1.00 s)");
}

#[test]
fn a_lock_held_by_a_future_that_is_not_polled_is_a_hazard() {
    let mut program = Program::new();
    program.has_timer(1);
    let (waiter, lock) = (program.task("waiter"), program.mutex());
    let op = program.set_aside(1, "op", 33);
    program.holds(1, lock, 34).span = Some(op);
    program.waits(waiter, lock, WaitMode::Lock, 7);
    assert_eq!(program.verdicts(), ["suspect hazard"]);
    assert_eq!(program.chain(), ["task 2 waits 7", "resource 1 created 11", "future 500 holds 34"]);
    insta::assert_snapshot!(program.sentence(), @"future `op` of task 1 `main` has held `Mutex#1` for 1.00 s (acquired at src/main.rs:34), but its task stopped polling it; task 2 `waiter` is waiting for `Mutex#1` (1.00 s)");
    program.snapshot.waits[0].since_ns = SECOND / 2;
    assert!(program.verdicts().is_empty());
}

/// ```text
/// server: a group of two futures, one ─ locks ─▶ Mutex#1 ─ held by ─▶ the other, which awaits a socket
/// ```
#[test]
fn a_future_that_its_group_has_not_polled_again_is_no_hazard() {
    let mut program = Program::new();
    let (server, lock) = (program.task("server"), program.mutex());
    program.has_timer(1);
    program.has_timer(server);
    let body = program.span(server, None, 3);
    let [holder, waiter] = [5, 6].map(|line| program.span(server, Some(body), line));
    for child in [holder, waiter] {
        program.snapshot.spans[child].is_set_aside = true;
    }
    let ids = [holder, waiter].map(|index| program.snapshot.spans[index].id);
    program.holds(server, lock, 5).span = Some(ids[0]);
    let wait = set_aside(program.waits(server, lock, WaitMode::Lock, 6));
    (wait.span, wait.is_indirect) = (Some(ids[1]), true);
    assert!(program.verdicts().is_empty(), "the task awaits the group");
    program.span(server, Some(body), 9);
    assert_eq!(program.verdicts(), ["suspect hazard"], "it awaits something else");
    let site = program.snapshot.spans[body].site;
    program.snapshot.sites[site.get()].kind = SiteKind::Await;
    assert!(program.verdicts().is_empty(), "both are below one await");
}

/// A task awaits a child that has not been polled yet.
fn unpolled() -> (Program, u64) {
    let mut program = Program::new();
    let child = program.task("child");
    let it = program.of(child);
    (it.state, it.since_ns, it.is_local) = (RunState::Unpolled, 2_000_000_000, true);
    program.joins(1, child, 8).since_ns = 2_000_000_000;
    (program, child)
}

#[test]
fn an_awaited_task_of_a_local_set_that_no_thread_runs_is_suspect() {
    let (program, _) = unpolled();
    assert_eq!(program.verdicts(), ["suspect driver_starved undriven"]);
    assert_eq!(program.chain(), ["task 1 waits 8", "task 2 queued 201"]);
}

#[test]
fn a_long_poll_may_be_what_keeps_a_new_task_waiting() {
    let (mut program, _) = unpolled();
    let other = program.task("other");
    let it = program.of(other);
    (it.state, it.since_ns) = (RunState::Running, 2_000_000_000);
    assert!(!program.verdicts().iter().any(|verdict| verdict.contains("undriven")));
}

#[test]
fn a_new_task_that_nothing_awaits_may_be_for_later() {
    let (mut program, _) = unpolled();
    program.snapshot.waits.clear();
    assert!(program.verdicts().is_empty());
}

#[test]
fn workers_of_a_runtime_that_this_crate_did_not_build_are_unknown() {
    let (mut program, child) = unpolled();
    program.of(child).is_local = false;
    assert_eq!(program.verdicts(), ["suspect driver_starved undriven"], "runtime 1 has no worker");
    program.of(child).runtime_number = 0;
    assert!(program.verdicts().is_empty());
}
