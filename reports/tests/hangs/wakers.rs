//! Tasks that nothing can wake, and joins of tasks that do or do not finish.

use diagnose_reports::model::{RunState, SiteIndex, Span, SpanId, TaskId, WaitMode};

use crate::support::hangs::{Program, place};

#[test]
fn a_task_without_a_waker_is_lost() {
    let mut program = Program::new();
    let task = program.task("lost");
    program.joins(1, task, 20);
    program.polls_by_hand(task);
    assert_eq!(program.verdicts(), ["proven lost_waker"]);
    assert_eq!(program.chain(), ["task 2 waits 200"]);
    assert_eq!(program.snapshot.verdicts()[0].victims, [1].map(TaskId::new));
    insta::assert_snapshot!(program.sentence(), @"task 2 `lost` is waiting at src/main.rs:200 (1.00 s): it returned Pending and no clone of its waker is left, so nothing can wake it");
}

/// An earlier `block_on` of the thread, which is not on record, may have left a waker. That polls
/// the future of the current one, too.
#[test]
fn the_future_of_a_block_on_is_not_proven_lost() {
    let mut program = Program::new();
    let main = program.task("main");
    program.of(main).is_local = true;
    program.joins(1, main, 20);
    program.polls_by_hand(main);
    assert_eq!(program.verdicts(), ["likely lost_waker"]);
    (program.of(main).runtime_id, program.of(main).is_local) = (Some(7), false);
    assert_eq!(program.verdicts(), ["proven lost_waker"], "spawned in a function `main`");
}

/// The unrecorded future that the task awaits may be `pending()`.
#[test]
fn a_task_that_awaits_something_unrecorded_is_only_suspect() {
    let mut program = Program::new();
    let task = program.task("task");
    program.joins(1, task, 20);
    assert_eq!(program.verdicts(), ["suspect lost_waker"]);
}

#[test]
fn a_task_that_awaits_pending_is_not_a_hang() {
    let mut program = Program::new();
    let task = program.task("forever");
    program.joins(1, task, 20);
    let site = crate::support::site("std::future::pending::<()>().await", "server", "src/main.rs", 7, 9);
    program.snapshot.sites.push(site);
    let mut span = Span::default();
    (span.id, span.task) = (SpanId::new(500), Some(TaskId::new(task)));
    span.site = SiteIndex::new(program.snapshot.sites.len() - 1);
    program.snapshot.spans.push(span);
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_task_that_no_other_waits_for_may_await_pending_unseen() {
    let mut program = Program::new();
    program.has_timer(1);
    let task = program.task("serves");
    assert!(program.verdicts().is_empty());
    program.joins(1, task, 20);
    assert_eq!(program.verdicts(), ["suspect lost_waker"]);
}

#[test]
fn a_task_whose_wakers_are_not_watched_may_be_woken() {
    let mut program = Program::new();
    (program.of(1).wakers, program.of(1).opaque_wakers) = (None, None);
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_wait_that_its_resource_has_no_waker_of_is_lost() {
    let mut program = Program::new();
    let (holder, lock) = (program.task("holder"), program.mutex());
    program.has_timer(holder);
    program.holds(holder, lock, 3);
    program.waits(1, lock, WaitMode::Lock, 7).wakers = 0;
    assert_eq!(program.verdicts(), ["proven lost_waker"]);
    assert_eq!(program.chain(), ["task 1 waits 7", "resource 1 created 11"]);
}

#[test]
fn a_task_that_waits_for_its_own_end_waits_for_itself() {
    let mut program = Program::new();
    program.has_timer(1);
    let task = program.task("task");
    program.joins(task, task, 7);
    assert_eq!(program.verdicts(), ["proven self_wait"]);
    insta::assert_snapshot!(program.sentence(), @"task 2 `task` is waiting for itself to finish at src/main.rs:7 (1.00 s): the task waits for itself");
}

#[test]
fn two_tasks_that_wait_for_the_end_of_each_other_are_a_cycle() {
    let mut program = Program::new();
    program.has_timer(1);
    let (left, right) = (program.task("left"), program.task("right"));
    program.joins(left, right, 7);
    program.joins(right, left, 8);
    assert_eq!(program.verdicts(), ["proven cycle"]);
    assert_eq!(program.chain(), ["task 2 waits 7", "task 3 waits 8"]);
}

#[test]
fn a_join_of_a_task_that_is_done_is_over() {
    let mut program = Program::new();
    program.joins(1, 99, 20);
    assert!(program.verdicts().is_empty());
}

#[test]
fn one_of_several_joined_tasks_is_enough() {
    let mut program = Program::new();
    let (lost, live) = (program.task("lost"), program.task("live"));
    program.polls_by_hand(lost);
    program.has_timer(live);
    program.joins(1, lost, 20).tasks.push(TaskId::new(live));
    assert_eq!(program.verdicts(), ["proven lost_waker"]);
    assert!(program.snapshot.verdicts()[0].victims.is_empty());
}

#[test]
fn what_is_woken_or_runs_can_go_on() {
    for state in [RunState::Queued, RunState::Unpolled, RunState::Running] {
        let mut program = Program::new();
        let lock = program.mutex();
        program.holds(1, lock, 3);
        program.waits(1, lock, WaitMode::Lock, 4);
        program.of(1).state = state;
        assert!(program.verdicts().is_empty());
    }
}

#[test]
fn a_timer_that_is_due_later_will_come() {
    let mut program = Program::new();
    program.wait(1, WaitMode::Timer, 7).due_ns = Some(5_000_000_000);
    assert!(program.verdicts().is_empty());
}

/// A spawned task that awaits `pending()` might add permits, but the forgotten ones explain more.
#[test]
fn a_task_that_might_add_permits_does_not_explain_why_others_wait() {
    let mut program = Program::new();
    program.of(1).spawned_at = Some(place(3));
    program.snapshot.sites[0].name = "service".into();
    let pool = program.semaphore(2);
    let users = [program.task("user"), program.task("user")];
    (program.at(pool).free, program.at(pool).forgotten) = (0, 2);
    for user in users {
        program.waits(user, pool, WaitMode::Acquire, 5);
    }
    assert_eq!(program.verdicts(), ["suspect leak"]);
    assert_eq!(program.snapshot.verdicts()[0].victims, [TaskId::new(users[1])]);
}
