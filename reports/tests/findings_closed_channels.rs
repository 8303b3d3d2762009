//! The rule `growing` for channels whose receivers are gone, and whose senders stay.

use crate::support::empty;
use crate::support::place_at;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{Holding, Resource, ResourceId, ResourceKind, Role};

const SECOND: u64 = 1_000_000_000;

/// A snapshot with `all` channels that one line created, evenly over `seconds`. The first `closed`
/// of them have lost their receivers.
fn channels(kind: ResourceKind, all: u64, closed: u64, seconds: u64) -> Snapshot {
    let mut snapshot = empty();
    snapshot.elapsed_ns = seconds * SECOND;
    for number in 0..all {
        let mut channel = Resource::default();
        (channel.id, channel.kind) = (ResourceId::new(number + 1), kind);
        channel.created = Some(place_at(20, 5));
        channel.age_ns = (all - number) * seconds * SECOND / all;
        channel.is_closed = number < closed;
        for role in [Role::Sends, Role::Receives] {
            let mut end = Holding::default();
            end.role = role;
            if role == Role::Sends || number >= closed {
                channel.holdings.push(end);
            }
        }
        snapshot.resources.push(channel);
    }
    snapshot
}

fn sentences(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn senders_whose_receivers_are_gone_are_found_after_minutes() {
    let [finding] = &sentences(&channels(ResourceKind::Mpsc, 600, 590, 1_200))[..] else {
        panic!("one finding")
    };
    assert!(
        finding.starts_with(
            "senders of the mpsc channels created at src/main.rs:20 pile up: the receivers of 590 are gone, the oldest is 20.0 min \
             old, one more every 2.03 s. Next: remove each sender where its receiver ends"
        ) && finding.ends_with("(growing)"),
        "{finding}"
    );
    let replies = sentences(&channels(ResourceKind::Oneshot, 600, 600, 1_200));
    assert!(replies[0].starts_with("senders of the oneshot channels created"), "{replies:?}");
    assert_eq!(
        sentences(&channels(ResourceKind::Mpsc, 600, 590, 500)),
        [""; 0],
        "the next message may drop them"
    );
    assert_eq!(sentences(&channels(ResourceKind::Mpsc, 180, 180, 1_200)), [""; 0], "few");
}

#[test]
fn hubs_that_drop_such_senders_are_healthy() {
    assert_eq!(
        sentences(&channels(ResourceKind::Mpsc, 1_000, 300, 1_200)),
        [""; 0],
        "most clients are there"
    );
    let mut snapshot = channels(ResourceKind::Mpsc, 600, 590, 1_200);
    snapshot.resources[599].age_ns = 3_000 * SECOND;
    assert_eq!(sentences(&snapshot), [""; 0], "those of the first half are gone");
    let mut snapshot = channels(ResourceKind::Mpsc, 600, 590, 1_200);
    for channel in &mut snapshot.resources {
        channel.age_ns = channel.age_ns.max(300 * SECOND);
    }
    assert_eq!(sentences(&snapshot), [""; 0], "none is new");
    let mut snapshot = channels(ResourceKind::Mpsc, 600, 590, 1_200);
    for channel in &mut snapshot.resources {
        channel.holdings.retain(|end| end.role == Role::Receives);
    }
    assert_eq!(sentences(&snapshot), [""; 0], "there is no sender");
}
