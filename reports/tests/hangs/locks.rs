//! Holders, waiters and queues of locks, semaphores and cells.

use diagnose_reports::model::{Attribution, LastEvent, ResourceKind, Role, TaskId, WaitMode};
use diagnose_reports::{Format, View};

use crate::support::hangs::{Program, place, set_aside};
use crate::support::page;

/// ```text
/// main ─ joins ─▶ 2 ─ waits ─▶ Mutex#2 ─ held by ─▶ 3 ─ waits ─▶ Mutex#1 ─ held by ─▶ 2
/// ```
pub(crate) fn crossed() -> Program {
    let mut program = Program::new();
    let (left, right) = (program.task("left"), program.task("right"));
    let (a, b) = (program.mutex(), program.mutex());
    program.joins(1, left, 20);
    program.holds(left, a, 5);
    program.waits(left, b, WaitMode::Lock, 6);
    program.holds(right, b, 9);
    program.waits(right, a, WaitMode::Lock, 10);
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
    insta::assert_snapshot!(program.sentence(), @"task 2 `left` is waiting for `Mutex#2` at src/main.rs:6 (1.00 s); task 3 `right` has held it for 1.00 s (acquired at src/main.rs:9) and is waiting for `Mutex#1` at src/main.rs:10 (1.00 s); task 2 `left` has held it for 1.00 s (acquired at src/main.rs:5): none of them can continue");
    assert_eq!(program.snapshot.verdicts()[0].victims, [1].map(TaskId::new));
}

#[test]
fn callers_that_a_sentence_has_just_named_are_not_repeated() {
    let mut program = crossed();
    for lock in [0, 1] {
        program.at(lock).holdings[0].callers = vec![place(30), place(40)];
    }
    insta::assert_snapshot!(program.sentence(), @"task 2 `left` is waiting for `Mutex#2` at src/main.rs:6 (1.00 s); task 3 `right` has held it for 1.00 s (acquired at src/main.rs:9, called from src/main.rs:30, src/main.rs:40) and is waiting for `Mutex#1` at src/main.rs:10 (1.00 s); task 2 `left` has held it for 1.00 s (acquired at src/main.rs:5, same callers): none of them can continue");
    program.at(0).holdings[0].callers[1] = place(41);
    assert!(!program.sentence().contains("same callers"), "{}", program.sentence());
}

#[test]
fn a_timer_on_one_side_of_crossed_locks_lets_both_go_on() {
    let mut program = crossed();
    program.has_timer(2);
    assert!(program.verdicts().is_empty());
}

#[test]
fn crossed_locks_are_no_proof_while_one_side_is_only_likely() {
    let mut program = crossed();
    program.at(0).holdings[0].attribution = Attribution::Likely;
    assert_eq!(program.verdicts(), ["likely cycle"]);
    program.at(0).holdings[0].attribution = Attribution::Unknown;
    assert!(program.verdicts().is_empty());
}

