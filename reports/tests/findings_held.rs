//! The rule `held` on drawn services: an outage that no ended wait shows, and waits by design.

use crate::support::tree;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Holding, NodeIndex, Resource, ResourceId, ResourceKind, Role, RunState, SiteIndex, SiteKind, Span,
    SpanId, SpanIndex, Task, TaskId, UsagePlace, Wait, WaitId, WaitMode,
};

const MS: u64 = 1_000_000;

/// Handlers that hold a lock for 8 ms each, until one waits for a confirmation.
pub(crate) const PAY: &str =
    "pay | calls=1004 completed=1000 pending=4 polls=3000 busy=1_000_000 idle=30_000_000_000
  orders.lock().await | calls=1004 polls=2000 idle=22_000_000_000 self_idle=22_000_000_000
  confirmed.notified().await | calls=1001 polls=2000 idle=8_000_000_000 self_idle=8_000_000_000
";

/// The drawn service: task 1 has held the lock for six seconds, and three others wait for it.
pub(crate) fn service(drawing: &str) -> Snapshot {
    let mut snapshot = tree(drawing);
    snapshot.elapsed_ns = 10_000 * MS;
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    let mut lock = Resource::default();
    (lock.id, lock.kind) = (ResourceId::new(1), ResourceKind::Mutex);
    lock.created = Some(crate::support::place_at(500, 9));
    let mut before = UsagePlace::default();
    (before.count, before.total_ns, before.longest_ns) = (1_000, 4_000 * MS, 8 * MS);
    (before.node, before.place) = (Some(NodeIndex::new(1)), snapshot.sites[1].place.clone());
    lock.usage.holders.push(before);
    let mut holding = Holding::default();
    (holding.role, holding.units, holding.since_ns) = (Role::Holds, 1, 6_000 * MS);
    (holding.task, holding.place) = (Some(TaskId::new(1)), Some(snapshot.sites[1].place.clone()));
    lock.holdings.push(holding);
    snapshot.resources.push(lock);
    for id in 1..=4_u64 {
        let root = snapshot.spans.len();
        let mut span = Span::default();
        (span.id, span.task) = (SpanId::new(id), Some(TaskId::new(id)));
        (span.state, span.since_ns, span.age_ns) = (RunState::Waiting, 6_000 * MS, 6_000 * MS);
        let at = SiteIndex::new(if id == 1 { 2 } else { 1 });
        let mut awaited = span.clone();
        (awaited.site, awaited.parent) = (at, Some(SpanIndex::new(root)));
        snapshot.spans.extend([span, awaited]);
        let mut task = Task::default();
        (task.id, task.span, task.is_unspawned) = (TaskId::new(id), Some(SpanIndex::new(root)), true);
        (task.age_ns, task.since_ns, task.opaque_wakers) = (6_000 * MS, 6_000 * MS, Some(1));
        snapshot.tasks.push(task);
        if id > 1 {
            let mut wait = Wait::default();
            (wait.id, wait.mode, wait.resource) = (WaitId::new(id), WaitMode::Lock, Some(ResourceId::new(1)));
            (wait.task, wait.span, wait.since_ns) =
                (Some(TaskId::new(id)), Some(SpanId::new(id)), 5_000 * MS);
            wait.place = Some(snapshot.sites[1].place.clone());
            snapshot.waits.push(wait);
        }
    }
    snapshot
}

pub(crate) fn sentences(snapshot: &Snapshot) -> Vec<String> {
    let findings = snapshot.findings();
    let held = findings.iter().filter(|finding| finding.rule.to_string() == "held");
    held.map(ToString::to_string).collect()
}

#[test]
fn a_lock_that_is_held_far_longer_than_before_is_found_with_what_its_holder_waits_for() {
    let [finding] = &sentences(&service(PAY))[..] else { panic!("one finding") };
    assert_eq!(
        finding,
        "3 calls of `pay` wait for the Mutex created at src/main.rs:500, for 5.00 s at the longest: task 1 `pay` has held it \
         for 6.00 s (8.00 ms at the longest before); it acquired it at src/main.rs:2 and waits at \
         `confirmed.notified().await` (src/main.rs:3). Next: find out why `confirmed.notified().await` does not end, and give it a \
         time limit. (held)"
    );
}

#[test]
fn a_semaphore_is_held_if_each_permit_is() {
    let mut snapshot = service(PAY);
    let lock = &mut snapshot.resources[0];
    lock.kind = ResourceKind::Semaphore;
    lock.holdings.push(lock.holdings[0].clone());
    lock.holdings[1].since_ns = 5_500 * MS;
    for wait in &mut snapshot.waits {
        wait.mode = WaitMode::Acquire;
    }
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    let words = "2 tasks have held all of it for 5.50 s or longer (8.00 ms at the longest before), such as task 1 `pay`, \
                 which acquired it at src/main.rs:2 and waits at";
    assert!(finding.contains(words), "{finding}");
    snapshot.resources[0].holdings[1].since_ns = 9 * MS;
    assert_eq!(sentences(&snapshot), [""; 0], "permits come back");
}

#[test]
fn an_initialization_is_no_hold() {
    let mut snapshot = service(PAY);
    snapshot.resources[0].kind = ResourceKind::OnceCell;
    snapshot.waits.iter_mut().for_each(|wait| wait.mode = WaitMode::Initialize);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    let words = "task 1 `pay` has been initializing it for 6.00 s at src/main.rs:2 and waits at";
    assert!(finding.contains(words), "{finding}");
}

