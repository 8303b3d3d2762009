//! The rule `backlog` on drawn channels: how full, how old, and whether anything is sent.

use crate::support::hangs::{Program, resource_id};
use crate::support::site;
use diagnose_reports::Snapshot;

const SECOND: u64 = 1_000_000_000;

/// An unbounded channel, 6 s old. 10,000 messages were sent, the last one just now; `waiting` of
/// them have not been received.
fn channel(waiting: u64) -> Snapshot {
    let mut program = Program::new();
    let (sender, receiver) = (program.task("accept"), program.task("collect"));
    let channel = program.channel(8);
    let sends = program.sends(sender, channel, 49);
    (sends.uses, sends.since_ns) = (10_000, 0);
    program.receives(receiver, channel, 71).uses = 10_000 - waiting;
    let it = program.at(channel);
    (it.capacity, it.filled, it.age_ns) = (None, waiting, 6 * SECOND);
    it.usage.acquisitions = 10_000;
    program.has_timer(sender);
    program.has_timer(receiver);
    program.snapshot.elapsed_ns = 20 * SECOND;
    program.snapshot
}

fn sentences(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn a_channel_that_is_filled_faster_than_it_is_emptied_is_found() {
    let [finding] = &sentences(&channel(3_000))[..] else { panic!("one finding") };
    assert!(
        finding.starts_with(
            "the unbounded mpsc created at src/main.rs:11 is far behind: 3,000 messages wait in it, 30 % of all that were \
             sent in 6.00 s; it is emptied by `collect` at src/main.rs:71. Next: compare with an earlier"
        ),
        "{finding}"
    );
    assert_eq!(sentences(&channel(2_900)), [""; 0], "a burst");
}

#[test]
fn a_queue_that_is_young_small_bounded_or_complete_is_healthy() {
    let changed = |change: fn(&mut diagnose_reports::model::Resource)| {
        let mut snapshot = channel(9_000);
        change(&mut snapshot.resources[0]);
        sentences(&snapshot)
    };
    assert_eq!(changed(|_| ()).len(), 1);
    assert_eq!(changed(|it| it.age_ns = 4 * SECOND), [""; 0], "a start");
    assert_eq!(changed(|it| it.capacity = Some(10_000)), [""; 0], "bounded");
    assert_eq!(changed(|it| it.holdings[0].since_ns = 2 * SECOND), [""; 0], "all jobs are there");
    assert_eq!(changed(|it| it.holdings.truncate(0)), [""; 0], "its senders are gone");
    assert_eq!(changed(|it| it.filled = 900), [""; 0], "few");
}

/// The receiver takes 1,000 messages in 6 s, one in 6 ms.
#[test]
fn a_burst_that_is_worked_off_while_a_message_comes_now_and_then_is_healthy() {
    let last_sent = |ms: u64| {
        let mut snapshot = channel(9_000);
        snapshot.resources[0].holdings[0].since_ns = ms * 1_000_000;
        sentences(&snapshot).len()
    };
    assert_eq!(last_sent(65), 1, "ten messages were received since");
    assert_eq!(last_sent(66), 0, "eleven");
}

#[test]
fn a_backlog_that_shrinks_is_no_finding() {
    let now = channel(3_000);
    let since = |waiting: u64| {
        let mut before = channel(waiting);
        // A process may get other CPUs while it runs.
        before.process.cpus = Some(1);
        before.elapsed_ns = now.elapsed_ns / 2;
        now.findings_since(&before)
    };
    let [finding] = &since(2_000)[..] else { panic!("one finding") };
    assert!(finding.sentence.contains("fills up"), "{finding}");
    assert!(since(4_000).is_empty());
}

/// 250 messages were received in 6 s: the others are 18 s of work.
#[test]
fn a_slow_receiver_needs_few_messages_to_be_far_behind() {
    let waiting = |messages: u64| {
        let mut snapshot = channel(messages);
        snapshot.resources[0].usage.acquisitions = messages + 250;
        snapshot.resources[0].holdings[0].uses = messages + 250;
        sentences(&snapshot).len()
    };
    assert_eq!([waiting(750), waiting(209), waiting(207)], [1, 1, 0], "5 s of work");
}

#[test]
fn after_a_reset_more_may_wait_than_were_sent_since() {
    let mut snapshot = channel(9_000);
    snapshot.resources[0].usage.acquisitions = 50;
    assert_eq!(sentences(&snapshot), [""; 0]);
}

/// 300 of the 1,000 messages that were sent in the 6 s since then: 2.6 s of work. The channel is an
/// hour old.
#[test]
fn after_a_reset_the_rates_are_those_since() {
    let found = |waiting: u64, elapsed: u64, age: u64| {
        let mut snapshot = channel(waiting);
        let it = &mut snapshot.resources[0];
        (it.usage.acquisitions, it.holdings[0].uses, it.age_ns) = (1_000, 400_000, age);
        snapshot.elapsed_ns = elapsed;
        sentences(&snapshot)
    };
    assert_eq!(found(300, 6 * SECOND, 3_600 * SECOND), [""; 0]);
    assert_eq!(found(300, 3_600 * SECOND, 6 * SECOND), [""; 0]);
    assert_eq!(found(600, 4 * SECOND, 3_600 * SECOND), [""; 0], "a start");
    let [finding] = &found(600, 6 * SECOND, 3_600 * SECOND)[..] else { panic!("one finding") };
    assert!(finding.contains("600 messages wait in it, 60 % of all that were sent in 6.00 s;"), "{finding}");
}

/// Its workers send the links that they find into the channel that they receive from.
#[test]
fn a_crawler_that_feeds_itself_ends_at_some_time() {
    let found = |own: u64, others: u64| {
        let mut snapshot = channel(9_000);
        let it = &mut snapshot.resources[0];
        it.holdings[0].uses = others;
        for _ in 0..2 {
            let mut end = it.holdings[0].clone();
            (end.task, end.uses) = (it.holdings[1].task, own / 2);
            it.holdings.push(end);
        }
        sentences(&snapshot).len()
    };
    assert_eq!([found(10_000, 0), found(5_000, 5_000)], [0, 0]);
    assert_eq!([found(4_998, 5_000), found(0, 10_000)], [1, 1], "others send most");
}

/// `join!(produce(sender), consume(receiver))`, in one task.
#[test]
fn two_functions_of_one_task_are_no_crawler() {
    let mut snapshot = channel(9_000);
    snapshot
        .sites
        .extend([site("produce", "app", "src/main.rs", 40, 1), site("consume", "app", "src/main.rs", 70, 1)]);
    let it = &mut snapshot.resources[0];
    it.holdings[0].task = it.holdings[1].task;
    assert_eq!(sentences(&snapshot).len(), 1);
}

/// A channel for each client.
#[test]
fn channels_of_one_line_are_one_finding() {
    let mut snapshot = channel(9_000);
    for id in 1..=11 {
        let mut other = snapshot.resources[0].clone();
        (other.id, other.filled) = (resource_id(id), 5_000);
        snapshot.resources.push(other);
    }
    let [finding] = &snapshot.findings()[..] else { panic!("one finding") };
    assert!(finding.sentence.contains("9,000 messages wait in it"), "{finding}");
    assert!(finding.sentence.ends_with("; 11 more like it"), "{finding}");
    assert_eq!(finding.evidence.resources.len(), 12);
}

/// 20 messages come each second, and 5 are received.
#[test]
fn a_receiver_of_a_few_messages_a_second_is_found_if_they_come_evenly() {
    let found = |sent: u64, waiting: u64, pause_ms: u64| {
        let mut snapshot = channel(waiting);
        let it = &mut snapshot.resources[0];
        (it.usage.acquisitions, it.holdings[0].uses, it.age_ns) = (sent, sent, 10 * SECOND);
        it.holdings[0].since_ns = pause_ms * 1_000_000;
        sentences(&snapshot).len()
    };
    assert_eq!(found(200, 150, 50), 1);
    assert_eq!([found(90, 50, 50), found(89, 49, 50)], [1, 0], "few");
    assert_eq!(found(200, 99, 50), 0, "most are received");
    assert_eq!(
        [found(200, 150, 200), found(200, 150, 201)],
        [1, 0],
        "none has come for four times the usual pause"
    );
}
