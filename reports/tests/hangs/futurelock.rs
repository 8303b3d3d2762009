//! Futurelocks: a task waits for a resource of a future that it has stopped polling.

use diagnose_reports::model::{Attribution, ResourceKind, Role, TaskId, WaitMode};

use crate::support::hangs::{Program, granted, set_aside, told};

/// ```text
/// main: f1 = op(lock); select! { f1, sleep }; op(lock) ─ waits ─▶ Mutex#1 ─ handed to ─▶ f1, which only main polls
/// ```
fn handed() -> Program {
    let mut program = Program::new();
    let lock = program.mutex();
    let op = program.set_aside(1, "op", 33);
    let first = set_aside(granted(program.waits(1, lock, WaitMode::Lock, 33)));
    first.span = Some(op);
    program.at(lock).free = 0;
    program.waits(1, lock, WaitMode::Lock, 40);
    program
}

#[test]
fn a_lock_handed_to_a_future_that_is_not_polled() {
    let program = handed();
    assert_eq!(program.verdicts(), ["proven futurelock granted"]);
    assert_eq!(program.chain(), ["task 1 waits 40", "resource 1 created 11", "future 1000 granted 33"]);
    assert_eq!(program.snapshot.verdicts()[0].chain[2].name, "op");
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for `Mutex#1` at src/main.rs:40 (1.00 s); it was granted to future `op` of the same task at src/main.rs:33 (1.00 s ago), but its task stopped polling it: only this task can poll that future, and this task is stuck here");
}

