//! Guards and channel ends that may have moved into a task since their last use.

use diagnose_reports::model::{Attribution, ResourceKind, TaskId, WaitMode};

use crate::support::hangs::{Program, resource_id};

/// `main` moves a guard into `holder`. The task that was spawned before it waits for the lock, and
/// `holder` for that task.
fn moved_guard() -> Program {
    let mut program = Program::new();
    let (waiter, holder) = (program.task("waiter"), program.task("holder"));
    let (lock, done) = (program.mutex(), program.other(ResourceKind::Oneshot));
    let guard = program.holds(1, lock, 3);
    (guard.is_movable, guard.attribution) = (true, Attribution::Likely);
    guard.candidates = [waiter, holder].map(TaskId::new).to_vec();
    let sender = program.sends(1, done, 4);
    (sender.uses, sender.candidates) = (0, [waiter, holder].map(TaskId::new).to_vec());
    program.waits(waiter, lock, WaitMode::Lock, 5);
    program.waits(holder, done, WaitMode::Receive, 6);
    program.joins(1, holder, 7);
    program
}

#[test]
fn a_moved_guard_is_not_with_the_task_that_waits_for_it() {
    let program = moved_guard();
    assert_eq!(program.verdicts(), ["likely cycle"]);
    let chain = program.chain();
    assert_eq!(chain[..3], ["task 2 waits 5", "resource 1 created 11", "task 3 holds 3"], "{chain:?}");
    insta::assert_snapshot!(program.sentence(), @"task 2 `waiter` is waiting for `Mutex#1` at src/main.rs:5 (1.00 s); task 1 `main` acquired it at src/main.rs:3 (1.00 s ago), and most likely moved it into task 3 `holder`, which is receiving from `oneshot#2` at src/main.rs:6 (1.00 s); its sender was last seen with task 1 `main` (never used, created at src/main.rs:4), and most likely moved into task 2 `waiter`: none of them can continue");
}

#[test]
fn a_moved_guard_of_a_done_task_is_not_with_the_task_that_waits_for_it() {
    let mut program = moved_guard();
    program.at(0).holdings[0].task = Some(TaskId::new(77));
    let chain = program.chain();
    assert_eq!(chain[..3], ["task 2 waits 5", "resource 1 created 11", "task 3 holds 3"], "{chain:?}");
}

/// A handler joins a task that waits for the lock it holds. Other handlers run on: nothing tells
/// who has spawned them.
#[test]
fn a_borrowed_guard_is_suspected_where_it_was_acquired() {
    let mut program = Program::new();
    let (handler, refresh, other) = (program.task("reserve"), program.task("refresh"), program.task("list"));
    for root in [handler, other] {
        (program.of(root).is_unspawned, program.of(root).spawned_by) = (true, None);
    }
    program.of(refresh).spawned_by = Some(handler.into());
    program.has_timer(1);
    program.has_timer(other);
    let lock = program.mutex();
    program.holds(handler, lock, 3).candidates = [refresh, other].map(TaskId::new).to_vec();
    program.waits(refresh, lock, WaitMode::Lock, 5);
    program.joins(handler, refresh, 7);
    assert_eq!(program.verdicts(), ["suspect cycle"]);
    program.at(0).holdings[0].attribution = Attribution::Likely;
    assert!(program.verdicts().is_empty(), "of a lock that lives forever, and something was sent");
    program.at(0).holdings[0].attribution = Attribution::Exact;
    program.of(other).spawned_by = Some(handler.into());
    assert!(program.verdicts().is_empty(), "spawned by the handler, maybe with the guard");
    program.of(other).spawned_by = None;
    program.at(0).holdings[0].is_movable = true;
    assert!(program.verdicts().is_empty(), "an owned guard");
}

/// The receiver was used before a task was spawned. A proof must not say where it is.
fn used_before_a_spawn() -> Program {
    let mut program = Program::new();
    let (sender, channel) = (program.task("sender"), program.channel(1));
    program.fill(channel, 1);
    program.receives(1, channel, 5).candidates.push(sender.into());
    program.waits(sender, channel, WaitMode::Send, 6);
    program.joins(1, sender, 7);
    program
}

