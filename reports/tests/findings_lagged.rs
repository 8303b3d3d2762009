//! The rule `lagged` on drawn channels: how many messages were missed, of how many.

use diagnose_reports::model::ResourceKind;

use crate::support::hangs::{Program, place};

fn findings(missed: u64, sent: u64) -> Vec<String> {
    let mut program = Program::new();
    let channel = program.other(ResourceKind::Broadcast);
    program.receives(1, channel, 71).uses = sent - missed;
    let usage = &mut program.at(channel).usage;
    (usage.acquisitions, usage.missed, usage.missed_at) = (sent, missed, Some(place(71)));
    program.has_timer(1);
    program.snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn a_channel_whose_receivers_miss_messages_is_found() {
    let [finding] = &findings(1_204, 5_000)[..] else { panic!("one finding") };
    assert!(
        finding.starts_with(
            "receivers of the broadcast channel created at src/main.rs:11 missed 1,204 messages, most of them at \
             src/main.rs:71; 5,000 were sent. Next: receive faster"
        ),
        "{finding}"
    );
}

#[test]
fn a_few_missed_messages_are_no_finding() {
    assert_eq!(findings(99, 200), [""; 0]);
    assert_eq!(findings(100, 10_001), [""; 0], "under 1 %");
    assert_eq!(findings(100, 10_000).len(), 1);
}

/// A hundred clients, one of which misses a quarter of the messages.
#[test]
fn a_slow_client_among_many_is_healthy() {
    let findings = |receivers: u64| {
        let mut program = Program::new();
        let channel = program.other(ResourceKind::Broadcast);
        for task in 0..receivers {
            program.receives(task + 1, channel, 71).uses = if task == 0 { 7_500 } else { 10_000 };
        }
        let usage = &mut program.at(channel).usage;
        (usage.acquisitions, usage.missed) = (10_000, 2_500);
        program.has_timer(1);
        program.snapshot.findings().len()
    };
    assert_eq!(findings(100), 0);
    assert_eq!(findings(10), 1);
}

/// At night: of many clients of the day, five are left.
#[test]
fn what_others_missed_before_is_not_counted_against_those_that_are_left() {
    let findings = |received: u64| {
        let mut program = Program::new();
        let channel = program.other(ResourceKind::Broadcast);
        for task in 0..5 {
            program.receives(task + 1, channel, 71).uses = received;
        }
        let usage = &mut program.at(channel).usage;
        (usage.acquisitions, usage.missed) = (100_000, 100_000);
        program.has_timer(1);
        program.snapshot.findings().len()
    };
    assert_eq!([findings(1_000), findings(29_999), findings(80_000)], [0, 0, 1]);
    assert_eq!(findings(90_001), 0, "before a reset");
}

/// What a receiver has received is not subtracted at a reset, as what was sent is.
#[test]
fn after_a_reset_receivers_have_received_more_than_was_sent_since() {
    let findings = |missed: u64| {
        let mut program = Program::new();
        let channel = program.other(ResourceKind::Broadcast);
        program.receives(1, channel, 71).uses = 400_000;
        let usage = &mut program.at(channel).usage;
        (usage.acquisitions, usage.missed) = (5_000, missed);
        program.has_timer(1);
        program.snapshot.findings().len()
    };
    assert_eq!([findings(1_204), findings(99)], [1, 0]);
}