#[test]
fn young_waits_have_no_likely_verdict() {
    let mut program = crossed();
    program.at(0).holdings[0].attribution = Attribution::Likely;
    program.snapshot.waits[2].since_ns = 100_000_000;
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_guard_that_may_be_with_another_task_is_no_reason_to_be_stuck() {
    let mut program = crossed();
    let other = program.task("other");
    program.has_timer(other);
    let holding = &mut program.at(0).holdings[0];
    holding.attribution = Attribution::Likely;
    holding.candidates.push(TaskId::new(other));
    assert!(program.verdicts().is_empty());
}

#[test]
fn what_changed_during_the_capture_is_no_evidence() {
    for task_changes in [true, false] {
        let mut program = crossed();
        if task_changes {
            program.of(2).is_unstable = true;
        } else {
            program.snapshot.waits[1].is_unstable = true;
        }
        assert!(program.verdicts().is_empty());
    }
}

#[test]
fn a_task_that_waits_for_what_it_holds_waits_for_itself() {
    let mut program = Program::new();
    let lock = program.mutex();
    program.holds(1, lock, 3);
    program.waits(1, lock, WaitMode::Lock, 9);
    assert_eq!(program.verdicts(), ["proven self_wait"]);
    assert_eq!(program.chain(), ["task 1 waits 9", "resource 1 created 11", "task 1 holds 3"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for `Mutex#1` at src/main.rs:9 (1.00 s); the same task has held it for 1.00 s (acquired at src/main.rs:3): the task waits for itself");
}

#[test]
fn ten_waiters_of_a_slow_lock_only_wait() {
    let mut program = Program::new();
    let lock = program.mutex();
    program.has_timer(1);
    program.holds(1, lock, 3);
    for _ in 0..10 {
        let waiter = program.task("waiter");
        program.waits(waiter, lock, WaitMode::Lock, 4);
    }
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_lock_with_a_holder_that_nobody_knows_is_not_stuck() {
    let mut program = Program::new();
    let lock = program.mutex();
    program.waits(1, lock, WaitMode::Lock, 3);
    assert!(program.verdicts().is_empty());
}

/// ```text
/// main holds read, waits read ─ behind ─▶ 2, which waits write ─ held by ─▶ main
/// ```
#[test]
fn a_second_read_behind_a_writer_is_a_cycle_by_the_queue() {
    for is_fair in [true, false] {
        let mut program = Program::new();
        let writer = program.task("writer");
        let lock = program.rwlock();
        program.at(lock).is_fair = is_fair;
        program.holds(1, lock, 2);
        program.waits(writer, lock, WaitMode::Write, 4).units = 1000;
        program.waits(1, lock, WaitMode::Read, 6);
        assert_eq!(program.verdicts(), ["proven cycle via_queue"]);
        assert_eq!(
            program.chain(),
            ["task 1 waits 6", "resource 1 created 11", "task 2 queued 4", "task 1 holds 2"]
        );
        insta::allow_duplicates! {
            insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting to read `RwLock#1` at src/main.rs:6 (1.00 s), queued behind task 2 `writer`, which is waiting to write `RwLock#1` at src/main.rs:4 (1.00 s); task 1 `main` has held it for 1.00 s (acquired at src/main.rs:2): none of them can continue");
        }
    }
}

/// ```text
/// main, reader hold read, wait read ─ behind ─▶ writer, which waits write ─ held by ─▶ main
/// other        is in a long poll: while a thread is blocked, a task that gets its lock need not make progress
/// ```
#[test]
fn beside_a_long_poll_a_second_read_is_behind_the_writer_too() {
    let mut program = Program::new();
    let (writer, reader, other) = (program.task("writer"), program.task("reader"), program.task("other"));
    let lock = program.rwlock();
    program.holds(1, lock, 2);
    program.holds(reader, lock, 2);
    program.waits(writer, lock, WaitMode::Write, 4).units = 1000;
    program.waits(reader, lock, WaitMode::Read, 6);
    program.waits(1, lock, WaitMode::Read, 6);
    program.sleeps(other, 7);
    assert_eq!(program.verdicts().first().map(String::as_str), Some("proven cycle via_queue"));
}

#[test]
fn a_second_read_without_a_writer_surely_before_it_is_not_stuck() {
    let mut program = Program::new();
    let writer = program.task("writer");
    let lock = program.rwlock();
    program.holds(1, lock, 2);
    program.waits(writer, lock, WaitMode::Write, 4).units = 1000;
    program.waits(1, lock, WaitMode::Read, 6).ahead = 0;
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_writer_needs_all_readers_to_go_on() {
    let mut program = Program::new();
    let (reader, writer) = (program.task("reader"), program.task("writer"));
    let lock = program.rwlock();
    program.has_timer(reader);
    program.holds(reader, lock, 2);
    program.holds(1, lock, 3);
    program.waits(writer, lock, WaitMode::Write, 4).units = 1000;
    program.polls_by_hand(1);
    assert_eq!(program.verdicts(), ["proven lost_waker"], "main holds, and nobody wakes it");
    program.snapshot.spans.clear();
    program.has_timer(1);
    assert!(program.verdicts().is_empty());
}

#[test]
fn holders_of_all_permits_that_want_more_are_a_knot() {
    let mut program = Program::new();
    let pool = program.semaphore(3);
    for _ in 0..3 {
        let task = program.task("worker");
        program.holds(task, pool, 6);
        program.waits(task, pool, WaitMode::Acquire, 8);
        program.joins(1, task, 20);
    }
    assert_eq!(program.verdicts(), ["proven cycle knot"]);
    assert_eq!(
        program.chain(),
        ["task 2 waits 8", "resource 1 created 11", "task 2 holds 6", "task 3 holds 6", "task 4 holds 6"]
    );
    insta::assert_snapshot!(program.sentence(), @"task 2 `worker` is waiting for a permit of `Semaphore#1` at src/main.rs:8 (1.00 s); the same task has held 1 permit for 1.00 s (acquired at src/main.rs:6); task 2 `worker`, task 3 `worker`, task 4 `worker` hold 3 permits of `Semaphore#1`: each of them is waiting for more");
}

#[test]
fn one_holder_that_can_progress_unties_a_knot() {
    let mut program = Program::new();
    let pool = program.semaphore(3);
    for _ in 0..3 {
        let task = program.task("worker");
        program.holds(task, pool, 6);
        program.waits(task, pool, WaitMode::Acquire, 8);
    }
    program.has_timer(1);
    program.has_timer(4);
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_knot_at_a_refilled_semaphore_is_only_likely() {
    let mut program = Program::new();
    let pool = program.semaphore(1);
    program.holds(1, pool, 6);
    program.waits(1, pool, WaitMode::Acquire, 8);
    program.at(pool).is_refilled = true;
    program.holding(1, pool, Role::Uses, 7);
    assert_eq!(program.verdicts(), ["likely self_wait"]);
    let filler = program.task("filler");
    program.has_timer(filler);
    program.holding(filler, pool, Role::Uses, 9);
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_request_for_more_permits_than_holders_return_is_stuck() {
    let mut program = Program::new();
    let pool = program.semaphore(5);
    program.waits(1, pool, WaitMode::Acquire, 8).units = 6;
    program.at(pool).first_task = Some(TaskId::new(1_000));
    assert_eq!(program.verdicts(), ["likely starved"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for 6 permits of `Semaphore#1` at src/main.rs:8 (1.00 s): `Semaphore#1` has only 5 permits in total");
    let holder = program.task("holder");
    program.has_timer(holder);
    program.holds_many(holder, pool, 2, 6);
    // An older task may have access to the semaphore too, and may add permits.
    assert_eq!(program.verdicts(), ["suspect starved"]);
    program.snapshot.waits[0].units = 5;
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_permit_that_was_forgotten_is_a_leak() {
    let mut program = Program::new();
    let pool = program.semaphore(1);
    program.at(pool).forgotten = 1;
    program.at(pool).free = 0;
    program.waits(1, pool, WaitMode::Acquire, 8);
    assert_eq!(program.verdicts(), ["proven leak"]);
    assert_eq!(program.chain(), ["task 1 waits 8", "resource 1 created 11"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for a permit of `Semaphore#1` at src/main.rs:8 (1.00 s): forget() removed 1 permit from `Semaphore#1` for good, and nothing else alive could add one");
}

#[test]
fn any_owner_of_the_semaphore_may_replace_a_forgotten_permit() {
    let mut program = Program::new();
    let pool = program.semaphore(1);
    (program.at(pool).forgotten, program.at(pool).free) = (1, 0);
    program.at(pool).first_task = Some(TaskId::new(2));
    program.waits(1, pool, WaitMode::Acquire, 8);
    assert_eq!(program.verdicts(), ["proven leak"]);
    let younger = program.task("younger");
    program.has_timer(younger);
    assert!(program.verdicts().is_empty());
}

#[test]
fn the_task_that_forgot_a_permit_is_named_with_the_place() {
    let mut program = Program::new();
    let pool = program.semaphore(1);
    let mut forgot = LastEvent::default();
    (forgot.task, forgot.place, forgot.ago_ns) = (Some(TaskId::new(1)), Some(place(6)), Some(1_000_000_000));
    let it = program.at(pool);
    (it.forgotten, it.free, it.last_forgotten) = (1, 0, Some(forgot));
    program.waits(1, pool, WaitMode::Acquire, 8);
    assert_eq!(program.chain(), ["task 1 waits 8", "resource 1 created 11", "task 1 holds 6"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for a permit of `Semaphore#1` at src/main.rs:8 (1.00 s): forget() removed 1 permit from `Semaphore#1` for good, last by task 1 `main` at src/main.rs:6 (1.00 s ago), and nothing else alive could add one");
}

#[test]
fn a_guard_whose_task_is_done_is_a_leak() {
    let mut program = Program::new();
    let lock = program.mutex();
    program.holds(77, lock, 3);
    program.waits(1, lock, WaitMode::Lock, 8);
    assert_eq!(program.verdicts(), ["likely leak"]);
    assert_eq!(program.chain(), ["task 1 waits 8", "resource 1 created 11", "task 77 holds 3"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for `Mutex#1` at src/main.rs:8 (1.00 s); task 77 (done) has held it for 1.00 s (acquired at src/main.rs:3): it was never released");
}

#[test]
fn a_cell_whose_initializer_waits_for_it_waits_for_itself() {
    let mut program = Program::new();
    let cell = program.other(ResourceKind::OnceCell);
    program.holds(1, cell, 2);
    program.waits(1, cell, WaitMode::Initialize, 3);
    assert_eq!(program.verdicts(), ["proven self_wait"]);
}

/// Tasks 2 and 3 have crossed locks, and so have 4 and 5. Task 4 also waits for a lock of task 2.
#[test]
fn a_cycle_behind_another_is_not_a_root_cause() {
    let mut program = crossed();
    let (third, fourth) = (program.task("third"), program.task("fourth"));
    let (c, d) = (program.mutex(), program.mutex());
    program.holds(third, c, 30);
    program.waits(third, d, WaitMode::Lock, 31);
    program.waits(third, 0, WaitMode::Lock, 33);
    program.holds(fourth, d, 34);
    program.waits(fourth, c, WaitMode::Lock, 35);
    let verdicts = program.snapshot.verdicts();
    let roots: Vec<_> = verdicts.iter().map(|it| (it.root_cause, it.behind)).collect();
    assert_eq!(roots, [(true, None), (false, Some(0))]);
    assert_eq!(verdicts[0].victims, [1, 4, 5].map(TaskId::new));
    let text = page(&program.snapshot, Format::Text, View::Time);
    let behind: Vec<&str> = text.lines().filter(|line| line.contains("waiting behind another")).collect();
    assert_eq!(behind, ["  waiting behind another verdict: proven cycle of task 2 left"]);
}

/// X holds the lock to write, and has a timer. Two reads are queued: that of an unpolled future of
/// A, then that of B.
///
/// ```text
/// A ─ waits ─▶ Mutex ─ held by ─▶ B
/// ```
fn read_behind(readers: u64) -> Program {
    let mut program = Program::new();
    let (x, a, b) = (program.task("x"), program.task("a"), program.task("b"));
    let (file, lock) = (program.rwlock(), program.mutex());
    program.at(file).capacity = Some(readers);
    program.holds_many(x, file, readers, 1);
    program.has_timer(x);
    program.holds(b, lock, 2);
    set_aside(program.waits(a, file, WaitMode::Read, 3));
    program.waits(a, lock, WaitMode::Lock, 4);
    program.waits(b, file, WaitMode::Read, 5);
    program.joins(1, a, 6);
    program
}

/// With room for two readers, the unit granted to A's future leaves one for B. With room for one,
/// the grant wakes A, which most likely does not poll that future.
#[test]
fn an_earlier_waiter_that_leaves_enough_units_is_not_waited_for() {
    assert!(read_behind(2).verdicts().is_empty());
    assert_eq!(read_behind(1).verdicts(), ["likely futurelock queued"]);
}

/// Any running task may have the semaphore. Even an older one may get it from a static or from a
/// value that both tasks were given.
#[test]
fn a_task_that_can_progress_may_close_a_semaphore() {
    let mut program = Program::new();
    let (own, pool) = (program.task("own"), program.semaphore(1));
    program.holds(own, pool, 3);
    program.waits(own, pool, WaitMode::Acquire, 4);
    program.joins(1, own, 5);
    assert_eq!(program.verdicts(), ["proven self_wait"]);
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["likely self_wait"]);
    program.at(pool).first_task = Some(TaskId::new(other + 1));
    assert_eq!(program.verdicts(), ["likely self_wait"]);
    program.joins(other, own, 6);
    (program.of(other).wakers, program.of(other).opaque_wakers) = (Some(1), Some(0));
    assert_eq!(program.verdicts(), ["proven self_wait"]);
    program.snapshot.is_all_recorded = false;
    assert_eq!(program.verdicts(), ["likely self_wait"], "something that is not on record may have it");
}
