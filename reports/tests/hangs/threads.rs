//! Threads that sleep inside polls, and the tasks that need these threads.

use diagnose_reports::model::{Attribution, BlockingPool, ResourceKind, RunState, TaskId, WaitMode, Worker};

use crate::support::hangs::Program;

/// Adds a worker of runtime 1 that runs the task, or is parked without one.
fn worker(program: &mut Program, thread: u64, task: Option<u64>) {
    let mut worker = Worker::default();
    worker.runtime = "tokio".into();
    worker.runtime_number = 1;
    worker.thread_id = Some(thread);
    worker.parked = task.is_none();
    worker.task = task.map(TaskId::new);
    program.snapshot.workers.push(worker);
}

/// ```text
/// main: join!( guard = std.lock(); yield , std.lock() ), in one poll
/// ```
#[test]
fn a_guard_of_a_sibling_on_the_same_thread() {
    let mut program = Program::new();
    let lock = program.unfair_mutex();
    program.sleeps(1, 70);
    program.holds(1, lock, 4).thread_id = Some(70);
    program.waits(1, lock, WaitMode::Lock, 6).thread_id = Some(70);
    assert_eq!(program.verdicts(), ["proven blocked_worker"]);
    assert_eq!(program.chain(), ["task 1 blocked 6", "resource 1 created 11", "task 1 holds 4"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` blocks its thread while waiting for `Mutex#1` at src/main.rs:6 (1.00 s); the same task has held it for 1.00 s (acquired at src/main.rs:4): the code that would wake the blocked thread has to run on that thread");
}

#[test]
fn a_guard_of_a_task_that_has_only_this_thread() {
    let mut program = Program::new();
    let (holder, blocked) = (program.task("holder"), program.task("blocked"));
    let lock = program.unfair_mutex();
    program.has_timer(holder);
    program.of(holder).is_local = true;
    program.of(holder).thread_id = Some(70);
    program.holds(holder, lock, 4);
    program.sleeps(1, 70);
    program.sleeps(blocked, 70);
    program.waits(blocked, lock, WaitMode::Lock, 6).thread_id = Some(70);
    assert_eq!(program.verdicts(), ["proven blocked_worker"]);
    program.of(holder).is_local = false;
    assert!(program.verdicts().is_empty(), "another thread may run it");
}

#[test]
fn two_threads_that_cross_their_locks_are_a_cycle() {
    let mut program = Program::new();
    program.has_timer(1);
    let (a, b) = (program.unfair_mutex(), program.unfair_mutex());
    for (thread, own, other) in [(70, a, b), (71, b, a)] {
        let holding = program.holds(1, own, 4);
        (holding.task, holding.thread_id) = (None, Some(thread));
        let wait = program.waits(0, other, WaitMode::Lock, 6);
        (wait.task, wait.thread_id) = (None, Some(thread));
    }
    assert_eq!(program.verdicts(), ["proven cycle"]);
    assert_eq!(program.chain()[0], "thread 70 blocked 6");
    program.snapshot.waits[0].due_ns = Some(1);
    assert!(program.verdicts().is_empty(), "one of them gives up");
}

/// ```text
/// workers 70, 71 ─ run ─▶ 2, 3 ─ block_on ─▶ oneshot, whose sender is with 4 ─ is queued ─▶ for the workers
/// ```
fn nested() -> Program {
    let mut program = Program::new();
    let tasks = [program.task("first"), program.task("second")];
    let waker = program.task("waker");
    program.of(waker).state = RunState::Queued;
    // `main` runs under `block_on`, on its own thread.
    program.of(1).thread_id = Some(60);
    for (task, thread) in tasks.into_iter().zip([70, 71]) {
        program.sleeps(task, thread);
        worker(&mut program, thread, Some(task));
        let answer = program.other(diagnose_reports::model::ResourceKind::Oneshot);
        let sender = program.sends(1, answer, 30);
        sender.candidates.push(TaskId::new(waker));
        sender.uses = 0;
        program.waits(task, answer, WaitMode::Receive, 31).is_indirect = true;
        program.joins(1, task, 20);
    }
    program
}

#[test]
fn nested_executors_on_all_workers() {
    let program = nested();
    assert_eq!(program.verdicts(), ["likely blocked_worker"]);
    insta::assert_snapshot!(program.sentence(), @"task 2 `first` blocks its thread while receiving from `oneshot#1` at src/main.rs:31 (1.00 s); its sender was last seen with task 1 `main` (never used, created at src/main.rs:30), and most likely moved into task 4 `waker`, which has been queued for a thread for 1.00 s: no worker is free to run the task that would wake it");
}

#[test]
fn one_free_worker_is_enough() {
    let mut program = nested();
    worker(&mut program, 72, None);
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_root_on_a_thread_of_its_own_needs_no_worker() {
    let mut program = nested();
    let waker = program.of(4);
    waker.thread_id = Some(99);
    assert!(program.verdicts().iter().all(|verdict| !verdict.starts_with("proven")));
}

/// ```text
/// jobs 2, 3 ─ block_on ─▶ jobs 4, 5, which have no thread
/// ```
fn jobs() -> Program {
    let mut program = Program::new();
    for (outer, inner) in [(2, 4), (3, 5)] {
        let job = program.job("outer", RunState::Running);
        assert_eq!(job, outer);
        program.sleeps(job, 80 + outer);
        program.joins(job, inner, 7).thread_id = Some(80 + outer);
        program.joins(1, outer, 20);
    }
    for _ in 0..2 {
        program.job("inner", RunState::Unpolled);
    }
    program
}

#[test]
fn jobs_that_wait_for_jobs_exhaust_the_pool() {
    let mut program = jobs();
    assert_eq!(program.verdicts(), ["likely pool_exhausted"]);
    insta::assert_snapshot!(program.sentence(), @"task 2 `outer` blocks its thread while waiting for task 4 `inner` to finish at src/main.rs:7 (1.00 s); task 4 `inner` has been queued for a thread for 1.00 s: all blocking threads wait for blocking work that is queued behind them");
    let mut pool = BlockingPool::default();
    (pool.runtime_number, pool.threads) = (1, 2);
    program.snapshot.blocking_pools.push(pool);
    assert_eq!(program.verdicts(), ["proven pool_exhausted"]);
}

/// The jobs may sleep in system calls, as no wait of theirs is recorded.
#[test]
fn a_full_pool_that_sleeps_is_suspect_while_a_job_waits() {
    let mut program = jobs();
    program.snapshot.waits.retain(|wait| wait.thread_id.is_none());
    assert!(program.verdicts().is_empty(), "the bound is not known");
    let mut pool = BlockingPool::default();
    (pool.runtime_number, pool.threads) = (1, 2);
    program.snapshot.blocking_pools.push(pool);
    assert_eq!(program.verdicts(), ["suspect pool_exhausted"]);
    assert_eq!(program.snapshot.verdicts()[0].victims, [4, 5].map(TaskId::new));
    insta::assert_snapshot!(program.sentence(), @"all 2 blocking threads are sleeping, the longest in task 2 `outer` at src/main.rs:200 (1.00 s); 2 jobs are queued for a thread (longest 1.00 s)");
    (program.of(4).since_ns, program.of(5).since_ns) = (500_000_000, 500_000_000);
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_poll_that_sleeps_for_long_is_suspect_although_nobody_waits_for_its_thread() {
    let mut program = Program::new();
    program.sleeps(1, 70);
    assert!(program.verdicts().is_empty());
    program.of(1).since_ns = 1_500_000_000;
    assert_eq!(program.verdicts(), ["suspect blocked_worker"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` has been sleeping in one poll at src/main.rs:100 for 1.50 s: no other task can run on its thread");
}

#[test]
fn a_job_that_works_gives_its_thread_to_the_next() {
    let mut program = jobs();
    program.of(3).is_asleep = Some(false);
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_long_job_with_waiters_is_only_long() {
    let mut program = Program::new();
    let job = program.job("job", RunState::Running);
    program.of(job).is_asleep = Some(true);
    program.joins(1, job, 20);
    assert!(program.verdicts().is_empty(), "what it sleeps in is not known");
}

#[test]
fn a_runtime_that_goes_away_waits_for_its_jobs() {
    let mut program = Program::new();
    let job = program.job("job", RunState::Running);
    program.sleeps(job, 81);
    let wait = program.wait(0, WaitMode::Shutdown, 9);
    (wait.task, wait.thread_id, wait.tasks) = (None, Some(70), vec![TaskId::new(job)]);
    program.has_timer(1);
    assert_eq!(program.verdicts(), ["suspect shutdown"], "it may have to finish what it writes");
    assert_eq!(program.chain(), ["thread 70 blocked 9", "task 2 running 200"]);
    insta::assert_snapshot!(program.sentence(), @"the runtime built at src/main.rs:9 has been shutting down for 1.00 s; it is waiting for blocking task 2 `job`, which has run for 1.00 s");
    program.snapshot.waits[0].since_ns = 100_000_000;
    assert!(program.verdicts().is_empty());
    (program.snapshot.waits[0].since_ns, program.of(job).since_ns) = (11_000_000_000, 11_000_000_000);
    assert_eq!(program.verdicts(), ["suspect shutdown"], "what it sleeps in may end by itself");
    program.of(job).waits_for_thread = Some(true);
    assert_eq!(program.verdicts(), ["likely shutdown"]);
}

/// A task sleeps in its poll, on the only thread, and holds a lock that its child waits for.
#[test]
fn a_sleep_with_a_lock_is_no_hang_of_the_one_thread() {
    let mut program = Program::new();
    let (child, lock) = (program.task("child"), program.mutex());
    program.holds(1, lock, 3);
    program.waits(child, lock, WaitMode::Lock, 4);
    program.of(child).thread_id = Some(70);
    program.sleeps(1, 70);
    program.of(1).since_ns = 600_000_000;
    assert!(program.verdicts().is_empty());
}

/// ```text
/// main, in a poll ─ block_on ─▶ 2, made since ─ waits ─▶ Mutex#1 ─ held by ─▶ main
/// ```
fn inside_a_poll(name: &str) -> Program {
    let mut program = Program::new();
    let (nested, lock) = (program.task(name), program.mutex());
    program.holds(1, lock, 3);
    program.waits(nested, lock, WaitMode::Lock, 4);
    (program.of(nested).thread_id, program.of(nested).is_local) = (Some(70), true);
    program.sleeps(1, 70);
    program.of(1).since_ns = 2_000_000_000;
    program
}

#[test]
fn a_root_that_is_run_inside_a_poll_is_what_the_thread_waits_for() {
    assert_eq!(inside_a_poll("main").verdicts(), ["proven blocked_worker"]);
}

/// An executor on that thread may run several tasks, and may return because of another one.
#[test]
fn a_task_that_is_spawned_inside_a_poll_is_likely_what_the_thread_waits_for() {
    assert_eq!(inside_a_poll("nested").verdicts(), ["likely blocked_worker"]);
    // A task spawned in `main` has that name too, but also an id of its runtime.
    let mut program = inside_a_poll("main");
    program.of(2).runtime_id = Some(7);
    assert_eq!(program.verdicts(), ["likely blocked_worker"]);
}

/// `main` awaits a job that receives from a second one. That one sleeps in a lock without a record.
fn jobs_in_an_unrecorded_lock() -> Program {
    let mut program = Program::new();
    let (first, second) = (program.job("first", RunState::Running), program.job("second", RunState::Running));
    let channel = program.other(ResourceKind::Oneshot);
    for (job, thread) in [(first, 71), (second, 72)] {
        program.sleeps(job, thread);
        program.of(job).waits_for_thread = Some(true);
    }
    program.sends(second, channel, 4).uses = 0;
    let wait = program.waits(first, channel, WaitMode::Receive, 5);
    wait.thread_id = Some(71);
    program.joins(1, first, 6);
    program
}

#[test]
fn an_awaited_job_in_an_unrecorded_lock_is_suspected() {
    let program = jobs_in_an_unrecorded_lock();
    assert_eq!(program.verdicts(), ["suspect starved"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for task 2 `first` to finish at src/main.rs:6 (1.00 s); task 2 `first` blocks its thread while receiving from `oneshot#1` at src/main.rs:5 (1.00 s); blocking task 3 `second` at src/main.rs:300, started 1.00 s ago, is sleeping until another thread wakes it, and no record explains the wait");
    assert!(program.snapshot.verdicts()[0].remedy().starts_with("import the channel, lock or token"));
}

#[test]
fn a_job_that_may_be_given_work_is_not_suspected() {
    type Change = fn(&mut Program);
    let changes: [(&str, Change); 5] = [
        ("nobody awaits it", |program| program.snapshot.waits.retain(|wait| wait.mode != WaitMode::Join)),
        ("it sleeps for a time", |program| {
            program.of(2).waits_for_thread = Some(false);
            program.of(3).waits_for_thread = Some(false);
        }),
        ("a thread may", |program| program.snapshot.foreign_threads = 1),
        ("a task may", |program| {
            let other = program.task("other");
            program.has_timer(other);
        }),
        ("it has just begun", |program| program.snapshot.waits[1].since_ns = 1_000_000),
    ];
    for (why, change) in changes {
        let mut program = jobs_in_an_unrecorded_lock();
        change(&mut program);
        assert!(program.verdicts().is_empty(), "{why}: {:?}", program.verdicts());
    }
}

/// ```text
/// main ─ waits ─▶ Mutex#1 ─ acquired on ─▶ thread 70 ─ receives ─▶ oneshot#2 ─ sender with ─▶ main
/// ```
#[test]
fn a_plain_thread_that_waits_most_likely_keeps_its_guard_of_an_async_lock() {
    let mut program = Program::new();
    let (lock, reply) = (program.mutex(), program.other(ResourceKind::Oneshot));
    let guard = program.holds(1, lock, 3);
    (guard.task, guard.thread_id, guard.attribution) = (None, Some(70), Attribution::Unknown);
    program.sends(1, reply, 5).uses = 0;
    program.waits(1, lock, WaitMode::Lock, 7);
    let wait = program.waits(0, reply, WaitMode::Receive, 4);
    (wait.task, wait.thread_id) = (None, Some(70));
    assert_eq!(program.verdicts(), ["likely cycle"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for `Mutex#1` at src/main.rs:7 (1.00 s); thread 70 acquired it at src/main.rs:3 (1.00 s ago); thread 70 blocks its thread while receiving from `oneshot#2` at src/main.rs:4 (1.00 s); its sender was last seen with task 1 `main` (never used, created at src/main.rs:5): none of them can continue");
    let other = program.task("other");
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["suspect cycle"], "that task may have the guard");
    program.snapshot.waits.pop();
    assert_eq!(program.verdicts(), ["suspect starved"], "that thread goes on, or awaits main");
}

/// ```text
/// main, in a block_on on thread 70 ─ waits ─▶ Mutex#1 ─ acquired on ─▶ thread 70
/// ```
#[test]
fn a_thread_in_a_block_on_may_poll_an_unrecorded_task_that_has_the_guard() {
    let mut program = Program::new();
    program.of(1).thread_id = Some(70);
    program.of(1).is_local = true;
    let lock = program.mutex();
    let holding = program.holds(1, lock, 4);
    (holding.task, holding.thread_id, holding.is_movable) = (None, Some(70), true);
    holding.attribution = Attribution::Unknown;
    program.waits(1, lock, WaitMode::Lock, 6);
    assert_eq!(program.verdicts(), ["likely self_wait"]);
    program.snapshot.unrecorded_tasks = 1;
    assert!(program.verdicts().is_empty(), "that task may go on");
}
