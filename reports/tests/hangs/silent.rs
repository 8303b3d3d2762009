//! Waits that no record explains: unused wakers, used-up coop budgets, and unrecorded awaits.

use diagnose_reports::model::{Attribution, RunState, SiteIndex, SiteKind, WaitMode};

use crate::support::hangs::Program;
use crate::support::site;

const SECOND: u64 = 1_000_000_000;

/// `main` joins a task that waits in a hand-written future, whose waker is kept but never used.
fn hand_written() -> Program {
    let mut program = Program::new();
    let waits = program.task("waits");
    let span = program.span(waits, None, 7);
    let site = program.snapshot.spans[span].site;
    program.snapshot.sites[site.get()].is_hand_written = true;
    let task = program.of(waits);
    (task.wakers, task.opaque_wakers) = (Some(1), Some(1));
    program.joins(1, waits, 9);
    program
}

#[test]
fn a_hand_written_future_that_nobody_wakes_is_suspect() {
    let program = hand_written();
    assert_eq!(program.verdicts(), ["suspect lost_waker"]);
    assert_eq!(program.chain(), ["task 2 waits 7"]);
    insta::assert_snapshot!(program.sentence(), @"task 2 `waits` is waiting in hand-written future `span` at src/main.rs:7 (1.00 s), whose waker was never used: an event that came before the future stored its waker wakes nothing");
}