/// The task polled the future once, put it where any other task may find it, and ended.
#[test]
fn a_lock_handed_to_a_future_that_a_finished_task_has_left() {
    let mut program = Program::new();
    let lock = program.mutex();
    granted(program.waits(9, lock, WaitMode::Lock, 33));
    program.at(lock).free = 0;
    program.waits(1, lock, WaitMode::Lock, 40);
    assert_eq!(program.verdicts(), ["likely futurelock granted"]);
    assert_eq!(program.chain(), ["task 1 waits 40", "resource 1 created 11", "future 1000 granted 33"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for `Mutex#1` at src/main.rs:40 (1.00 s); it was granted to a future of task 9 (done) at src/main.rs:33 (1.00 s ago): no other task has polled that future since");
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["suspect futurelock granted"]);
    program.snapshot.waits[0].task = None;
    assert!(program.verdicts().is_empty(), "its task may be alive");
}

#[test]
fn a_task_with_another_reason_to_wake_is_not_locked() {
    let mut program = handed();
    program.has_timer(1);
    assert_eq!(program.verdicts(), ["suspect hazard"]);
}

#[test]
fn an_unfair_lock_wakes_a_future_that_is_not_polled() {
    let mut program = Program::new();
    let lock = program.unfair_mutex();
    set_aside(told(program.waits(1, lock, WaitMode::Lock, 33)));
    program.waits(1, lock, WaitMode::Lock, 40);
    assert_eq!(program.verdicts(), ["proven futurelock granted"]);
}

/// A writer wakes one reader. Each reader wakes the next when it is polled.
#[test]
fn a_reader_that_is_woken_and_not_polled_wakes_no_other() {
    let mut program = Program::new();
    let lock = program.rwlock();
    program.at(lock).is_fair = false;
    set_aside(told(program.waits(1, lock, WaitMode::Read, 33)));
    program.waits(1, lock, WaitMode::Read, 40);
    assert_eq!(program.verdicts(), ["proven futurelock granted"]);
}

/// The call that initialized the cell has failed: the next one gets its turn.
#[test]
fn a_call_whose_turn_it_is_to_initialize_keeps_the_others_waiting() {
    let mut program = Program::new();
    let cell = program.other(ResourceKind::OnceCell);
    set_aside(told(program.waits(1, cell, WaitMode::Initialize, 33)));
    program.waits(1, cell, WaitMode::Initialize, 40);
    assert_eq!(program.verdicts(), ["proven futurelock granted"]);
    let mut turns = Program::new();
    let (other, cell) = (turns.task("other"), turns.other(ResourceKind::OnceCell));
    told(turns.waits(other, cell, WaitMode::Initialize, 33));
    turns.waits(1, cell, WaitMode::Initialize, 40);
    assert_eq!(turns.verdicts(), [""; 0]);
}

#[test]
fn at_an_unfair_lock_nobody_waits_for_earlier_waiters_that_were_not_woken() {
    let mut program = Program::new();
    let (holder, lock) = (program.task("holder"), program.unfair_mutex());
    program.has_timer(holder);
    program.holds(holder, lock, 3);
    set_aside(program.waits(1, lock, WaitMode::Lock, 33));
    program.waits(1, lock, WaitMode::Lock, 40);
    assert!(program.verdicts().is_empty());
}

#[test]
fn at_a_fair_lock_a_future_that_is_not_polled_stands_before_its_task() {
    let mut program = Program::new();
    let (holder, lock) = (program.task("holder"), program.mutex());
    program.has_timer(holder);
    program.holds(holder, lock, 3);
    set_aside(program.waits(1, lock, WaitMode::Lock, 33));
    program.waits(1, lock, WaitMode::Lock, 40);
    // The grant will wake the task, whose current await may poll that future. Once it is granted
    // and was not polled, it is proven.
    assert_eq!(program.verdicts(), ["likely futurelock queued"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for `Mutex#1` at src/main.rs:40 (1.00 s), queued behind a future of the same task, which is waiting for `Mutex#1` at src/main.rs:33 (1.00 s), but its task stopped polling it: only this task can poll that future, and this task is stuck here");
}

/// A boxed future can move to another task, and no record says so before that task polls it.
#[test]
fn any_task_that_can_progress_may_own_a_boxed_future_that_was_set_aside() {
    let mut program = handed();
    program.snapshot.waits[0].may_have_moved = true;
    assert_eq!(program.verdicts(), ["proven futurelock granted"]);
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["likely futurelock granted"]);
    assert_eq!(program.sentence(), handed().sentence());
    program.snapshot.waits[0].may_have_moved = false;
    assert_eq!(program.verdicts(), ["proven futurelock granted"]);
}

#[test]
fn a_thread_may_have_a_boxed_future_that_was_set_aside() {
    let mut program = handed();
    program.snapshot.waits[0].may_have_moved = true;
    program.snapshot.is_all_recorded = false;
    assert_eq!(program.verdicts(), ["likely futurelock granted"]);
}

#[test]
fn a_boxed_future_that_was_set_aside_takes_its_guard_along() {
    let mut program = Program::new();
    let lock = program.mutex();
    let op = program.set_aside(1, "op", 33);
    let guard = program.holds(1, lock, 34);
    (guard.span, guard.may_have_moved) = (Some(op), true);
    program.waits(1, lock, WaitMode::Lock, 40);
    assert_eq!(program.verdicts(), ["proven futurelock holding"]);
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["suspect futurelock holding"], "that one may poll it now");
}

/// A guard of `try_lock` may be in any future of its task; a guard of std stays on its thread.
#[test]
fn a_guard_that_may_have_moved_cannot_leave_its_thread_while_that_is_blocked() {
    let mut program = Program::new();
    let (a, b) = (program.mutex(), program.mutex());
    program.holds(1, a, 3).may_have_moved = true;
    let other = program.task("other");
    program.holds(other, b, 5);
    program.waits(other, a, WaitMode::Lock, 6);
    program.sleeps(1, 77);
    program.waits(1, b, WaitMode::Lock, 7).thread_id = Some(77);
    assert_eq!(program.verdicts(), ["proven blocked_worker"]);
    let third = program.task("third");
    program.has_timer(third);
    assert_eq!(program.verdicts(), ["suspect blocked_worker"]);
    program.at(a).holdings[0].thread_id = Some(77);
    assert_eq!(program.verdicts(), ["proven blocked_worker"]);
    program.at(a).holdings[0].thread_id = Some(78);
    assert_eq!(program.verdicts(), ["suspect blocked_worker"], "that thread may run on");
}

/// Nothing can wake the task in either case, but here other tasks wait for its future.
#[test]
fn a_task_that_left_its_boxed_future_is_a_futurelock_and_no_lost_waker() {
    let mut program = Program::new();
    let (paused, lock) = (program.task("paused"), program.mutex());
    let op = program.set_aside(paused, "op", 33);
    let first = set_aside(granted(program.waits(paused, lock, WaitMode::Lock, 33)));
    (first.span, first.may_have_moved) = (Some(op), true);
    program.at(lock).free = 0;
    program.waits(1, lock, WaitMode::Lock, 40);
    (program.of(paused).wakers, program.of(paused).opaque_wakers) = (Some(0), Some(0));
    assert_eq!(program.verdicts(), ["proven futurelock granted"]);
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["likely futurelock granted"]);
}

