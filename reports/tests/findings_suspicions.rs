//! Suspicions that are findings, on drawn programs: they stop calls that ended before.

use crate::support::hangs::Program;
use crate::support::latency::durations;
use crate::support::node;
use diagnose_reports::model::{
    BlockingPool, ResourceKind, RunState, Runtime, SiteIndex, TaskId, UsagePlace, WaitMode, Worker,
};

const SECOND: u64 = 1_000_000_000;

fn rules(program: &Program) -> Vec<String> {
    program.snapshot.findings().iter().map(|finding| finding.rule.to_string()).collect()
}

/// Tasks that all run one function, `ended` calls of which have ended before.
fn of_one_function(program: &mut Program, tasks: &[u64], ended: u64) -> SiteIndex {
    let site = program.of(tasks[0]).site;
    for &task in tasks {
        program.of(task).site = site;
    }
    let mut calls = node(site.get(), None);
    (calls.calls, calls.completed) = (ended + tasks.len() as u64, ended);
    program.snapshot.nodes.push(calls);
    site
}

/// ```text
/// requests 2, 3, 4 ─ wait ─▶ Semaphore#1 ─ its permit was acquired by ─▶ 99, which is done
/// younger, which something unrecorded wakes
/// ```
fn lost_permit(waiting: usize, ended: u64) -> Program {
    let mut program = Program::new();
    program.has_timer(1);
    let pool = program.semaphore(1);
    program.at(pool).first_task = Some(TaskId::new(2));
    program.holds(99, pool, 5);
    let requests: Vec<u64> = (0..waiting).map(|_| program.task("request")).collect();
    for &request in &requests {
        program.waits(request, pool, WaitMode::Acquire, 8);
    }
    of_one_function(&mut program, &requests, ended);
    let younger = program.task("younger");
    program.has_timer(younger);
    assert_eq!(program.verdicts(), ["suspect leak"]);
    program
}

#[test]
fn a_leak_that_stops_calls_which_ended_before_is_a_finding() {
    assert_eq!(rules(&lost_permit(3, 10)), ["stuck.leak"]);
    assert_eq!(rules(&lost_permit(2, 10)), [""; 0], "few wait");
    assert_eq!(rules(&lost_permit(3, 9)), [""; 0], "they may be meant to wait");
    let mut program = lost_permit(3, 10);
    program.snapshot.waits.iter_mut().for_each(|wait| wait.since_ns = SECOND - 1);
    assert_eq!(rules(&program), [""; 0], "not for long");
    let mut program = lost_permit(3, 10);
    program.snapshot.resources[0].usage.wait.p99_ns = SECOND / 10 + 1;
    assert_eq!(rules(&program), [""; 0], "hardly longer than usual");
}

/// ```text
/// requests ─ join ─▶ jobs 2, 3 ─ block_on ─▶ jobs 4, 5, which have no thread
/// ```
#[test]
fn a_pool_that_stops_calls_which_ended_before_is_a_finding() {
    let full_pool = |ended: u64| {
        let mut program = Program::new();
        program.has_timer(1);
        for _ in 0..2 {
            let job = program.job("outer", RunState::Running);
            program.sleeps(job, 80 + job);
        }
        for _ in 0..2 {
            program.job("inner", RunState::Unpolled);
        }
        let requests = [program.task("request"), program.task("request"), program.task("request")];
        for (request, job) in requests.into_iter().zip([2, 3, 4]) {
            program.joins(request, job, 20);
        }
        of_one_function(&mut program, &requests, ended);
        let mut pool = BlockingPool::default();
        (pool.runtime_number, pool.threads) = (1, 2);
        program.snapshot.blocking_pools.push(pool);
        assert_eq!(program.verdicts(), ["suspect pool_exhausted"]);
        rules(&program)
    };
    assert_eq!(full_pool(10), ["stuck.pool_exhausted"]);
    assert_eq!(full_pool(9), [""; 0]);
}

/// A poll of task 2, inside a poll of task 1, sleeps on the only worker.
fn no_worker() -> Program {
    let mut program = Program::new();
    let inner = program.task("inner");
    for (task, since_ns) in [(1, 5 * SECOND + 100), (inner, 5 * SECOND)] {
        program.sleeps(task, 70);
        program.of(task).since_ns = since_ns;
    }
    let wait = program.wait(1, WaitMode::Timer, 9);
    (wait.due_ns, wait.since_ns) = (Some(-4_000_000_000), 5 * SECOND);
    let mut runtime = Runtime::default();
    (runtime.number, runtime.workers) = (1, 1);
    program.snapshot.runtimes.push(runtime);
    let mut worker = Worker::default();
    (worker.runtime_number, worker.thread_id) = (1, Some(70));
    program.snapshot.workers.push(worker);
    program
}

#[test]
fn the_inner_poll_on_a_thread_is_the_one_that_sleeps() {
    let program = no_worker();
    assert_eq!(program.verdicts(), ["suspect blocked_worker"]);
    assert!(program.sentence().starts_with("task 2 `inner` has been sleeping in one poll"));
}

