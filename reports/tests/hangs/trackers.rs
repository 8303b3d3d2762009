//! Waits for the tasks of a tracker.

use diagnose_reports::model::{ResourceKind, Role, WaitMode};

use crate::support::hangs::Program;

/// Task 1 waits for the tasks of a tracker, and one of two of them for a lock that task 1 holds.
fn drain() -> Program {
    let mut program = Program::new();
    let (stuck, other) = (program.task("stuck"), program.task("other"));
    let (lock, tracker) = (program.mutex(), program.other(ResourceKind::TaskTracker));
    program.holds(1, lock, 2);
    program.holds(stuck, tracker, 3);
    program.holds(other, tracker, 4);
    program.has_timer(other);
    program.waits(stuck, lock, WaitMode::Lock, 5);
    program.waits(1, tracker, WaitMode::Closed, 6);
    program
}

#[test]
fn a_drain_is_stuck_with_one_of_its_tasks_open_or_closed() {
    let mut program = drain();
    let stuck = "task 1 `main` is waiting for the tasks of `TaskTracker#2` at src/main.rs:6 (1.00 s); \
                 task 2 `stuck` has been tracked by it for 1.00 s (added at src/main.rs:3) and is waiting for \
                 `Mutex#1` at src/main.rs:5 (1.00 s); task 1 `main` has held it for 1.00 s (acquired at \
                 src/main.rs:2): none of them can continue";
    assert_eq!(program.verdicts(), ["proven cycle"]);
    assert_eq!(program.sentence(), stuck);
    program.at(1).is_closed = true;
    assert_eq!(program.verdicts(), ["proven cycle"]);
    program.at(1).holdings.retain(|holding| holding.task == Some(3.into()));
    assert_eq!(program.verdicts(), [""; 0], "the other task ends, and so does the drain");
}

#[test]
fn a_task_that_may_be_dropped_or_a_token_that_may_be_elsewhere_is_no_proof() {
    let mut program = drain();
    program.of(2).has_abort_handle = true;
    assert!(!program.verdicts().contains(&"proven cycle".to_owned()));
    let mut program = drain();
    program.at(1).holdings[0].is_movable = true;
    assert!(!program.verdicts().contains(&"proven cycle".to_owned()));
}

#[test]
fn an_empty_tracker_that_nothing_can_close_starves_the_wait() {
    let mut program = Program::new();
    let (idle, tracker) = (program.task("idle"), program.other(ResourceKind::TaskTracker));
    let channel = program.channel(1);
    program.sends(1, channel, 2);
    program.waits(idle, channel, WaitMode::Receive, 3);
    program.holding(1, tracker, Role::Uses, 5);
    program.waits(1, tracker, WaitMode::Closed, 6);
    assert_eq!(program.verdicts()[0], "likely starved");
    let said = program.snapshot.verdicts()[0].sentence.clone();
    assert!(
        said.contains("is waiting for `TaskTracker#1`, which is empty, to be closed at src/main.rs:6"),
        "{said}"
    );
    assert!(said.ends_with("nothing else alive could close it"), "{said}");
    program.at(tracker).is_closed = true;
    assert_eq!(program.verdicts(), [""; 0], "it is about to end");
}
