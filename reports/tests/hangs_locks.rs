//! Who waits for whom at locks, and in their queues.

mod support;

use diagnose_reports::Mode;
use support::hangs::Program;

/// ```text
/// main ─ joins ─▶ 2 ─ waits ─▶ Mutex#2 ─ held by ─▶ 3 ─ waits ─▶ Mutex#1 ─ held by ─▶ 2
/// ```
fn crossed() -> Program {
    let mut program = Program::new();
    let (left, right) = (program.task("left"), program.task("right"));
    let (a, b) = (program.mutex(), program.mutex());
    program.joins(1, left, 20);
    program.holds(left, a, 5);
    program.waits(left, b, Mode::Lock, 6);
    program.holds(right, b, 9);
    program.waits(right, a, Mode::Lock, 10);
    program
}

#[test]
fn two_tasks_that_cross_their_locks_are_a_cycle() {
    let program = crossed();
    assert_eq!(program.verdicts(), ["proven cycle"]);
    assert_eq!(
        program.chain(),
        [
            "task 2 waits 6",
            "resource 2 created 12",
            "task 3 holds 9",
            "task 3 waits 10",
            "resource 1 created 11",
            "task 2 holds 5"
        ]
    );
    insta::assert_snapshot!(program.sentence(), @"task 2 `left` waits for Mutex#2 at src/main.rs:6 for 1.00 s, held by task 3 `right` for 1.00 s (taken at src/main.rs:9); task 3 `right` waits for Mutex#1 at src/main.rs:10 for 1.00 s, held by task 2 `left` for 1.00 s (taken at src/main.rs:5): none of them can go on");
    assert_eq!(program.snapshot.verdicts()[0].victims, [1]);
}

#[test]
fn a_timer_on_one_side_of_crossed_locks_lets_both_go_on() {
    let mut program = crossed();
    program.has_timer(2);
    assert!(program.verdicts().is_empty());
}
