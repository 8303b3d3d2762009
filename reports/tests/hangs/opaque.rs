//! Waits in the program's own primitives, and units that may have moved to another task.

use diagnose_reports::model::{Attribution, ResourceKind, SiteKind, TaskId, WaitMode};

use crate::hangs::locks::crossed;
use crate::support::hangs::Program;

/// A task holds the only unit of the program's own pool, and waits for another one.
fn own_pool() -> Program {
    let mut program = Program::new();
    let pool = program.other(ResourceKind::Custom);
    program.holds(1, pool, 5).is_movable = true;
    program.waits(1, pool, WaitMode::Custom, 6);
    program
}

#[test]
fn a_wait_for_a_custom_resource_is_never_proven_stuck() {
    assert_eq!(own_pool().verdicts(), ["likely self_wait"]);
}

#[test]
fn a_pool_with_a_free_unit_may_open_a_connection() {
    let mut program = own_pool();
    program.at(0).capacity = Some(2);
    program.at(0).free = 1;
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_wait_that_more_than_a_queue_can_wake_may_have_a_time_limit() {
    let mut program = own_pool();
    program.snapshot.waits[0].wakers = 2;
    assert_eq!(program.verdicts(), ["suspect self_wait"]);
}

#[test]
fn a_second_reader_waits_for_the_first_if_there_may_be_only_one() {
    let mut program = Program::new();
    let lock = program.rwlock();
    (program.at(lock).capacity, program.at(lock).free) = (Some(1), 1);
    program.holds(1, lock, 5);
    program.waits(1, lock, WaitMode::Read, 6);
    assert_eq!(program.verdicts(), ["proven self_wait"]);
    (program.at(lock).capacity, program.at(lock).free) = (Some(2), 1);
    assert!(program.verdicts().is_empty());
}

/// Upgradable readers keep out each other, but no other reader. The records do not tell them apart.
#[test]
fn an_upgradable_read_waits_for_any_of_the_holders() {
    let mut program = Program::new();
    let (other, lock) = (program.task("other"), program.other(ResourceKind::RwLock));
    program.at(lock).is_fair = false;
    program.holds(1, lock, 5);
    program.waits(1, lock, WaitMode::Lock, 6);
    program.joins(other, 1, 9);
    assert_eq!(program.verdicts(), ["proven self_wait"]);
    program.holds(other, lock, 7);
    program.has_timer(other);
    assert!(program.verdicts().is_empty(), "the other reader may be the upgradable one");
}

/// A task has a permit, and joins a task that waits for one. The permit has not moved into the
/// joined task, which would not wait then.
#[test]
fn a_permit_is_with_the_task_that_joins_a_waiting_one() {
    let mut program = Program::new();
    let (child, seats) = (program.task("child"), program.semaphore(1));
    let permit = program.holds(1, seats, 5);
    (permit.is_movable, permit.attribution) = (true, Attribution::Likely);
    permit.candidates = vec![TaskId::new(child)];
    program.of(child).spawned_by = Some(TaskId::new(1));
    program.waits(child, seats, WaitMode::Acquire, 7);
    program.joins(1, child, 8);
    assert_eq!(program.verdicts(), ["likely cycle"]);
    assert_eq!(
        program.chain(),
        ["task 1 waits 8", "task 2 waits 7", "resource 1 created 11", "task 1 holds 5"]
    );
}

/// The sender of a reply may have moved to any task, and an unrelated task can continue.
#[test]
fn a_sender_that_may_be_anywhere_is_still_suspected() {
    let mut program = Program::new();
    let reply = program.other(ResourceKind::Oneshot);
    let sender = program.sends(1, reply, 5);
    (sender.is_movable, sender.attribution, sender.uses) = (true, Attribution::Unknown, 0);
    program.waits(1, reply, WaitMode::Receive, 6);
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["suspect leak"]);
}

/// ```text
/// connection  ├ reads its socket ·······················
///             └ serve └ lock().await ┤ for a lock of the other task, which waits for one of this
/// ```
#[test]
fn the_socket_of_a_connection_wakes_none_of_its_handlers() {
    let mut program = crossed();
    program.has_timer(2);
    assert!(program.verdicts().is_empty(), "it may be the lock that is awaited with a timeout");
    let root = program.span(2, None, 60);
    let function = program.span(2, Some(root), 61);
    let site = program.snapshot.spans[root].site;
    program.snapshot.sites[site.get()].kind = SiteKind::Task;
    assert!(program.verdicts().is_empty(), "the handler waits for something unrecorded");
    let waits = &mut program.snapshot.waits;
    let wait = waits.iter_mut().find(|wait| wait.task == Some(TaskId::new(2))).unwrap();
    wait.span = Some(program.snapshot.spans[function].id);
    assert_eq!(program.verdicts(), ["suspect cycle"]);
    program.snapshot.sites[site.get()].kind = SiteKind::Fn;
    assert!(program.verdicts().is_empty(), "no code without annotation polls it");
    program.snapshot.sites[site.get()].kind = SiteKind::Task;
    program.span(2, Some(root), 62);
    assert!(program.verdicts().is_empty(), "another handler waits for something unrecorded");
}

/// ```text
/// main: a group of two futures, one ─ acquires ─▶ Semaphore#1 ─ held by ─▶ the other, which awaits a socket
/// ```
#[test]
fn a_group_may_be_woken_for_a_future_that_waits_for_something_unrecorded() {
    let mut program = Program::new();
    let pool = program.semaphore(1);
    program.at(pool).free = 0;
    // The group keeps a clone of the task's waker.
    program.has_timer(1);
    let body = program.span(1, None, 4);
    let (holds, waits) = (program.span(1, Some(body), 5), program.span(1, Some(body), 5));
    let ids = [holds, waits].map(|index| program.snapshot.spans[index].id);
    program.holds(1, pool, 5).span = Some(ids[0]);
    let wait = program.waits(1, pool, WaitMode::Acquire, 5);
    (wait.span, wait.is_indirect) = (Some(ids[1]), true);
    assert!(program.verdicts().is_empty());
    let wait = program.waits(1, pool, WaitMode::Acquire, 6);
    (wait.span, wait.is_indirect) = (Some(ids[0]), true);
    assert_eq!(program.verdicts(), ["suspect self_wait"], "all of them wait for the semaphore");
}
