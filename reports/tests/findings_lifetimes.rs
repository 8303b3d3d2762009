//! The rule `growing` where tasks have an end that is far: that of a timer, or of a client.

use crate::findings_growth::{growing, grown, grown_to, left_behind, notified};
use crate::support::hangs::Program;
use diagnose_reports::model::{ResourceKind, WaitMode};

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
