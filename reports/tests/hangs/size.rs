//! A hundred thousand tasks, permits or locks: the time is linear, and `--nocapture` prints it.

use std::time::Instant;

use diagnose_reports::model::{Role, TaskId, WaitId, WaitMode};

use crate::support::hangs::{Program, resource_id};

/// A tenth in an unoptimized build.
const MANY: usize = if cfg!(debug_assertions) { 10_000 } else { 100_000 };

/// Adds `MANY` tasks. `each` finds a task by its position, as a search by id would take too long.
fn many(mut each: impl FnMut(&mut Program, usize, u64)) -> Program {
    let mut program = Program::new();
    for number in 0..MANY {
        let task = program.task("task");
        each(&mut program, number, task);
    }
    program
}

fn count(name: &str, program: &Program) -> Vec<String> {
    let start = Instant::now();
    let verdicts = program.verdicts();
    println!(
        "{name}: {} tasks, {} waits in {:?}",
        program.snapshot.tasks.len(),
        program.snapshot.waits.len(),
        start.elapsed()
    );
    verdicts
}

fn push(program: &mut Program, task: u64, resource: usize, mode: WaitMode, ahead: u64) {
    let mut wait = diagnose_reports::model::Wait::default();
    wait.id = WaitId::new(1000 + program.snapshot.waits.len() as u64);
    (wait.task, wait.resource, wait.mode) = (Some(TaskId::new(task)), Some(resource_id(resource)), mode);
    (wait.units, wait.wakers, wait.since_ns, wait.ahead) = (1, 1, 1_000_000_000, ahead);
    program.snapshot.waits.push(wait);
    let task = &mut program.snapshot.tasks[usize::try_from(task).unwrap() - 1];
    task.wakers = Some(1);
}

#[test]
fn a_queue_of_a_hundred_thousand_behind_a_task_that_is_lost() {
    let mut base = Program::new();
    let lock = base.mutex();
    let mut program = many(|program, number, task| push(program, task, lock, WaitMode::Lock, number as u64));
    program.snapshot.resources = base.snapshot.resources;
    program.holds(1, lock, 3);
    program.polls_by_hand(1);
    assert_eq!(count("one queue", &program), ["proven lost_waker"]);
    assert_eq!(program.snapshot.verdicts()[0].victims.len(), MANY);
}

#[test]
fn a_hundred_thousand_permits_with_as_many_waiters() {
    let mut base = Program::new();
    let pool = base.semaphore(MANY as u64);
    for task in 0..MANY as u64 {
        base.holding(task + 2, pool, Role::Holds, 6).units = 1;
    }
    base.at(pool).free = 0;
    let mut program =
        many(|program, number, task| push(program, task, pool, WaitMode::Acquire, number as u64));
    // With `main` waiting too, no task is left that could close the semaphore.
    program.joins(1, 2, 5);
    program.snapshot.resources = base.snapshot.resources;
    assert_eq!(count("one pool", &program), ["proven cycle knot"]);
}

#[test]
fn a_ring_of_a_hundred_thousand_locks() {
    let mut base = Program::new();
    for task in 0..MANY as u64 {
        let lock = base.mutex();
        base.holds(task + 2, lock, 6);
    }
    let mut program =
        many(|program, number, task| push(program, task, (number + 1) % MANY, WaitMode::Lock, 0));
    program.has_timer(1);
    program.snapshot.resources = base.snapshot.resources;
    assert_eq!(count("one ring", &program), ["proven cycle"]);
}

#[test]
fn a_hundred_thousand_tasks_that_wait_for_each_other_in_pairs() {
    let mut base = Program::new();
    for task in 0..MANY as u64 {
        let lock = base.mutex();
        base.holds(task + 2, lock, 6);
    }
    let mut program = many(|program, number, task| push(program, task, number ^ 1, WaitMode::Lock, 0));
    program.has_timer(1);
    program.snapshot.resources = base.snapshot.resources;
    assert_eq!(count("pairs", &program).len(), MANY / 2);
}
