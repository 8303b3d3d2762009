//! Waits for notifications and at barriers, which any task with access could end.

use diagnose_reports::model::{Attribution, Holding, LastEvent, ResourceKind, Role, TaskId, WaitMode};

use crate::support::hangs::{Program, place};

fn barrier() -> Program {
    let mut program = Program::new();
    let (other, barrier) = (program.task("other"), program.other(ResourceKind::Barrier));
    program.at(barrier).capacity = Some(3);
    program.at(barrier).filled = 2;
    program.waits(1, barrier, WaitMode::Arrive, 5);
    program.waits(other, barrier, WaitMode::Arrive, 6);
    program
}

#[test]
fn a_barrier_that_is_one_short_starves_if_nobody_else_is_alive() {
    let program = barrier();
    assert_eq!(program.verdicts(), ["likely starved"]);
    assert_eq!(program.chain(), ["task 1 waits 5", "resource 1 created 11"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting at `Barrier#1` at src/main.rs:5 (1.00 s); 2 of 3 have arrived, and nothing else alive could arrive");
}

#[test]
fn any_task_may_arrive_at_a_barrier() {
    let mut program = barrier();
    let third = program.task("third");
    program.has_timer(third);
    assert!(program.verdicts().is_empty());
    let mut program = barrier();
    program.snapshot.foreign_threads = 1;
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_cell_that_nothing_sets_starves_if_nobody_else_is_alive() {
    let mut program = Program::new();
    let (other, cell) = (program.task("other"), program.other(ResourceKind::OnceCell));
    program.waits(1, cell, WaitMode::Initialize, 5);
    program.joins(other, 1, 9);
    assert_eq!(program.verdicts(), ["likely starved"]);
    assert!(program.sentence().ends_with("; nothing else alive could set it"), "{}", program.sentence());
    program.has_timer(other);
    assert!(program.verdicts().is_empty(), "the other task may set it");
}

fn notify(waiting: u64, all: bool) -> Program {
    let mut program = Program::new();
    let notify = program.other(ResourceKind::Notify);
    let mut told = LastEvent::default();
    (told.ago_ns, told.task, told.place) = (Some(1_200_000_000), Some(TaskId::new(77)), Some(place(5)));
    (told.waiters, told.is_broadcast) = (waiting, all);
    program.at(notify).last_notified = Some(told);
    program.holding(77, notify, Role::Uses, 5);
    program.waits(1, notify, WaitMode::Notified, 9);
    program
}

#[test]
fn a_notification_before_the_wait_is_missed() {
    let program = notify(0, true);
    assert_eq!(program.verdicts(), ["likely missed_notify"]);
    assert_eq!(program.chain(), ["task 1 waits 9", "resource 1 created 11", "task 77 owns 5"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for a notification from `Notify#1` at src/main.rs:9 (1.00 s); task 77 (done) last notified it at src/main.rs:5 (1.20 s ago), when it had no waiters; nothing else alive could notify it");
}

/// The wrapper has lent out its original, or more tasks used it than are tracked.
#[test]
fn a_user_that_is_unknown_may_notify() {
    let mut program = notify(0, true);
    let user = program.holding(77, 0, Role::Uses, 5);
    (user.task, user.attribution) = (None, Attribution::Unknown);
    assert!(program.verdicts().is_empty(), "{:?}", program.verdicts());
}

#[test]
fn a_notification_that_another_waiter_got_is_named() {
    insta::assert_snapshot!(notify(2, false).sentence(), @"task 1 `main` is waiting for a notification from `Notify#1` at src/main.rs:9 (1.00 s); task 77 (done) last notified it at src/main.rs:5 (1.20 s ago), which reached 1 of 2 waiters; nothing else alive could notify it");
}

#[test]
fn any_task_that_can_progress_may_notify() {
    let mut program = notify(0, true);
    let other = program.task("other");
    program.has_timer(other);
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_deadlock_elsewhere_explains_a_missing_notification() {
    let mut program = super::locks::crossed();
    let (task, notify) = (program.task("task"), program.other(ResourceKind::Notify));
    program.waits(task, notify, WaitMode::Notified, 9);
    assert_eq!(program.verdicts(), ["proven cycle", "likely cycle"]);
    let verdicts = program.snapshot.verdicts();
    assert_eq!((verdicts[1].root_cause, verdicts[1].behind), (false, Some(0)));
    insta::assert_snapshot!(verdicts[1].sentence, @"task 4 `task` is waiting for a notification from `Notify#3` at src/main.rs:9 (1.00 s); task 2 `left` could notify it: the code that could end this wait is stuck");
}

/// No task joins either of them, but one holds a lock that the other waits for.
#[test]
fn a_task_that_waits_for_a_lock_of_an_idle_task_is_not_idle() {
    let mut program = Program::new();
    let idle = program.task("idle");
    let (notify, lock) = (program.other(ResourceKind::Notify), program.mutex());
    program.has_timer(1);
    let it = program.at(notify);
    (it.created_by, it.first_task) = (None, Some(TaskId::new(idle)));
    program.waits(idle, notify, WaitMode::Notified, 9);
    program.holds(idle, lock, 5);
    assert!(program.verdicts().is_empty());
    let busy = program.task("busy");
    program.waits(busy, lock, WaitMode::Lock, 6);
    assert_eq!(program.verdicts(), ["suspect cycle"], "main has spawned it, and may have the notify too");
    program.joins(1, busy, 20);
    program.of(1).opaque_wakers = Some(0);
    assert_eq!(program.verdicts(), ["likely cycle"]);
    assert_eq!(program.snapshot.verdicts()[0].victims, [1].map(TaskId::new));
}

#[test]
fn young_waits_for_a_notification_are_not_reported() {
    let mut program = notify(0, true);
    program.snapshot.waits[0].since_ns = 100_000_000;
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_notify_in_a_static_may_be_notified_by_a_thread_outside_block_on() {
    let mut program = Program::new();
    let notify = program.other(ResourceKind::Notify);
    program.waits(1, notify, WaitMode::Notified, 9);
    program.at(notify).created_by = None;
    assert!(program.verdicts().is_empty());
    let main = &mut program.snapshot.tasks[0];
    (main.is_local, main.thread_id) = (true, Some(7));
    assert_eq!(program.verdicts(), ["likely starved"]);
}

// thread 7   made it ┄┄ asleep, in no lock on record ┄┄ or in a `block_on` of task 1
// task 1     ├ waits for a notification ─▶
#[test]
fn the_thread_that_created_a_notify_outside_of_tasks_may_notify() {
    let mut program = Program::new();
    let notify = program.other(ResourceKind::Notify);
    program.waits(1, notify, WaitMode::Notified, 9);
    (program.at(notify).created_by, program.at(notify).created_on) = (None, Some(7));
    assert!(program.verdicts().is_empty());
    let main = &mut program.snapshot.tasks[0];
    (main.is_local, main.thread_id) = (true, Some(7));
    assert_eq!(program.verdicts(), ["likely starved"]);
    program.snapshot.tasks[0].is_local = false;
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_thread_that_used_a_notify_outside_of_tasks_may_notify() {
    let mut program = Program::new();
    let notify = program.other(ResourceKind::Notify);
    program.waits(1, notify, WaitMode::Notified, 9);
    let mut user = Holding::default();
    (user.role, user.thread_id, user.attribution) = (Role::Uses, Some(7), Attribution::Exact);
    program.at(notify).holdings.push(user);
    assert!(program.verdicts().is_empty());
}

/// ```text
/// main ─ waits ─▶ oneshot, whose sender is with `main`, or in a map that any other task has too
/// ```
#[test]
fn any_task_may_share_a_map_with_another() {
    let mut program = Program::new();
    let reply = program.other(ResourceKind::Oneshot);
    program.holding(1, reply, Role::Sends, 5).attribution = Attribution::Likely;
    program.snapshot.resources[0].holdings[0].is_movable = true;
    program.waits(1, reply, WaitMode::Receive, 6);
    assert_eq!(program.verdicts(), ["likely leak"]);
    let reads = program.task("reads");
    program.has_timer(reads);
    for parent in [Some(TaskId::new(1)), Some(TaskId::new(77)), None] {
        program.of(reads).spawned_by = parent;
        assert_eq!(program.verdicts(), ["suspect leak"], "a task of {parent:?}");
    }
}

/// `mem::forget` is not recorded: a forgotten permit still seems to belong to the finished task.
#[test]
fn any_owner_of_the_semaphore_may_replace_the_permit_of_a_finished_task() {
    let mut program = Program::new();
    let pool = program.semaphore(1);
    program.at(pool).first_task = Some(TaskId::new(2));
    program.holds(99, pool, 5);
    program.waits(1, pool, WaitMode::Acquire, 8);
    assert_eq!(program.verdicts(), ["likely leak"]);
    let younger = program.task("younger");
    program.has_timer(younger);
    assert_eq!(program.verdicts(), ["suspect leak"]);
}

/// The upgrade has overtaken the writer, and keeps out the reader until it gives up.
#[test]
fn a_second_read_behind_an_upgrade_that_gives_up_goes_on() {
    let verdicts = |gives_up: bool| {
        let mut program = Program::new();
        let (writer, upgrader) = (program.task("writer"), program.task("upgrader"));
        let lock = program.rwlock();
        program.at(lock).is_fair = false;
        program.holds(1, lock, 2);
        program.waits(writer, lock, WaitMode::Write, 4).units = 1000;
        program.waits(upgrader, lock, WaitMode::Write, 5).units = 1000;
        program.waits(1, lock, WaitMode::Read, 6);
        if gives_up {
            program.has_timer(upgrader);
        }
        program.verdicts()
    };
    assert_eq!(verdicts(true), [""; 0]);
    assert_eq!(verdicts(false).first().map(String::as_str), Some("proven cycle via_queue"));
}

/// Each of several workers adds a permit when it is done, and one of them has not.
#[test]
fn permits_that_only_finished_tasks_have_added_do_not_come() {
    let mut program = Program::new();
    let done = program.semaphore(2);
    program.at(done).is_refilled = true;
    for worker in [20, 21] {
        let added = program.holding(worker, done, Role::Uses, 5);
        (added.is_movable, added.attribution) = (true, Attribution::Unknown);
    }
    program.waits(1, done, WaitMode::Acquire, 8).units = 3;
    assert_eq!(program.verdicts(), ["likely starved"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for 3 permits of `Semaphore#1` at src/main.rs:8 (1.00 s); task 21 (done) added permits 1.00 s ago (last at src/main.rs:5), and nothing else alive could add more");
    program.at(done).forgotten = 1;
    assert_eq!(program.verdicts(), ["likely leak"], "it was taken for good");
}

/// The task that waits for a permit is the one that adds them, and has given one up.
#[test]
fn a_permit_that_was_given_up_is_the_cause_and_not_the_task_that_adds_others() {
    let mut program = Program::new();
    let permits = program.semaphore(0);
    program.at(permits).is_refilled = true;
    program.at(permits).forgotten = 1;
    program.at(permits).first_task = Some(TaskId::new(1_000));
    program.holding(1, permits, Role::Uses, 5);
    program.waits(1, permits, WaitMode::Acquire, 8);
    assert_eq!(program.verdicts(), ["likely leak"]);
}