#[test]
fn a_used_end_that_may_have_moved_was_last_seen_with_its_user() {
    let program = used_before_a_spawn();
    assert_eq!(program.verdicts(), ["proven cycle"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for task 2 `sender` to finish at src/main.rs:7 (1.00 s); task 2 `sender` is waiting for a free slot in `mpsc#1` at src/main.rs:6 (1.00 s); its receiver was last seen with task 1 `main` (last used at src/main.rs:5), and may have moved into task 2 `sender`: none of them can continue");
}

/// The guard is in the mailbox of the actor that waits for its lock.
#[test]
fn a_guard_in_an_unread_message_is_there_and_not_with_its_sender() {
    let mut program = Program::new();
    let actor = program.task("actor");
    let (mailbox, lock) = (program.channel(8), program.mutex());
    program.fill(mailbox, 1);
    program.receives(actor, mailbox, 5);
    let mailbox = resource_id(mailbox);
    let guard = program.holds(actor, lock, 3);
    (guard.is_movable, guard.attribution) = (true, Attribution::Likely);
    (guard.uses, guard.in_channel) = (0, Some(mailbox));
    program.joins(1, actor, 9);
    program.waits(actor, lock, WaitMode::Lock, 7);
    assert_eq!(program.verdicts(), ["likely self_wait"]);
    insta::assert_snapshot!(program.sentence(), @"task 2 `actor` is waiting for `Mutex#2` at src/main.rs:7 (1.00 s); its guard, acquired by the same task at src/main.rs:3 (1.00 s ago), is in an unread message in `mpsc#1`, whose receiver belongs to the same task (last used at src/main.rs:5): the task waits for itself");
}

#[test]
fn a_suspicion_is_conditional() {
    let mut program = used_before_a_spawn();
    let receiver = &mut program.at(0).holdings[0];
    (receiver.is_movable, receiver.attribution) = (true, Attribution::Unknown);
    (program.snapshot.foreign_threads, program.snapshot.is_all_recorded) = (1, false);
    assert_eq!(program.verdicts(), ["suspect cycle"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for task 2 `sender` to finish at src/main.rs:7 (1.00 s); task 2 `sender` is waiting for a free slot in `mpsc#1` at src/main.rs:6 (1.00 s); its receiver was last seen with task 1 `main` (last used at src/main.rs:5), and may have moved into task 2 `sender`: none of them can continue, unless other code ends one of these waits");
}

/// `main` spawned and awaits a task that waits for the receiver.
#[test]
fn a_used_end_moved_into_the_task_that_its_user_awaits() {
    let mut program = Program::new();
    let (receiver, keeper) = (program.task("receiver"), program.task("keeper"));
    let (channel, lock) = (program.channel(1), program.mutex());
    program.sends(1, channel, 3).candidates.push(keeper.into());
    program.holds(receiver, lock, 4);
    program.receives(receiver, channel, 5);
    program.waits(receiver, channel, WaitMode::Receive, 5);
    program.waits(keeper, lock, WaitMode::Lock, 6);
    program.joins(1, keeper, 7);
    assert_eq!(program.verdicts(), ["likely cycle"]);
    insta::assert_snapshot!(program.sentence(), @"task 2 `receiver` is receiving from `mpsc#1` at src/main.rs:5 (1.00 s); its only sender was last seen with task 1 `main` (last used at src/main.rs:3), and most likely moved into task 3 `keeper`, which is waiting for `Mutex#2` at src/main.rs:6 (1.00 s); task 2 `receiver` has held it for 1.00 s (acquired at src/main.rs:4): none of them can continue");
}

/// ```text
/// asks ─ waits for ─▶ a reply, whose sender lies in a map
///  ▲                    ┊
///  └─ has a lock ◀─ waits for ─ answers
/// ```
fn pending_request() -> Program {
    let mut program = Program::new();
    let asks = program.task("asks");
    let (lock, reply) = (program.mutex(), program.other(ResourceKind::Oneshot));
    program.holds(asks, lock, 3);
    program.waits(asks, reply, WaitMode::Receive, 5);
    let sender = program.sends(asks, reply, 4);
    (sender.is_movable, sender.uses) = (true, 0);
    program.joins(1, asks, 9);
    program
}

#[test]
fn a_sender_in_a_map_may_be_with_the_task_that_waits_for_its_creator() {
    let mut program = pending_request();
    assert_eq!(program.verdicts(), ["likely leak"], "not with the task that joins its creator");
    let answers = program.task("answers");
    program.waits(answers, 0, WaitMode::Lock, 6);
    assert_eq!(program.verdicts(), ["likely cycle"]);
    insta::assert_snapshot!(program.sentence(), @"task 2 `asks` is receiving from `oneshot#2` at src/main.rs:5 (1.00 s); its sender was last seen with task 2 `asks` (never used, created at src/main.rs:4), and may be with task 3 `answers`, which is waiting for `Mutex#1` at src/main.rs:6 (1.00 s); task 2 `asks` has held it for 1.00 s (acquired at src/main.rs:3): none of them can continue");
    program.at(1).holdings[0].attribution = Attribution::Unknown;
    program.has_timer(1);
    program.snapshot.waits.retain(|wait| wait.task != Some(TaskId::new(1)));
    assert_eq!(program.verdicts(), ["suspect cycle"]);
    program.at(1).holdings[0].attribution = Attribution::Exact;
    assert_eq!(program.verdicts(), ["suspect leak"], "it is with its creator");
}

#[test]
fn a_sender_is_not_with_a_task_that_waits_for_a_message() {
    let mut program = pending_request();
    let answers = program.task("answers");
    let requests = program.channel(4);
    program.receives(answers, requests, 7);
    program.sends(2, requests, 8);
    program.waits(answers, requests, WaitMode::Receive, 6);
    assert_eq!(program.verdicts(), ["likely leak"]);
}

/// A guard in a table, whose lock a task holds that waits for the guard.
#[test]
fn a_guard_of_a_done_task_may_be_with_the_task_that_waits_for_the_waiter() {
    let mut program = Program::new();
    let begins = program.task("begins");
    let (table, row) = (program.mutex(), program.mutex());
    let guard = program.holds(77, row, 3);
    (guard.is_movable, guard.attribution) = (true, Attribution::Unknown);
    program.holds(begins, table, 4);
    program.waits(begins, row, WaitMode::Lock, 5);
    program.joins(1, begins, 9);
    assert_eq!(program.verdicts(), ["likely leak"]);
    let commits = program.task("commits");
    program.waits(commits, row, WaitMode::Lock, 6);
    assert_eq!(program.verdicts(), ["likely leak"], "it wants the guard too");
    program.snapshot.waits.pop();
    program.waits(commits, table, WaitMode::Lock, 6);
    assert_eq!(program.verdicts(), ["likely cycle"]);
    insta::assert_snapshot!(program.sentence(), @"task 2 `begins` is waiting for `Mutex#2` at src/main.rs:5 (1.00 s); task 77 (done) acquired it at src/main.rs:3 (1.00 s ago), and it may be with task 3 `commits`, which is waiting for `Mutex#1` at src/main.rs:6 (1.00 s); task 2 `begins` has held it for 1.00 s (acquired at src/main.rs:4): none of them can continue");
}

/// A task keeps a lock, moves a permit into a task of the runtime's own, and wants another one.
#[test]
fn a_permit_may_be_with_a_later_task_of_an_unknown_spawner_that_waits_for_its_acquirer() {
    let mut program = Program::new();
    let (acquires, later) = (program.task("acquires"), program.task("incr"));
    (program.of(later).is_unspawned, program.of(later).spawned_by) = (true, None);
    let (lock, seats) = (program.mutex(), program.semaphore(1));
    program.holds(acquires, lock, 3);
    let permit = program.holds(acquires, seats, 4);
    (permit.is_movable, permit.attribution) = (true, Attribution::Unmoved);
    program.waits(acquires, seats, WaitMode::Acquire, 5);
    program.waits(later, lock, WaitMode::Lock, 6);
    program.joins(1, acquires, 7);
    assert_eq!(program.verdicts(), ["suspect self_wait"], "the task began before");
    program.at(1).holdings[0].candidates = vec![later.into()];
    assert_eq!(program.verdicts(), ["suspect cycle"]);
    insta::assert_snapshot!(program.sentence(), @"task 2 `acquires` is waiting for a permit of `Semaphore#2` at src/main.rs:5 (1.00 s); task 2 `acquires` acquired 1 permit at src/main.rs:4 (1.00 s ago), and most likely moved it into task 3 `incr`, which is waiting for `Mutex#1` at src/main.rs:6 (1.00 s); task 2 `acquires` has held it for 1.00 s (acquired at src/main.rs:3): none of them can continue, unless other code ends one of these waits");
}
