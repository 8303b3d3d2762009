//! The rule `full_channel` for a channel that is not on record, and whose sender has any name: its
//! receiver is known by the number of its messages.

use crate::support::tree;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Holding, Resource, ResourceId, ResourceKind, Role, RunState, SiteKind, Span, SpanId,
};

const MS: u64 = 1_000_000;

/// Ten seconds of 24 connections whose rows are stored one after the other, each in 12 ms.
fn connections(send: &str) -> Snapshot {
    let mut snapshot = tree(&format!(
        "ingest | calls=24 pending=24 polls=3000 idle=240_000_000_000\n  \
         lines.next_line().await | calls=824 completed=800 polls=1600 idle=10_000_000_000 self_idle=10_000_000_000\n  \
         {send} | calls=824 completed=800 pending=24 polls=1600 idle=230_000_000_000 self_idle=230_000_000_000\n  \
         write.write_all(OK).await | calls=800 completed=800 polls=800\n\
         writer | calls=1 pending=1 polls=1600 idle=9_900_000_000\n  \
         queue.recv().await | calls=792 completed=792 polls=792\n  \
         store(row).await | calls=792 completed=791 pending=1 polls=1600 idle=9_900_000_000 self_idle=9_900_000_000"
    ));
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    snapshot.elapsed_ns = 10_000 * MS;
    for number in 1..=24 {
        let mut span = Span::default();
        (span.site, span.state) = (snapshot.nodes[2].site, RunState::Waiting);
        (span.id, span.since_ns) = (SpanId::new(number), number * 12 * MS);
        snapshot.spans.push(span);
    }
    snapshot
}

fn sentences(snapshot: &Snapshot) -> Vec<String> {
    let findings = snapshot.findings();
    let full = findings.iter().filter(|finding| finding.rule.to_string() == "full_channel");
    full.map(|finding| finding.sentence.clone()).collect()
}

#[test]
fn a_channel_without_a_record_is_known_by_its_receiver() {
    let expected = "`rows.send(line).await` (src/main.rs:3) makes `ingest` wait: 96 % of its time, 279 ms on average, for a slot of a \
                    channel that is not on record; as many messages are received at `queue.recv().await` (src/main.rs:6), by a loop that \
                    spends most of its time in `store(row).await` (src/main.rs:7)";
    assert_eq!(sentences(&connections("rows.send(line).await")), [expected]);
    assert_eq!(sentences(&connections("self.jobs.send(job).await?")).len(), 1);
}

#[test]
fn a_client_that_sends_is_no_channel() {
    let changed = |change: fn(&mut Snapshot)| {
        let mut snapshot = connections("mailer.send(mail).await");
        change(&mut snapshot);
        sentences(&snapshot).len()
    };
    assert_eq!(changed(|_| ()), 1);
    assert_eq!(changed(|it| it.nodes[5].completed = 700), 0, "fewer messages are received");
    assert_eq!(changed(|it| it.nodes[5].idle_ns = 2_000 * MS), 0, "the receiver waits for messages");
    assert_eq!(
        changed(|it| it.sites[3].name = "log.send(line).await".into()),
        0,
        "something else sends as many"
    );
    assert_eq!(changed(|it| it.sites[6].name = "other.recv().await".into()), 0, "two receive as many");
    let recorded = |it: &mut Snapshot| {
        let (mut channel, mut end) = (Resource::default(), Holding::default());
        (channel.id, channel.kind) = (ResourceId::new(1), ResourceKind::Mpsc);
        (end.role, end.place) = (Role::Receives, Some(it.sites[5].place.clone()));
        channel.holdings.push(end);
        it.resources.push(channel);
    };
    assert_eq!(changed(recorded), 0, "that channel is on record, and this is none of its ends");
}
