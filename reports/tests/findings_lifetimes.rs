//! The rule `growing` where tasks have an end that is far: that of a timer, of a client, or of the
//! tasks before them.

use std::cell::Cell;

use crate::findings_growth::{client, growing, grown, grown_to, left_behind, notified};
use crate::support::hangs::Program;
use crate::support::node;
use diagnose_reports::model::{ResourceKind, UsagePlace, WaitMode};

const SECOND: u64 = 1_000_000_000;

#[test]
fn tasks_with_a_far_timer_are_found_late_and_with_its_time() {
    let expire = |program: &mut Program, task: u64| {
        program.wait(task, WaitMode::Timer, 72).due_ns = Some(i64::try_from(1_800 * SECOND).unwrap());
    };
    assert_eq!(growing(&grown(20, 4, expire).snapshot), [""; 0], "sessions that expire");
    let [finding] = &growing(&grown(40, 4, expire).snapshot)[..] else { panic!("one finding") };
    assert!(
        finding.contains(
            "they wait at src/main.rs:72; timers end them, the first in 30.0 min. Next: if they need not wait that \
             long"
        ),
        "{finding}"
    );
    let never = |program: &mut Program, task: u64| {
        program.wait(task, WaitMode::Timer, 72).due_ns = Some(i64::MAX);
    };
    let [finding] = &growing(&grown(2, 4, never).snapshot)[..] else { panic!("one finding") };
    assert!(!finding.contains("timers end them"), "{finding}");
}

/// A shutdown that was never sent.
#[test]
fn a_channel_that_nothing_was_sent_to_is_a_signal() {
    let waits = |program: &mut Program, task: u64| {
        let stop = program.other(ResourceKind::Watch);
        program.waits(task, stop, WaitMode::Receive, 71);
    };
    assert_eq!(growing(&grown(2, 4, waits).snapshot).len(), 1);
}

/// Code without annotation has spawned them: a handler, most likely.
#[test]
fn tasks_without_a_spawner_on_record_are_found_if_they_are_many() {
    let found = |tasks: u64, seconds: u64| {
        let mut program = grown_to(tasks, seconds, 1, notified);
        program.snapshot.tasks.iter_mut().for_each(|task| task.spawned_by = None);
        growing(&program.snapshot).len()
    };
    assert_eq!([found(50, 11), found(50, 9), found(49, 11), found(49, 31)], [1, 0, 0, 1]);
}

#[test]
fn subscriptions_last_as_long_as_their_clients() {
    for kind in [ResourceKind::Broadcast, ResourceKind::Watch] {
        let quiet = |program: &mut Program, task: u64| {
            let topic = program.other(kind);
            program.at(topic).usage.acquisitions = 7;
            program.waits(task, topic, WaitMode::Receive, 71);
        };
        let active = |program: &mut Program, task: u64| {
            quiet(program, task);
            program.of(task).since_ns = 1;
        };
        let found = |seconds, spawners, wait: &dyn Fn(&mut Program, u64)| {
            growing(&grown(seconds, spawners, wait).snapshot).len()
        };
        assert_eq!(
            [found(60, 40, &quiet), found(60, 14, &quiet), found(60, 13, &quiet)],
            [0, 0, 1],
            "{kind:?}"
        );
        assert_eq!([found(60, 40, &active), found(20, 13, &quiet)], [0, 0], "{kind:?}");
        let streams = |seconds| growing(&left_behind(grown(seconds, 40, quiet))).len();
        assert_eq!([streams(20), streams(40)], [0, 1], "{kind:?}: of requests that have ended");
    }
}

/// Jobs of several requests that share one permit. Its holder waits for something; the longest hold
/// so far took `longest_ms`.
fn jobs(seconds: u64, longest_ms: u64, holder: impl Fn(&mut Program, u64)) -> usize {
    let permit = Cell::new(None);
    let program = grown(seconds, 4, |program, task| {
        if let Some(permit) = permit.get() {
            program.waits(task, permit, WaitMode::Acquire, 71);
            return;
        }
        permit.set(Some(program.semaphore(1)));
        program.holds(task, permit.get().unwrap(), 71).since_ns = 6 * SECOND;
        let mut row = UsagePlace::default();
        (row.count, row.longest_ns) = (1, longest_ms * 1_000_000);
        program.at(permit.get().unwrap()).usage.holders.push(row);
        holder(program, task);
    });
    growing(&program.snapshot).len()
}

#[test]
fn jobs_that_queue_for_permits_end_after_those_that_hold_them() {
    assert_eq!(jobs(8, 5_000, client), 0, "an encoder takes its time");
    assert_eq!(jobs(8, 500, client), 1, "this time, it does not come back");
    assert_eq!(jobs(8, 5_000, notified), 1, "nothing is known to end the holder");
    assert_eq!([jobs(8, 0, client), jobs(31, 0, client)], [0, 1], "no job has ended yet");
}

/// Sessions panic now and then, beside tasks that pile up.
#[test]
fn many_tasks_that_pile_up_come_before_what_costs_less_time() {
    let rules = |tasks: u64, seconds: u64, lost_seconds: u64| {
        let mut program = grown_to(tasks, seconds, 4, notified);
        let session = program.of(1).site;
        let mut calls = node(session.get(), None);
        (calls.calls, calls.completed, calls.panicked) = (1_000, 900, 100);
        calls.idle_ns = lost_seconds * SECOND * 10;
        program.snapshot.nodes.push(calls);
        let findings = program.snapshot.findings();
        findings.iter().map(|finding| finding.rule.to_string()).collect::<Vec<_>>()
    };
    // 100 tasks of 30 s on average.
    assert_eq!(rules(100, 60, 2_000), ["growing", "panicked"], "more than one each second");
    assert_eq!(rules(100, 60, 4_000), ["panicked", "growing"], "all calls are slow");
    assert_eq!(rules(50, 60, 2), ["panicked", "growing"], "fewer than one each second");
}