#[test]
fn an_outage_may_have_stopped_more_calls_than_have_ended_before() {
    let standing = |waits: usize| {
        let mut snapshot = service(PAY);
        (snapshot.nodes[0].calls, snapshot.nodes[0].completed) = (64, 26);
        let wait = snapshot.waits[0].clone();
        snapshot.waits.resize(waits, wait);
        sentences(&snapshot).len()
    };
    assert_eq!(standing(38), 1, "the others have ended");
    assert_eq!(standing(4), 0, "34 calls wait elsewhere, as in a loop");
}

#[test]
fn a_standby_that_waits_for_its_leader_is_healthy() {
    let ended = |count: u64| {
        let mut snapshot = service(PAY);
        (snapshot.nodes[0].calls, snapshot.nodes[0].completed) = (count + 4, count);
        sentences(&snapshot).len()
    };
    assert_eq!((ended(0), ended(9), ended(10)), (0, 0, 1));
}

#[test]
fn workers_that_share_a_receiver_hold_it_while_there_is_no_job() {
    for next in ["jobs.recv().await", "listener.accept().await", "jobs.next().await"] {
        assert_eq!(sentences(&service(&PAY.replace("confirmed.notified().await", next))), [""; 0], "{next}");
    }
    assert_eq!(sentences(&service(&PAY.replace("confirmed.notified()", "rx"))).len(), 1);
}

#[test]
fn short_holds_few_waits_and_usual_holds_are_healthy() {
    let changed = |change: &dyn Fn(&mut Snapshot)| {
        let mut snapshot = service(PAY);
        change(&mut snapshot);
        sentences(&snapshot).len()
    };
    let wait_for = |ms: u64| {
        changed(&|snapshot: &mut Snapshot| {
            snapshot.waits.iter_mut().for_each(|wait| wait.since_ns = ms * MS);
        })
    };
    assert_eq!((wait_for(999), wait_for(1_000)), (0, 1));
    assert_eq!(changed(&|snapshot| drop(snapshot.waits.pop())), 0, "two calls");
    let longest = |ms: u64| {
        changed(&|snapshot: &mut Snapshot| snapshot.resources[0].usage.holders[0].longest_ns = ms * MS)
    };
    assert_eq!((longest(601), longest(600)), (0, 1));
    assert_eq!(changed(&|snapshot| snapshot.waits[0].is_granted = true), 0, "one has it already");
}

#[test]
fn what_stands_still_comes_before_a_lock_that_only_slows() {
    let slow = "list | calls=1000 completed=1000 polls=2000 busy=1_000_000 idle=90_000_000_000
  rows.lock().await | calls=1000 polls=2000 idle=90_000_000_000 self_idle=90_000_000_000
";
    let mut snapshot = service(&format!("{PAY}{slow}"));
    crate::findings_locks::add_mutex(&mut snapshot, "rows.lock().await", 1_000, 90_000, 9_000);
    let rules: Vec<String> = snapshot.findings().iter().map(|finding| finding.rule.to_string()).collect();
    assert_eq!(rules, ["held", "contended"]);
}

#[test]
fn a_lock_without_a_place_of_creation_has_that_of_an_acquisition() {
    let mut snapshot = service(PAY);
    snapshot.resources[0].created = None;
    let finding = &snapshot.findings()[0].sentence;
    assert!(
        finding.starts_with("3 calls of `pay` wait for the Mutex acquired at src/main.rs:2, for 5.00 s"),
        "{finding}"
    );
}

/// The holder waits in a `select!`, whose arms are listed in any order.
#[test]
fn of_several_awaits_the_one_that_is_no_event_is_named() {
    let with_arms = |other: &str, is_set_aside: bool| {
        let mut snapshot = service(PAY);
        snapshot.sites[2].name = "ledger.query(id).await".into();
        let mut site = snapshot.sites[2].clone();
        site.name = other.into();
        snapshot.sites.push(site);
        let mut arm = snapshot.spans[1].clone();
        (arm.site, arm.is_set_aside) = (SiteIndex::new(snapshot.sites.len() - 1), is_set_aside);
        snapshot.spans.insert(2, arm);
        for span in snapshot.spans.iter_mut().skip(3) {
            span.parent = span.parent.map(|parent| SpanIndex::new(parent.get() + 1));
        }
        for task in snapshot.tasks.iter_mut().skip(1) {
            task.span = task.span.map(|span| SpanIndex::new(span.get() + 1));
        }
        snapshot.findings().iter().map(|finding| finding.sentence.clone()).collect::<Vec<_>>()
    };
    let named = "and waits at `ledger.query(id).await`";
    for (other, is_set_aside) in
        [("stop.changed().await", false), ("sleep(LIMIT).await", false), ("x.await", true)]
    {
        let [finding] = &with_arms(other, is_set_aside)[..] else { panic!("one finding: {other}") };
        assert!(finding.contains(named), "{other}: {finding}");
    }
    let [either] = &with_arms("audit.write(id).await", false)[..] else { panic!("one finding") };
    assert!(!either.contains("and waits at"), "{either}");
    assert_eq!(with_arms("jobs.recv().await", false), [""; 0], "it may wait for its next job");
}

/// A lock for each account.
#[test]
fn locks_of_one_line_are_one_finding() {
    let mut snapshot = service(PAY);
    for number in 1..=12_u64 {
        let mut lock = snapshot.resources[0].clone();
        lock.id = ResourceId::new(1 + number);
        let waits: Vec<Wait> = snapshot.waits[..3].to_vec();
        for mut wait in waits {
            (wait.id, wait.resource) = (WaitId::new(100 * number + wait.id.get()), Some(lock.id));
            snapshot.waits.push(wait);
        }
        snapshot.resources.push(lock);
    }
    let [finding] = &snapshot.findings()[..] else { panic!("one finding") };
    assert!(finding.sentence.ends_with("; 12 more like it"), "{finding}");
}
