//! Futures that wait for each other's locks while their tasks go on, as with a heartbeat.

use diagnose_reports::model::{SpanId, SpanIndex, WaitMode};

use crate::support::hangs::Program;

const SECOND: u64 = 1_000_000_000;

/// ```text
/// one, two: select! ─┬ works: has a lock, and waits for that of the other
///                    └ a timer
/// ```
/// Everything waits since 5 s, but the timers since `timer_ns`. Also returns the spans of `works`.
fn heartbeats(timer_ns: u64) -> (Program, [usize; 2]) {
    let mut program = Program::new();
    program.has_timer(1);
    let tasks = [program.task("one"), program.task("two")];
    let locks = tasks.map(|_| program.mutex());
    for task in tasks {
        program.of(task).since_ns = timer_ns;
    }
    let works = [0, 1].map(|number| {
        let (task, own, other) = (tasks[number], locks[number], locks[1 - number]);
        let around = program.span(task, None, 30);
        let works = program.span(task, Some(around), 31);
        let beats = program.span(task, Some(around), 32);
        let ids = [works, beats].map(|span| program.snapshot.spans[span].id);
        let holding = program.holds(task, own, 40);
        (holding.span, holding.since_ns) = (Some(ids[0]), 5 * SECOND);
        let wait = program.waits(task, other, WaitMode::Lock, 41);
        (wait.span, wait.since_ns) = (Some(ids[0]), 5 * SECOND);
        let timer = program.wait(task, WaitMode::Timer, 50);
        (timer.span, timer.since_ns, timer.due_ns) = (Some(ids[1]), timer_ns, Some(1));
        works
    });
    (program, works)
}

#[test]
fn two_futures_that_wait_for_each_other_beside_heartbeats() {
    let (program, _) = heartbeats(SECOND / 10);
    assert_eq!(program.verdicts(), ["suspect cycle"]);
    insta::assert_snapshot!(program.sentence(), @"future `span` of task 2 `one` holds `Mutex#1` (acquired at src/main.rs:40) and is waiting for `Mutex#2` at src/main.rs:41 (5.00 s); future `span` of task 3 `two` holds `Mutex#2` (acquired at src/main.rs:40) and is waiting for `Mutex#1` at src/main.rs:41 (5.00 s): their tasks go on beside these futures, which wait for each other");
}

#[test]
fn a_timer_that_is_as_old_as_the_wait_may_be_a_time_limit() {
    assert_eq!(heartbeats(5 * SECOND).0.verdicts(), [""; 0]);
    assert_eq!(heartbeats(2 * SECOND).0.verdicts(), [""; 0]);
}

#[test]
fn what_the_future_also_polls_may_let_it_go_on() {
    let (mut program, [works, _]) = heartbeats(SECOND / 10);
    let own = program.snapshot.spans[works].clone();
    for _ in 0..2 {
        let mut arm = own.clone();
        (arm.id, arm.parent) = (SpanId::new(900), Some(SpanIndex::new(works)));
        program.snapshot.spans.push(arm);
    }
    let wait = program.snapshot.waits.iter_mut().find(|wait| wait.span == Some(own.id));
    wait.unwrap().span = Some(SpanId::new(900));
    assert_eq!(program.verdicts(), [""; 0]);
}

#[test]
fn a_guard_that_may_be_elsewhere_keeps_nobody_out() {
    let (mut program, _) = heartbeats(SECOND / 10);
    program.snapshot.resources[0].holdings[0].is_movable = true;
    assert_eq!(program.verdicts(), [""; 0]);
}

#[test]
fn a_saved_snapshot_may_name_parents_that_are_not_there() {
    let (mut program, works) = heartbeats(SECOND / 10);
    for span in works {
        program.snapshot.spans[span].parent = Some(SpanIndex::new(1_000_000));
    }
    assert_eq!(program.verdicts(), ["suspect cycle"]);
}