#[test]
fn a_runtime_without_a_free_worker_is_a_finding_if_something_there_is_late() {
    assert_eq!(rules(&no_worker()), ["stuck.blocked_worker"]);
    let changed = |change: &dyn Fn(&mut Program)| {
        let mut program = no_worker();
        change(&mut program);
        rules(&program).len()
    };
    assert_eq!(changed(&|it| it.snapshot.waits[0].due_ns = Some(1)), 0, "no timer is late");
    assert_eq!(changed(&|it| it.snapshot.runtimes[0].workers = 2), 0, "another worker is free");
    assert_eq!(changed(&|it| it.of(2).since_ns = 5 * SECOND - 1), 1, "the outer poll is as long");
    let short = |it: &mut Program| {
        it.of(1).since_ns = 5 * SECOND - 1;
        it.of(2).since_ns = 5 * SECOND - 2;
    };
    assert_eq!(changed(&short), 0, "a slow start");
    let queued = |it: &mut Program| {
        it.snapshot.waits.clear();
        let task = it.task("queued");
        it.of(task).state = RunState::Queued;
    };
    assert_eq!(changed(&queued), 1, "a task is ready to run");
    let other = |it: &mut Program| {
        let lock = it.other(ResourceKind::Mutex);
        it.waits(1, lock, WaitMode::Lock, 9);
        it.snapshot.waits.remove(0);
    };
    assert_eq!(changed(&other), 0);
}

/// A `block_on` in one of many calls, beside a free worker.
#[test]
fn a_poll_that_sleeps_far_longer_than_the_calls_before_it_is_a_finding() {
    let blocked = |ended: u64, longest_ns: u64, slept_ns: u64| {
        let mut program = no_worker();
        program.snapshot.runtimes[0].workers = 2;
        of_one_function(&mut program, &[2], ended);
        let calls = program.snapshot.nodes.last_mut().expect("it was added");
        calls.latency.completed = durations(&[longest_ns]);
        (program.of(1).since_ns, program.of(2).since_ns) = (slept_ns + 100, slept_ns);
        assert_eq!(program.verdicts(), ["suspect blocked_worker"]);
        rules(&program)
    };
    let ms = SECOND / 1_000;
    assert_eq!(blocked(20, 20 * ms, 6 * SECOND), ["stuck.blocked_worker"]);
    assert_eq!(blocked(19, 20 * ms, 6 * SECOND), [""; 0], "it may be meant to sleep");
    assert_eq!(blocked(20, 400 * ms, 6 * SECOND), [""; 0], "hardly longer than before");
    assert_eq!(blocked(20, 20 * ms, 5 * SECOND - 1), [""; 0], "a slow start");
}

/// ```text
/// 2 `look` ─ blocks its thread ─▶ Mutex#1 ─ held by ─▶ 3 `put`, which something unrecorded wakes
/// ```
fn blocked_by_waiting(ended: u64) -> Program {
    let mut program = Program::new();
    program.has_timer(1);
    let (look, put) = (program.task("look"), program.task("put"));
    let lock = program.unfair_mutex();
    program.holds(put, lock, 5).since_ns = 8 * SECOND;
    let mut before = UsagePlace::default();
    (before.count, before.total_ns, before.longest_ns) = (20, SECOND, SECOND / 2);
    program.at(lock).usage.holders.push(before);
    let wait = program.waits(look, lock, WaitMode::Lock, 9);
    (wait.since_ns, wait.thread_id) = (5 * SECOND, Some(70));
    program.sleeps(look, 70);
    program.of(look).since_ns = 5 * SECOND;
    program.has_timer(put);
    of_one_function(&mut program, &[look], ended);
    assert_eq!(program.verdicts(), ["suspect blocked_worker"]);
    program
}

#[test]
fn a_thread_that_is_blocked_by_a_task_that_waits_is_a_finding() {
    assert_eq!(rules(&blocked_by_waiting(10)), ["stuck.blocked_worker"]);
    assert_eq!(rules(&blocked_by_waiting(9)), [""; 0], "it may be meant to wait");
    let changed = |change: &dyn Fn(&mut Program)| {
        let mut program = blocked_by_waiting(10);
        change(&mut program);
        rules(&program).len()
    };
    assert_eq!(changed(&|it| it.snapshot.waits[0].since_ns = 5 * SECOND - 1), 0, "hardly longer than usual");
    assert_eq!(changed(&|it| it.at(0).usage.holders.clear()), 0, "no hold has ended");
    assert_eq!(changed(&|it| it.of(3).state = RunState::Running), 0, "the holder runs");
    let short = |it: &mut Program| {
        it.at(0).usage.holders[0].longest_ns = 1_000_000;
        it.snapshot.waits[0].since_ns = SECOND - 1;
    };
    assert_eq!(changed(&short), 0, "not for long");
}