#[test]
fn a_hand_written_future_is_not_suspect_if_it_may_be_woken_is_not_awaited_or_is_young() {
    let mut program = hand_written();
    program.snapshot.foreign_threads = 1;
    assert!(program.verdicts().is_empty());
    let mut program = hand_written();
    program.snapshot.waits.clear();
    program.of(1).opaque_wakers = Some(1);
    assert!(program.verdicts().is_empty());
    let mut program = hand_written();
    program.snapshot.spans[0].since_ns = SECOND / 2;
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_future_that_the_compiler_made_is_not_suspect() {
    let mut program = hand_written();
    let site = program.snapshot.spans[0].site;
    program.snapshot.sites[site.get()].is_hand_written = false;
    assert!(program.verdicts().is_empty());
}

/// A `block_on` inside a poll; the coop budget forces its future to wait.
fn out_of_budget(is_asleep: bool, polls: u64) -> Program {
    let mut program = Program::new();
    program.sleeps(1, 70);
    program.of(1).is_asleep = Some(is_asleep);
    let wait = program.wait(1, WaitMode::Join, 7);
    (wait.is_forced, wait.is_indirect, wait.polls) = (true, true, polls);
    program
}

#[test]
fn a_block_on_without_a_budget_sleeps() {
    let mut program = out_of_budget(true, 1);
    assert_eq!(program.verdicts(), ["suspect blocked_worker"]);
    assert_eq!(program.chain(), ["task 1 blocked 7"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is sleeping inside a poll at src/main.rs:7 (1.00 s): the task has no coop budget left, and gets a new one only after its `block_on` returns");
    program.of(1).state = RunState::Waiting;
    program.of(1).opaque_wakers = Some(1);
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_block_on_without_a_budget_polls_again_and_again() {
    let program = out_of_budget(false, 5_000);
    assert_eq!(program.verdicts(), ["suspect spin"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` has polled the same future 5,000 times inside one poll at src/main.rs:7 (1.00 s): the task has no coop budget left, and gets a new one only after its `block_on` returns");
    assert!(out_of_budget(false, 5).verdicts().is_empty());
}

/// `main` joins two tasks that wait at the same line for a message of an unrecorded channel.
fn foreign(text: &str) -> Program {
    let mut program = Program::new();
    program.snapshot.sites.push(site(text, "server", "src/main.rs", 40, 14));
    let await_site = program.snapshot.sites.len() - 1;
    program.snapshot.sites[await_site].kind = SiteKind::Await;
    for name in ["left", "right"] {
        let task = program.task(name);
        program.has_timer(task);
        program.joins(1, task, 9);
        let span = program.span(task, None, 7);
        program.snapshot.spans[span].site = SiteIndex::new(await_site);
    }
    program
}

#[test]
fn waits_that_nothing_on_record_explains_are_one_suspicion() {
    let mut program = foreign("rx.recv().await");
    assert_eq!(program.verdicts(), ["suspect starved"]);
    assert_eq!(program.chain(), ["task 2 waits 40", "task 3 waits 40"]);
    insta::assert_snapshot!(program.sentence(), @"task 2 `left` and 1 other task are waiting in `rx.recv().await` at src/main.rs:40 (longest 1.00 s), and no record explains the wait");
    let lock = program.mutex();
    program.waits(2, lock, WaitMode::Lock, 41);
    program.waits(3, lock, WaitMode::Lock, 41);
    assert!(program.verdicts().is_empty(), "a lock on record does");
}

#[test]
fn io_waits_and_waits_of_unawaited_tasks_need_no_explanation() {
    assert!(foreign("listener.accept().await").verdicts().is_empty());
    let mut program = foreign("rx.recv().await");
    program.snapshot.waits.clear();
    program.of(1).opaque_wakers = Some(1);
    assert!(program.verdicts().is_empty());
}

/// A detached task holds a lock while it waits for a message of an unrecorded channel.
#[test]
fn a_holder_that_waits_for_something_unrecorded_is_suspected_if_its_lock_is_needed() {
    let mut program = foreign("reply.recv().await");
    program.snapshot.waits.clear();
    let lock = program.mutex();
    program.holds(2, lock, 6);
    program.of(1).opaque_wakers = Some(1);
    assert!(program.verdicts().is_empty(), "nothing needs it");
    program.waits(3, lock, WaitMode::Lock, 41);
    assert!(program.verdicts().is_empty(), "workers that nobody joins may take turns");
    program.joins(1, 3, 9);
    assert_eq!(program.verdicts(), ["suspect starved"]);
    assert_eq!(program.chain(), ["task 2 waits 40"]);
}

/// Code without annotation locks, and awaits a function that waits for that lock.
fn held_by_code_without_annotation() -> Program {
    let mut program = Program::new();
    program.has_timer(1);
    let function = program.task("incr");
    let it = program.of(function);
    (it.is_unspawned, it.spawned_by, it.spawned_at) = (true, None, None);
    let lock = program.mutex();
    let guard = program.holds(1, lock, 6);
    (guard.task, guard.thread_id, guard.attribution) = (None, Some(70), Attribution::Unknown);
    program.waits(function, lock, WaitMode::Lock, 7);
    program
}

#[test]
fn code_without_annotation_that_keeps_a_lock_is_suspect() {
    let program = held_by_code_without_annotation();
    assert_eq!(program.verdicts(), ["suspect starved"]);
    assert_eq!(program.chain(), ["task 2 waits 7", "resource 1 created 11", "thread 70 holds 6"]);
    insta::assert_snapshot!(program.sentence(), @"task 2 `incr` is waiting for `Mutex#1` at src/main.rs:7 (1.00 s); code without annotation acquired it at src/main.rs:6 (1.00 s ago): if that code awaits this task, neither can continue");
}

#[test]
fn code_without_annotation_that_may_go_on_keeps_a_lock_for_a_while() {
    let mut program = held_by_code_without_annotation();
    program.snapshot.unrecorded_tasks = 1;
    assert!(program.verdicts().is_empty());
    let mut program = held_by_code_without_annotation();
    program.snapshot.foreign_threads = 1;
    assert!(program.verdicts().is_empty());
    let mut program = held_by_code_without_annotation();
    program.at(0).holdings[0].is_movable = true;
    assert!(program.verdicts().is_empty());
    let mut program = held_by_code_without_annotation();
    program.snapshot.waits[0].since_ns = SECOND / 2;
    assert!(program.verdicts().is_empty());
    let mut program = held_by_code_without_annotation();
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["suspect starved"], "on record, it would be the holder");
    (program.of(other).is_unspawned, program.of(other).spawned_by) = (true, None);
    assert!(program.verdicts().is_empty(), "code around it may have the guard");
}
