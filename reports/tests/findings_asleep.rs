//! The rule `blocking` for workers that sleep in code without annotation.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{SiteKind, Worker};

use crate::support::tree;

const MS: u64 = 1_000_000;

/// Ten seconds of 1,500 requests that wait 5.33 ms each for a thread, around which middleware
/// blocks for 12 ms. Two workers share them.
const REQUESTS: &str = "item | calls=1500 completed=1500 polls=3000 busy=10_000_000 idle=17_000_000_000 queued=8_000_000_000
  query(id).await | calls=1500 completed=1500 polls=3000 busy=10_000_000 idle=17_000_000_000 self_idle=17_000_000_000
";

fn found(change: impl Fn(&mut Snapshot)) -> Vec<String> {
    let mut snapshot = tree(REQUESTS);
    snapshot.elapsed_ns = 10_000 * MS;
    snapshot.nodes[0].is_unspawned = true;
    snapshot
        .sites
        .iter_mut()
        .filter(|site| site.name.contains(".await"))
        .for_each(|it| it.kind = SiteKind::Await);
    for _ in 0..2 {
        let mut worker = Worker::default();
        (worker.cpu_ns, worker.delayed_ns, worker.busy_ns) = (Some(80 * MS), Some(15 * MS), 5 * MS);
        (worker.polls, worker.listed_ns, worker.parked_ns) = (1_500, 10_000 * MS, 900 * MS);
        snapshot.workers.push(worker);
    }
    change(&mut snapshot);
    snapshot.findings().iter().map(|finding| format!("{}: {}", finding.rule, finding.sentence)).collect()
}

#[test]
fn workers_that_sleep_in_code_without_annotation_are_found() {
    assert_eq!(
        found(|_| ()),
        [
            "blocking: workers are asleep 90 % of their time in code that is not on record, and tasks waited 8.00 s for a thread, \
             most of all those of `item` (src/main.rs:1)"
        ]
    );
}

#[test]
fn workers_that_are_awake_or_delay_nobody_are_healthy() {
    let workers = |change: fn(&mut Worker)| found(|it| it.workers.iter_mut().for_each(change)).len();
    assert_eq!(workers(|it| it.parked_ns = 8_900 * MS), 1, "1 s each");
    assert_eq!(workers(|it| it.parked_ns = 8_901 * MS), 0, "less");
    assert_eq!(workers(|it| it.delayed_ns = Some(8_200 * MS)), 0, "they wait for a CPU");
    assert_eq!(workers(|it| it.busy_ns = 8_200 * MS), 0, "in polls on record");
    assert_eq!(workers(|it| it.cpu_ns = None), 0, "unknown");
    assert_eq!(found(|it| it.elapsed_ns = 4_999 * MS), [""; 0], "a start");
    let queued = |ns: u64| found(|it| it.nodes[0].queued_ns = ns).len();
    assert_eq!(queued(3_050 * MS), 1, "1 ms each because of it");
    assert_eq!(queued(3_020 * MS), 0, "a thread switch takes as long");
    let with_delay = |queued_ms: u64| {
        let findings = found(|it| {
            it.nodes[0].queued_ns = queued_ms * MS;
            it.workers.iter_mut().for_each(|worker| worker.delayed_ns = Some(4_515 * MS));
        });
        findings.len()
    };
    assert_eq!(with_delay(6_200), 1);
    assert_eq!(with_delay(5_900), 0, "half of it is because they wait for a CPU");
    assert_eq!(
        found(|it| it.nodes[0].idle_ns = 81_000 * MS),
        [""; 0],
        "under a tenth of the time of the calls"
    );
}
