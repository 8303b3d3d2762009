//! Futurelocks in an arm of a `join!`: the arm waits for a lock of a future that it set aside.

use diagnose_reports::model::{SpanId, SpanIndex, Wait, WaitMode};

use crate::support::hangs::{Program, granted, set_aside};

/// The spans of a program, by index.
struct Spans {
    around: usize,
    works: usize,
}

/// ```text
/// main: join!(works, ticks)
///       works: f1 = lock(); select! { f1, sleep }; lock() ─ waits ─▶ Mutex#1 ─ handed to ─▶ f1
///       ticks: a timer
/// ```
fn beside_a_timer() -> (Program, Spans) {
    let mut program = Program::new();
    let around = program.span(1, None, 30);
    let works = program.span(1, Some(around), 31);
    let first = program.span(1, Some(works), 33);
    let ticks = program.span(1, Some(around), 50);
    program.snapshot.spans[first].is_set_aside = true;
    for arm in [works, ticks] {
        let site = program.snapshot.spans[arm].site;
        program.snapshot.sites[site.get()].is_joined = true;
    }
    let lock = program.mutex();
    program.at(lock).free = 0;
    let spans = program.snapshot.spans.clone();
    set_aside(granted(program.waits(1, lock, WaitMode::Lock, 33))).span = Some(spans[first].id);
    program.waits(1, lock, WaitMode::Lock, 40).span = Some(spans[works].id);
    timer(&mut program, 51).span = Some(spans[ticks].id);
    (program, Spans { around, works })
}

fn timer(program: &mut Program, line: u32) -> &mut Wait {
    let wait = program.wait(1, WaitMode::Timer, line);
    wait.due_ns = Some(1);
    wait
}

#[test]
fn no_other_arm_polls_what_one_has_set_aside() {
    let (program, _) = beside_a_timer();
    assert_eq!(program.verdicts(), ["likely futurelock granted"]);
    assert_eq!(program.chain(), ["task 1 waits 40", "resource 1 created 11", "future 1000 granted 33"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for `Mutex#1` at src/main.rs:40 (1.00 s); it was granted to future `span` of the same task at src/main.rs:33 (1.00 s ago), but its task stopped polling it: only this arm of the join! can poll that future, and this arm is stuck here");
}

#[test]
fn a_lock_that_is_held_by_what_an_arm_has_set_aside() {
    let (mut program, _) = beside_a_timer();
    let first = program.snapshot.waits.remove(0);
    program.snapshot.waits[0].ahead = 0;
    program.holds(1, 0, 33).span = first.span;
    assert_eq!(program.verdicts(), ["likely futurelock holding"]);
}

#[test]
fn an_arm_of_a_select_is_dropped_when_another_is_done() {
    let (mut program, Spans { works, .. }) = beside_a_timer();
    let site = program.snapshot.spans[works].site;
    program.snapshot.sites[site.get()].is_joined = false;
    assert_eq!(program.verdicts(), ["suspect hazard"]);
}

#[test]
fn a_timer_around_the_join_may_drop_all_of_it() {
    let (mut program, Spans { around, .. }) = beside_a_timer();
    let around = program.snapshot.spans[around].id;
    timer(&mut program, 20).span = Some(around);
    assert_eq!(program.verdicts(), ["suspect hazard"]);
}

#[test]
fn what_is_not_on_record_in_the_arm_may_let_it_go_on() {
    let (mut program, Spans { works, .. }) = beside_a_timer();
    let mut unknown = program.snapshot.spans[works].clone();
    (unknown.id, unknown.parent) = (SpanId::new(599), Some(SpanIndex::new(works)));
    program.snapshot.spans.insert(works + 1, unknown);
    assert_eq!(program.verdicts(), ["suspect hazard"]);
}

#[test]
fn what_is_not_on_record_anywhere_in_the_task_may_let_the_arm_go_on() {
    let (mut program, _) = beside_a_timer();
    program.of(1).opaque_wakers = Some(1);
    assert_eq!(program.verdicts(), ["suspect hazard"]);
}
