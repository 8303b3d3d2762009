//! Awaits of a free slot of a channel: in the rule `slow_await`, the receiver is busy elsewhere now
//! and then; in `contended`, it makes the holder of a lock wait.

use crate::findings_locks::{add_mutex, drawn};
use crate::support::latency::durations;
use crate::support::{place_at, tree};
use diagnose_reports::model::{Holding, Resource, ResourceId, ResourceKind, Role, SiteKind, Span};
use diagnose_reports::{Format, Snapshot, View};

const MS: u64 = 1_000_000;

/// 200 requests that wait 5.4 s in all for a slot, four of them for most of it. The writer waits
/// for points most of the time, and four times for a flush of 700 ms.
fn ingest() -> Snapshot {
    let mut snapshot = tree(
        "ingest | calls=200 completed=200 polls=400 busy=2_000_000 idle=5_400_000_000\n  \
         points.send(point).await | calls=200 completed=200 polls=400 idle=5_400_000_000 self_idle=5_400_000_000\n\
         writer | calls=1 pending=1 polls=400 busy=2_000_000 idle=9_800_000_000\n  \
         points.recv().await | calls=201 completed=200 pending=1 polls=400 idle=7_000_000_000 self_idle=7_000_000_000\n  \
         flush(&mut block).await | calls=4 completed=4 polls=8 idle=2_800_000_000 self_idle=2_800_000_000",
    );
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    snapshot.elapsed_ns = 10_000 * MS;
    let lengths = [vec![3 * MS; 196], vec![1_200 * MS; 4]].concat();
    snapshot.nodes[0].latency.completed = durations(&lengths);
    snapshot.nodes[0].is_unspawned = true;
    let mut end = Holding::default();
    (end.role, end.uses, end.place) = (Role::Receives, 200, Some(snapshot.sites[3].place.clone()));
    let mut channel = channel(1, 500, 5_000);
    channel.holdings.push(end);
    snapshot.resources.push(channel);
    snapshot
}

/// A channel whose senders have waited for `waited_ms`.
fn channel(id: u64, line: u32, waited_ms: u64) -> Resource {
    let mut it = Resource::default();
    (it.id, it.kind, it.capacity) = (ResourceId::new(id), ResourceKind::Mpsc, Some(16));
    it.created = Some(place_at(line, 5));
    (it.usage.acquisitions, it.usage.contended) = (200, 8);
    (it.usage.waited, it.usage.waited_ns) = (8, waited_ms * MS);
    it
}

fn next(snapshot: &Snapshot) -> String {
    let findings = snapshot.findings();
    let [finding] = &findings[..] else { panic!("one finding: {findings:?}") };
    assert_eq!(finding.rule.to_string(), "slow_await");
    finding.next.clone()
}

#[test]
fn the_receiver_that_is_busy_now_and_then_is_named() {
    let expected = "look at the receiver of the mpsc with 16 slots created at src/main.rs:500; it is emptied at \
                    src/main.rs:4, which takes 700 ms each time at `flush(&mut block).await` (src/main.rs:5)";
    assert_eq!(next(&ingest()), expected);
}

#[test]
fn a_channel_is_named_only_if_it_is_the_one() {
    let other_end = |change: &dyn Fn(&mut Snapshot)| {
        let mut snapshot = ingest();
        change(&mut snapshot);
        let next = next(&snapshot);
        next.starts_with("look at the other end of that await")
    };
    assert!(!other_end(&|_| ()));
    assert!(other_end(&|it| it.resources[0].usage.waited_ns = 4_300 * MS), "other waits are there too");
    assert!(other_end(&|it| it.resources[0].usage.waited_ns = 6_500 * MS), "senders wait elsewhere too");
    assert!(other_end(&|it| it.resources.push(channel(2, 501, 5_400))), "either may be it");
    assert!(!other_end(&|it| it.resources.push(channel(2, 501, 540))), "few wait for the other one");
    assert!(other_end(&|it| it.resources[0].capacity = None), "its senders never wait");
    assert!(other_end(&|it| it.sites[1].name = "points.push(point).await".into()), "no send");
}

/// As in `full_channel`.
#[test]
fn a_producer_that_answers_no_request_waits_for_a_slot_by_design() {
    let found = |text: &str, change: &dyn Fn(&mut Snapshot)| {
        let mut snapshot = ingest();
        snapshot.sites[1].name = text.into();
        snapshot.nodes[0].is_unspawned = false;
        change(&mut snapshot);
        snapshot.findings().len()
    };
    assert_eq!(found("points.send(point).await", &|_| ()), 0, "senders waited there for as long");
    let senders_elsewhere = |it: &mut Snapshot| it.resources[0].usage.waited_ns = 1_000 * MS;
    assert_eq!(found("points.send(point).await", &senders_elsewhere), 1, "it may be a client");
    let sent_there = |it: &mut Snapshot| {
        senders_elsewhere(it);
        let mut end = Holding::default();
        (end.role, end.uses, end.place) = (Role::Sends, 200, Some(it.sites[1].place.clone()));
        it.resources[0].holdings.push(end);
    };
    assert_eq!(found("points.send(point).await", &sent_there), 0);
    assert_eq!(found("self.points_tx.send(point).await", &|it| it.resources.clear()), 0, "the usual name");
    assert_eq!(found("mailer.send(point).await", &|it| it.resources.clear()), 1);
    assert_eq!(found("self.http.post(url).send().await", &|it| it.resources.clear()), 1);
}

