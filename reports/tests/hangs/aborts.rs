//! A task that something may abort, or drop with what polls it, is not proven to be stuck.

use diagnose_reports::model::{SpanId, TaskId, WaitMode};

use crate::hangs::locks::crossed;
use crate::support::hangs::Program;

#[test]
fn a_spawner_that_goes_on_may_abort_what_it_has_a_handle_of() {
    let mut program = crossed();
    program.snapshot.waits.retain(|wait| wait.tasks.is_empty());
    program.has_timer(1);
    assert_eq!(program.verdicts(), ["proven cycle"], "the handles are gone");
    program.of(2).has_handle = true;
    assert_eq!(program.verdicts(), ["likely cycle"]);
}

#[test]
fn a_handle_that_is_awaited_is_with_its_awaiter() {
    let mut program = crossed();
    (program.of(2).has_handle, program.of(3).has_handle) = (true, true);
    assert_eq!(program.verdicts(), ["proven cycle"], "main awaits both");
    program.has_timer(1);
    assert_eq!(program.verdicts(), ["suspect cycle"], "main may await them under a timeout, and abort them");
    program.of(2).since_ns = 61_000_000_000;
    assert_eq!(program.verdicts(), ["likely cycle"]);
}

/// ```text
/// main   ├ polls the handle of 2 behind a lock, where a reaper has it too
/// ```
#[test]
fn a_handle_that_was_polled_and_is_not_owned_by_its_await_may_be_with_any_task() {
    let mut program = crossed();
    program.of(2).has_handle = true;
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["proven cycle"], "main awaits it");
    let index = program.snapshot.waits.iter().position(|wait| !wait.tasks.is_empty()).unwrap();
    program.snapshot.waits[index].is_confined = false;
    assert_eq!(program.verdicts(), ["likely cycle"], "most likely it is with main, which waits");
    program.snapshot.tasks.retain(|task| task.id != TaskId::new(other));
    program.snapshot.waits.retain(|wait| wait.task != Some(TaskId::new(other)));
    assert_eq!(program.verdicts(), ["proven cycle"], "no other task can abort it");
}

/// ```text
/// main   ├ select! of the handle of 2 and a timer ┤├ awaits 3 ─▶     in one poll: the handle may be gone
/// ```
#[test]
fn a_handle_that_was_polled_beside_another_may_be_with_any_task() {
    let mut program = crossed();
    program.of(2).has_handle = true;
    let other = program.task("other");
    program.has_timer(other);
    let index = program.snapshot.waits.iter().position(|wait| !wait.tasks.is_empty()).unwrap();
    program.snapshot.waits[index].is_confined = false;
    assert_eq!(program.verdicts(), ["likely cycle"], "main polls it, and nothing else");
    program.joins(1, 3, 21);
    assert_eq!(program.verdicts(), ["likely cycle"], "main awaits both in one join!");
    program.snapshot.waits[index].since_ns += 2_000_000;
    program.of(1).polls = 1;
    assert_eq!(program.verdicts(), ["likely cycle"], "both began in its only poll, on a busy machine");
    program.of(1).polls = 2;
    assert_eq!(program.verdicts(), ["suspect cycle"], "main awaits both, or has let go of one");
    program.snapshot.waits.pop();
    program.snapshot.waits[index].may_have_moved = true;
    assert_eq!(program.verdicts(), ["suspect cycle"], "in a box that may have moved");
    let first = &mut program.snapshot.waits[index];
    (first.may_have_moved, first.span) = (false, Some(SpanId::new(77)));
    assert_eq!(program.verdicts(), ["suspect cycle"], "the await that polled it is over");
}

#[test]
fn a_handle_that_nobody_awaits_may_be_with_any_task() {
    let mut program = crossed();
    program.of(2).has_handle = true;
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["proven cycle"], "main awaits it");
    program.snapshot.waits.remove(0);
    program.waits(1, 0, WaitMode::Lock, 7);
    assert_eq!(program.verdicts(), ["likely cycle"], "the handle may be in a static");
    program.joins(1, 2, 20);
    program.of(2).has_abort_handle = true;
    assert_eq!(program.verdicts(), ["suspect cycle"], "a task may have asked for it to use it after a while");
    program.of(2).since_ns = 61_000_000_000;
    assert_eq!(program.verdicts(), ["likely cycle"]);
}

/// ```text
/// main   ├ spawns into a JoinSet ┤├ sleeps ┤    drops the set, and the tasks with it
/// ```
#[test]
fn a_task_whose_set_is_not_awaited_may_be_dropped_with_it() {
    let mut program = crossed();
    program.snapshot.waits.retain(|wait| wait.tasks.is_empty());
    let lock = program.mutex();
    program.waits(1, lock, WaitMode::Lock, 7);
    program.holds(2, lock, 8);
    (program.of(2).has_handle, program.of(2).is_aborted_on_drop) = (true, true);
    assert_eq!(program.verdicts(), ["proven cycle"], "nothing goes on that may have the set");
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["suspect cycle"], "another task may have the set");
    program.of(2).is_aborted_on_drop = false;
    assert_eq!(
        program.verdicts(),
        ["likely cycle"],
        "an older file lacks the fact, which proves nothing more"
    );
    program.of(2).is_aborted_on_drop = true;
    program.of(2).since_ns = 61_000_000_000;
    assert_eq!(program.verdicts(), ["likely cycle"]);
}