#[test]
fn a_lock_held_by_a_future_that_is_not_polled() {
    let mut program = Program::new();
    let lock = program.mutex();
    let op = program.set_aside(1, "op", 33);
    program.holds(1, lock, 34).span = Some(op);
    program.waits(1, lock, WaitMode::Lock, 40);
    assert_eq!(program.verdicts(), ["proven futurelock holding"]);
    assert_eq!(program.chain(), ["task 1 waits 40", "resource 1 created 11", "future 500 holds 34"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for `Mutex#1` at src/main.rs:40 (1.00 s); future `op` of the same task has held it for 1.00 s (acquired at src/main.rs:34), but its task stopped polling it: only this task can poll that future, and this task is stuck here");
}

/// A hand-written `poll` has both futures, polls one of them at each wake, and polls `op` when its
/// timer has woken the task.
#[test]
fn a_future_that_was_set_aside_may_be_polled_when_it_is_woken() {
    let locked = |is_woken: bool| {
        let mut program = Program::new();
        let lock = program.mutex();
        let op = program.set_aside(1, "op", 33);
        program.holds(1, lock, 34).span = Some(op);
        let timer = set_aside(program.wait(1, WaitMode::Timer, 35));
        timer.span = Some(op);
        timer.woken_ns = is_woken.then_some(500_000_000);
        program.waits(1, lock, WaitMode::Lock, 40);
        program.verdicts()
    };
    assert_eq!(locked(false), ["likely futurelock holding"]);
    assert_eq!(locked(true), ["proven futurelock holding"], "it was not polled at that wake");
}

#[test]
fn capacity_granted_to_a_send_that_is_not_polled() {
    let mut program = Program::new();
    let (receiver, channel) = (program.task("receiver"), program.channel(1));
    program.sends(1, channel, 5);
    program.receives(receiver, channel, 6);
    program.waits(receiver, channel, WaitMode::Receive, 7);
    set_aside(granted(program.waits(1, channel, WaitMode::Send, 9)));
    program.at(channel).free = 0;
    program.waits(1, channel, WaitMode::Send, 12);
    assert_eq!(program.verdicts(), ["proven futurelock granted"]);
    assert_eq!(program.chain(), ["task 1 waits 12", "resource 1 created 11", "future 1001 granted 9"]);
    assert_eq!(program.snapshot.verdicts()[0].victims, [2].map(TaskId::new));
}

#[test]
fn a_permit_for_an_item_of_a_stream_whose_body_runs() {
    let mut program = Program::new();
    let pool = program.semaphore(1);
    set_aside(granted(program.waits(1, pool, WaitMode::Acquire, 18))).is_indirect = true;
    program.at(pool).free = 0;
    program.waits(1, pool, WaitMode::Acquire, 20);
    assert_eq!(program.verdicts(), ["proven futurelock granted"]);
}

#[test]
fn an_item_of_a_stream_that_was_not_woken_is_only_waiting() {
    let mut program = Program::new();
    let (holder, lock) = (program.task("holder"), program.mutex());
    program.has_timer(holder);
    program.holds(holder, lock, 3);
    for line in 33..36 {
        set_aside(program.waits(1, lock, WaitMode::Lock, line)).is_indirect = true;
    }
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_receiver_in_a_future_that_was_never_polled() {
    let mut program = Program::new();
    let channel = program.channel(1);
    program.fill(channel, 1);
    let holding = program.receives(1, channel, 6);
    holding.uses = 0;
    holding.attribution = Attribution::Likely;
    program.waits(1, channel, WaitMode::Send, 7);
    assert_eq!(program.verdicts(), ["likely futurelock unpolled"]);
    assert_eq!(program.chain(), ["task 1 waits 7", "resource 1 created 11", "task 1 owns 6"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for a free slot in `mpsc#1` at src/main.rs:7 (1.00 s); its receiver was last seen with the same task (never used, created at src/main.rs:6): only this task has it, and is stuck here: it would receive later, or owns a receiving future that it has never polled");
}

/// ```text
/// 3 ─ waits ─▶ Mutex#1 ─ handed to ─▶ a future in 2, which is polled and does not poll it
/// ```
#[test]
fn a_wrapper_that_stops_polling_locks_others_out() {
    let mut program = Program::new();
    let (paused, other) = (program.task("paused"), program.task("other"));
    let lock = program.mutex();
    set_aside(granted(program.waits(paused, lock, WaitMode::Lock, 9)));
    program.at(lock).free = 0;
    program.waits(other, lock, WaitMode::Lock, 10);
    program.joins(1, other, 20);
    assert_eq!(program.verdicts(), ["proven futurelock granted"]);
    assert_eq!(program.chain(), ["task 3 waits 10", "resource 1 created 11", "future 1000 granted 9"]);
    assert_eq!(program.snapshot.verdicts()[0].victims, [1, 2].map(TaskId::new));
    insta::assert_snapshot!(program.sentence(), @"task 3 `other` is waiting for `Mutex#1` at src/main.rs:10 (1.00 s); it was granted to a future of task 2 `paused` at src/main.rs:9 (1.00 s ago), but its task stopped polling it: only this task can poll that future, and this task is stuck here");
}

#[test]
fn a_receiver_that_is_polled_takes_queued_messages() {
    let mut program = Program::new();
    let (receiver, channel) = (program.task("receiver"), program.channel(1));
    program.has_timer(receiver);
    program.fill(channel, 1);
    program.holding(receiver, channel, Role::Receives, 6);
    program.waits(1, channel, WaitMode::Send, 7);
    assert!(program.verdicts().is_empty());
}