#[test]
fn an_await_of_the_receiver_is_named_only_if_it_is_long() {
    let mut snapshot = ingest();
    snapshot.nodes[4].calls = 57;
    let next = next(&snapshot);
    assert!(next.ends_with("it is emptied at src/main.rs:4"), "49 ms each time: {next}");
}

/// `ingest`, but its callers wait for the answers of `writer`, which also takes other messages.
fn asked(change: impl Fn(&mut Snapshot)) -> String {
    let mut snapshot = ingest();
    snapshot.sites[1].name = "answer.await".into();
    snapshot.resources[0].usage.waited_ns = 0;
    snapshot.resources[0].holdings[0].uses = 204;
    change(&mut snapshot);
    next(&snapshot)
}

#[test]
fn the_receiver_that_answers_late_now_and_then_is_named() {
    let expected = "look at the receiver of the mpsc with 16 slots created at src/main.rs:500; it is emptied at \
                    src/main.rs:4, which takes 700 ms each time at `flush(&mut block).await` (src/main.rs:5)";
    assert_eq!(asked(|_| ()), expected);
    assert_eq!(
        asked(|it| it.resources[0].capacity = None),
        expected.replace("mpsc with 16 slots", "unbounded mpsc")
    );
    let unknown = |change: &dyn Fn(&mut Snapshot)| asked(change).starts_with("look at the other end");
    assert!(unknown(&|it| it.sites[1].name = "fetch(id).await".into()), "a call");
    assert!(unknown(&|it| it.resources[0].holdings[0].uses = 199), "others have answered");
    assert!(unknown(&|it| it.nodes[4].calls = 6), "it is away for 467 ms");
    let twice = |it: &mut Snapshot| {
        let mut other = it.resources[0].clone();
        (other.id, other.created) = (ResourceId::new(2), Some(place_at(501, 5)));
        it.resources.push(other);
    };
    assert!(unknown(&twice), "either may be it");
}

#[test]
fn a_call_that_has_just_begun_makes_the_others_no_shorter() {
    let next = asked(|it| {
        (it.nodes[4].calls, it.nodes[4].pending) = (5, 1);
        it.nodes[4].idle_ns += 15 * MS;
        let mut span = Span::default();
        (span.site, span.age_ns) = (it.nodes[4].site, 15 * MS);
        it.spans.push(span);
    });
    assert!(next.contains("which takes 700 ms each time at `flush(&mut block).await`"), "{next}");
}

#[test]
fn the_table_of_resources_says_how_many_messages_waited_for_a_slot() {
    let page = crate::support::page(&ingest(), Format::Text, View::Busy);
    let row = page.lines().find(|line| line.ends_with("mpsc, src/main.rs:500")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[..6], ["1", "0", "-", "200", "4.00", "%"], "8 of 200: {row}");
}

/// 100 requests that send 9 ms each under a lock, for which they wait 40 ms.
fn sent_under_a_lock(waited_ms: u64) -> String {
    let mut snapshot = drawn(
        "record | calls=100 completed=100 polls=300 busy=1_000_000 idle=4_900_000_000\n  \
         rows.lock().await | calls=100 completed=100 polls=200 idle=4_000_000_000 self_idle=4_000_000_000\n  \
         rows.send(row).await | calls=100 completed=100 polls=200 idle=900_000_000 self_idle=900_000_000",
    );
    add_mutex(&mut snapshot, "rows.lock().await", 100, 4_000, 900);
    snapshot.resources.push(channel(2, 501, waited_ms));
    let findings = snapshot.findings();
    let [finding] = &findings[..] else { panic!("one finding: {findings:?}") };
    assert_eq!(finding.rule.to_string(), "contended");
    finding.next.clone()
}

#[test]
fn a_full_channel_that_keeps_the_holder_of_a_lock_is_named() {
    let receiver = "look at the receiver of the mpsc with 16 slots created at src/main.rs:501";
    assert!(sent_under_a_lock(890).starts_with(receiver), "{}", sent_under_a_lock(890));
    let unknown = "do not hold it across `rows.send(row).await`; if it guards a connection or a device, use a pool of them";
    assert_eq!(sent_under_a_lock(90), unknown, "its senders waited elsewhere");
}
