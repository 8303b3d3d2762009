//! The rule `held` on services whose waits have a time limit: none is old, and none succeeds.

use crate::findings_held::{PAY, sentences, service};
use diagnose_reports::Snapshot;
use diagnose_reports::model::{LastEvent, NodeIndex, ResourceKind, UsagePlace};

const MS: u64 = 1_000_000;

/// The drawn service: the lock has been held for six seconds, the waits for it last 200 ms, and 40
/// were given up.
fn limited() -> Snapshot {
    let mut snapshot = service(PAY);
    snapshot.waits.iter_mut().for_each(|wait| wait.since_ns = 200 * MS);
    let place = snapshot.sites[1].place.clone();
    let lock = &mut snapshot.resources[0];
    (lock.capacity, lock.usage.acquisitions) = (Some(1), 1_000);
    (lock.usage.contended, lock.usage.waited) = (73, 30);
    let mut row = UsagePlace::default();
    (row.place, row.node, row.count) = (place, Some(NodeIndex::new(1)), 100);
    lock.usage.waiters.push(row);
    snapshot
}

fn changed(change: impl Fn(&mut Snapshot)) -> Vec<String> {
    let mut snapshot = limited();
    change(&mut snapshot);
    sentences(&snapshot)
}

fn acquired(ago_ns: u64) -> LastEvent {
    let mut last = LastEvent::default();
    last.ago_ns = Some(ago_ns);
    last
}

/// A semaphore of six permits, all of which were forgotten.
fn lost(snapshot: &mut Snapshot) {
    let lock = &mut snapshot.resources[0];
    (lock.kind, lock.capacity, lock.forgotten) = (ResourceKind::Semaphore, Some(6), 6);
    lock.holdings.clear();
    lock.last_acquired = Some(acquired(6_000 * MS));
    let mut forgotten = acquired(5_900 * MS);
    forgotten.place = Some(crate::support::place_at(41, 9));
    lock.last_forgotten = Some(forgotten);
}

#[test]
fn a_lock_that_waits_with_a_limit_do_not_get_any_more_is_found() {
    assert_eq!(
        changed(|_| ()),
        [
            "no call acquires the Mutex created at src/main.rs:500 any more: task 1 `pay` has held it for 6.00 s (8.00 ms at the \
          longest before); it acquired it at src/main.rs:2 and waits at `confirmed.notified().await` (src/main.rs:3); 40 waits \
          have been given up, and most calls wait at src/main.rs:2. Next: find out why `confirmed.notified().await` does not end, and \
          give it a time limit. (held)"
        ]
    );
    let leaked = changed(|snapshot| snapshot.tasks.retain(|task| task.id.get() != 1));
    let [leaked] = &leaked[..] else { panic!("one finding: {leaked:?}") };
    assert!(
        leaked.contains("any more: a task that has ended acquired it at src/main.rs:2, 6.00 s ago; 40"),
        "{leaked}"
    );
}

#[test]
fn permits_that_were_all_forgotten_are_found_at_the_line_that_forgot_the_last() {
    assert_eq!(
        changed(lost),
        [
            "the Semaphore created at src/main.rs:500 has no permit left: `forget` removed 6, the last one at src/main.rs:41, \
          5.90 s ago; 40 waits have been given up, and most calls wait at src/main.rs:2. Next: drop the permits there instead of \
          forgetting them, or give them back with `add_permits`. (held)"
        ]
    );
    let silent = |change: fn(&mut Snapshot)| {
        changed(|snapshot| {
            lost(snapshot);
            change(snapshot);
        })
    };
    assert_eq!(silent(|snapshot| snapshot.resources[0].is_refilled = true), [""; 0], "a token bucket");
    assert_eq!(silent(|snapshot| snapshot.resources[0].forgotten = 5), [""; 0], "one is held, or free");
    assert_eq!(silent(|snapshot| snapshot.resources[0].is_closed = true), [""; 0], "no wait lasts");
}

#[test]
fn locks_that_are_still_acquired_or_meant_to_be_held_are_not() {
    let silent = |change: fn(&mut Snapshot)| changed(change);
    let lock = |change: fn(&mut diagnose_reports::model::Resource)| {
        changed(|snapshot| change(&mut snapshot.resources[0]))
    };
    assert_eq!(lock(|it| it.last_acquired = Some(acquired(999 * MS))), [""; 0], "another call got it");
    assert_eq!(lock(|it| it.holdings[0].since_ns = 999 * MS), [""; 0], "not for long");
    assert_eq!(lock(|it| it.usage.holders[0].longest_ns = 601 * MS), [""; 0], "not longer than before");
    assert_eq!(lock(|it| it.usage.holders.clear()), [""; 0], "no hold has ended: the lock of a leader");
    assert_eq!(lock(|it| it.usage.acquisitions = 19), [""; 0], "hardly used");
    assert_eq!(lock(|it| it.usage.waited = 61), [""; 0], "nine were given up, and three wait");
    assert_eq!(lock(|it| (it.usage.contended, it.usage.waited) = (103, 60)), [""; 0], "at some time");
    let quiet = |snapshot: &mut Snapshot| drop(snapshot.waits.pop());
    assert_eq!(silent(quiet), [""; 0], "hardly anybody wants it now");
    assert_eq!(lock(|it| it.free = 1), [""; 0], "not all of it is held");
    let next = |snapshot: &mut Snapshot| snapshot.sites[2].name = "jobs.recv().await".into();
    assert_eq!(silent(next), [""; 0], "whose turn it is");
}

#[test]
fn permits_of_a_token_bucket_have_no_number_that_they_are_part_of() {
    let line = |is_refilled: bool| {
        let mut snapshot = limited();
        lost(&mut snapshot);
        snapshot.resources[0].is_refilled = is_refilled;
        let page =
            crate::support::page(&snapshot, diagnose_reports::Format::Text, diagnose_reports::View::Busy);
        page.lines().find(|line| line.contains("permits free")).unwrap().to_owned()
    };
    assert!(line(false).contains(": 0 of 6 permits free, 6 permits forgotten"), "{}", line(false));
    assert!(line(true).contains(": 0 permits free, 6 permits forgotten"), "{}", line(true));
}
