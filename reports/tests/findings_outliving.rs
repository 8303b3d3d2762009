//! The rule `growing` where others of the place end: tasks that are far older than these.

use crate::findings_growth::{client, growing, grown, left_behind, mailbox, notified, sleep};
use crate::support::hangs::Program;
use crate::support::latency::durations;
use crate::support::node;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{ResourceKind, RunState, Span, SpanId, TaskId, WaitMode};

const SECOND: u64 = 1_000_000_000;

/// 200 of 240 calls of `forward` have ended, within `longest_ns`.
fn with_ends(program: Program, longest_ns: u64) -> Snapshot {
    with_ends_of(program.snapshot, longest_ns)
}

fn with_ends_of(mut snapshot: Snapshot, longest_ns: u64) -> Snapshot {
    let spawned_at = Some(crate::support::place_at(62, 5));
    let site = snapshot.tasks.iter().find(|task| task.spawned_at == spawned_at).unwrap().site;
    let mut ended = node(site.get(), None);
    (ended.calls, ended.completed, ended.pending) = (240, 200, 40);
    ended.latency.completed = durations(&[1_000_000, longest_ns]);
    snapshot.nodes.push(ended);
    snapshot
}

#[test]
fn tasks_that_outlive_those_that_end_are_found() {
    let [finding] = &growing(&with_ends(grown(60, 4, notified), 30_000_000))[..] else {
        panic!("one finding")
    };
    assert!(finding.contains("40 alive, the oldest 60.0 s"), "{finding}");
    assert!(finding.contains("while 200 others ended within 30.0 ms; they wait at"), "{finding}");
    assert_eq!(growing(&with_ends(grown(20, 1, notified), 30_000_000)), [""; 0], "slow jobs of one loop");
    assert_eq!(growing(&with_ends(grown(60, 4, notified), 8 * SECOND)), [""; 0], "they may end soon");
}

#[test]
fn tasks_that_outlive_their_siblings_by_far_are_found_soon() {
    let [finding] = &growing(&with_ends(grown(9, 4, notified), 20_000_000))[..] else {
        panic!("one finding")
    };
    assert!(finding.contains("40 alive, the oldest 9.00 s"), "{finding}");
    assert_eq!(growing(&with_ends(grown(5, 4, notified), 20_000_000)), [""; 0], "at a start");
    assert_eq!(growing(&with_ends(grown(9, 4, notified), 40_000_000)), [""; 0], "225 times as old");
}

#[test]
fn clients_that_stay_beside_short_ones_are_healthy() {
    let found = |spawners: u64, wait: &dyn Fn(&mut Program, u64)| {
        let (live, left) = (grown(9, spawners, wait), grown(9, spawners, wait));
        [with_ends(live, 20_000_000), with_ends_of(left_behind(left), 20_000_000)]
            .map(|it| growing(&it).len())
    };
    assert_eq!(found(4, &notified), [1, 1]);
    // A long poll: the next event, the end of the client, or a time limit.
    assert_eq!(found(4, &client), [0, 0], "the client may go away");
    let limited = |program: &mut Program, task: u64| {
        notified(program, task);
        sleep(program.wait(task, WaitMode::Timer, 72));
    };
    assert_eq!(found(4, &limited), [0, 0], "a long poll with a time limit");
    // A session of a web socket: messages for it, or of its client.
    let session = |program: &mut Program, task: u64| {
        mailbox(0)(program, task);
        client(program, task);
    };
    assert_eq!(found(4, &session), [0, 0], "the client may send something");
    assert_eq!(found(4, &mailbox(1)), [0, 0], "it has had messages");
    for kind in [ResourceKind::Broadcast, ResourceKind::Watch] {
        let subscriber = |program: &mut Program, task: u64| {
            let topic = program.other(kind);
            program.at(topic).usage.acquisitions = 7;
            program.waits(task, topic, WaitMode::Receive, 71);
        };
        assert_eq!(found(4, &subscriber), [0, 0], "{kind:?}: a quiet topic");
    }
}

/// A task that keeps `futures` pending futures of `send`, made evenly over `seconds`, while `ended`
/// others have ended within 12 ms. `wait` adds the wait of each.
fn kept(futures: u64, seconds: u64, ended: u64, wait: impl Fn(&mut Program, u64, SpanId)) -> Snapshot {
    let mut program = Program::new();
    let task = program.task("dispatch");
    program.has_timer(task);
    let other = program.task("send");
    program.has_timer(other);
    let site = program.of(other).site;
    for number in 0..futures {
        let mut span = Span::default();
        (span.id, span.site, span.state) = (SpanId::new(1_000 + number), site, RunState::Waiting);
        (span.is_detached, span.task) = (true, Some(TaskId::new(task)));
        span.age_ns = (number + 1) * seconds * SECOND / futures;
        wait(&mut program, task, span.id);
        program.snapshot.spans.push(span);
    }
    let mut calls = node(site.get(), None);
    (calls.calls, calls.completed, calls.pending) = (futures + ended, ended, futures);
    calls.latency.completed = durations(&[1_000_000, 12_000_000]);
    program.snapshot.nodes.push(calls);
    program.snapshot
}

/// An answer that does not come.
fn unanswered(program: &mut Program, task: u64, span: SpanId) {
    let online = program.other(ResourceKind::Watch);
    program.waits(task, online, WaitMode::Receive, 33).span = Some(span);
}

#[test]
fn futures_that_a_live_task_keeps_are_found_if_others_end_far_sooner() {
    let [finding] = &growing(&kept(40, 40, 120, unanswered))[..] else { panic!("one finding") };
    assert!(
        finding.contains(
            "pile up, kept by `dispatch`: 40 are pending, the oldest 40.0 s, 1 more each second, while 120 others \
             ended within 12.0 ms; they wait at src/main.rs:33"
        ),
        "{finding}"
    );
    assert_eq!(growing(&kept(40, 29, 120, unanswered)), [""; 0], "slow jobs");
    assert_eq!(growing(&kept(31, 40, 120, unanswered)), [""; 0], "few");
    assert_eq!(growing(&kept(40, 40, 99, unanswered)), [""; 0], "few others");
    let limited = |program: &mut Program, task: u64, span: SpanId| {
        unanswered(program, task, span);
        program.wait(task, WaitMode::Timer, 34).span = Some(span);
    };
    assert_eq!(growing(&kept(40, 40, 120, limited)), [""; 0], "a timer ends them");
    assert_eq!(growing(&kept(40, 40, 120, |_, _, _| ())), [""; 0], "what they wait for is not on record");
    let mut dropped = kept(40, 40, 120, unanswered);
    let calls = dropped.nodes.len() - 1;
    dropped.nodes[calls].latency.cancelled = durations(&[SECOND / 7]);
    assert_eq!(growing(&dropped), [""; 0], "others were dropped after 143 ms: these are 280 times as old");
}