/// ```text
/// main   ├ or(one.await, timer) ┤   the handle of `one` is dropped, and the task with it
/// ```
#[test]
fn a_task_whose_handle_is_not_on_record_may_be_awaited_under_a_timeout() {
    for runtime in ["smol", "async-std", ""] {
        let mut program = crossed();
        program.snapshot.waits.retain(|wait| wait.tasks.is_empty());
        let lock = program.mutex();
        program.waits(1, lock, WaitMode::Lock, 7);
        program.holds(2, lock, 8);
        for task in 1..=3 {
            program.of(task).runtime = runtime.into();
            program.of(task).has_handle = true;
        }
        assert_eq!(program.verdicts(), ["likely cycle"], "{runtime}: nothing else goes on");
        let other = program.task("other");
        program.has_timer(other);
        assert_eq!(program.verdicts(), ["suspect cycle"], "{runtime}: it may drop the handles");
        (program.of(2).since_ns, program.of(3).since_ns) = (61_000_000_000, 61_000_000_000);
        assert_eq!(program.verdicts(), ["likely cycle"], "{runtime}: a timeout would be over");
    }
}

/// The future of a `block_on` is in no handle.
#[test]
fn a_block_on_of_another_library_keeps_its_future() {
    let mut program = Program::new();
    let lock = program.mutex();
    program.holds(1, lock, 5);
    program.waits(1, lock, WaitMode::Lock, 6);
    (program.of(1).runtime, program.of(1).has_handle) = ("smol".into(), true);
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["likely self_wait"]);
    let index = program.of(1).site.get();
    program.snapshot.sites[index].name = "serve".into();
    assert_eq!(program.verdicts(), ["suspect self_wait"], "`spawn_with` may have spawned it");
}

#[test]
fn an_aborted_task_is_dropped_on_its_thread_and_not_while_that_is_blocked() {
    let mut program = crossed();
    program.snapshot.waits.remove(0);
    let (one, other) = (2, 3);
    for task in [one, other] {
        program.of(task).has_handle = true;
    }
    program.has_timer(1);
    assert_eq!(program.verdicts(), ["likely cycle"]);
    (program.of(one).is_local, program.of(one).thread_id) = (true, Some(77));
    program.waits(other, 0, WaitMode::Lock, 10).thread_id = Some(77);
    program.sleeps(other, 77);
    program.of(other).is_local = true;
    assert_eq!(program.verdicts(), ["proven blocked_worker"]);
}

/// ```text
/// main   ├ runs a LocalSet until a timer is due ┤    drops the set, and the tasks with it
/// ```
#[test]
fn a_block_on_may_drop_the_tasks_of_its_thread() {
    let mut program = crossed();
    program.snapshot.waits.retain(|wait| wait.tasks.is_empty());
    for task in [2, 3] {
        (program.of(task).is_local, program.of(task).thread_id) = (true, Some(77));
    }
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["likely cycle"], "its `main` is not on that thread");
    (program.of(1).is_local, program.of(1).thread_id) = (true, Some(77));
    let lock = program.mutex();
    program.waits(1, lock, WaitMode::Lock, 7);
    program.holds(2, lock, 8);
    assert_eq!(program.verdicts(), ["likely cycle"], "its `main` is behind them");
    program.has_timer(1);
    assert_eq!(program.verdicts(), ["suspect cycle"], "its `main` goes on");
    (program.of(2).since_ns, program.of(3).since_ns) = (61_000_000_000, 61_000_000_000);
    assert_eq!(program.verdicts(), ["likely cycle"]);
}

#[test]
fn a_thread_outside_of_all_tasks_may_abort_what_it_has_spawned() {
    let mut program = crossed();
    program.snapshot.waits.retain(|wait| wait.tasks.is_empty());
    program.has_timer(1);
    program.of(2).has_handle = true;
    program.of(2).spawned_by = None;
    assert_eq!(program.verdicts(), ["likely cycle"]);
}

#[test]
fn a_root_that_was_not_spawned_may_be_dropped_by_its_poller() {
    let mut program = crossed();
    program.of(2).is_unspawned = true;
    assert_eq!(program.verdicts(), ["suspect cycle"], "there may be a timeout around it");
    program.of(2).since_ns = 61_000_000_000;
    assert_eq!(program.verdicts(), ["likely cycle"]);
}

#[test]
fn a_custom_executor_may_drop_its_tasks() {
    let mut program = crossed();
    program.of(2).runtime = "".into();
    assert_eq!(program.verdicts(), ["likely cycle"]);
}

#[test]
fn a_block_on_keeps_its_future() {
    let mut program = Program::new();
    let lock = program.mutex();
    program.holds(1, lock, 5);
    program.waits(1, lock, WaitMode::Lock, 6);
    let other = program.task("other");
    program.has_timer(other);
    program.of(1).is_local = true;
    assert_eq!(program.verdicts(), ["proven self_wait"]);
}

/// Two tasks of a `LocalSet` wait for each other. The task or thread that has the set may drop it.
#[test]
fn tasks_of_a_local_set_are_proven_stuck_only_if_nothing_can_drop_it() {
    let mut program = Program::new();
    let (left, right) = (program.task("left"), program.task("right"));
    let (a, b) = (program.mutex(), program.mutex());
    for (task, own, other) in [(left, a, b), (right, b, a)] {
        program.holds(task, own, 5);
        program.waits(task, other, WaitMode::Lock, 6);
        program.of(task).is_local = true;
    }
    program.joins(1, left, 20);
    assert_eq!(program.verdicts(), ["proven cycle"]);
    let driver = program.task("driver");
    program.has_timer(driver);
    assert_eq!(program.verdicts(), ["likely cycle"]);
    program.of(left).is_local = false;
    program.of(right).is_local = false;
    assert_eq!(program.verdicts(), ["proven cycle"]);
}
