//! The rule `contended` on semaphores, whose permits are meant to bound what is done at once.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{ResourceId, ResourceKind, Wait, WaitMode};

use crate::findings_locks::{MS, node_named, returned_guard, sentences};

/// 100 requests that wait 40 ms each for a permit and hold it for 10 ms over a query. Two more
/// wait: one for 60 ms, one for `youngest_ms`.
fn permits(youngest_ms: u64) -> Snapshot {
    let mut snapshot = returned_guard();
    let permits = &mut snapshot.resources[0];
    (permits.kind, permits.usage.held.p50_ns) = (ResourceKind::Semaphore, 10 * MS);
    for since_ms in [60, youngest_ms] {
        let mut wait = Wait::default();
        (wait.resource, wait.mode, wait.since_ns) =
            (Some(ResourceId::new(1)), WaitMode::Acquire, since_ms * MS);
        snapshot.waits.push(wait);
    }
    snapshot
}

#[test]
fn permits_are_held_over_the_calls_that_they_limit() {
    let [finding] = &sentences(&permits(1))[..] else { panic!("one finding") };
    assert!(
        finding.contains(
            "over `fetch(id).await` (src/main.rs:5). Next: hold the permits for a shorter \
             time, or add permits if the bound is not on purpose"
        ),
        "{finding}"
    );
    let mut snapshot = permits(1);
    snapshot.resources[0].usage.held.p50_ns = 11 * MS;
    assert_eq!(sentences(&snapshot), [""; 0], "bounded concurrency");
}

#[test]
fn waits_that_have_not_ended_count() {
    // Of 9.4 s, 4 s are in waits that have ended; `waiting` other waits are still open.
    let overloaded = |waiting: u64| {
        let mut snapshot = permits(1);
        let row = snapshot.resources[0].usage.waiters[0].clone();
        for node in 0..snapshot.nodes.len() - 1 {
            snapshot.nodes[node].idle_ns += 4_400 * MS;
        }
        for _ in 0..waiting {
            let mut wait = snapshot.waits[0].clone();
            (wait.place, wait.since_ns) = (Some(row.place.clone()), 60 * MS);
            snapshot.waits.push(wait);
        }
        sentences(&snapshot)
    };
    assert_eq!(overloaded(2), [""; 0]);
    let [finding] = &overloaded(58)[..] else { panic!("one finding") };
    assert!(finding.contains("makes `order` wait: 80 % of its time"), "{finding}");
}

#[test]
fn a_batch_limited_by_permits_waits_by_design() {
    assert_eq!(sentences(&permits(29)).len(), 1);
    assert_eq!(sentences(&permits(31)), [""; 0], "they came at once");
    let mut done = permits(1);
    done.waits.clear();
    assert_eq!(sentences(&done), [""; 0], "nobody waits");
}

#[test]
fn an_overloaded_service_has_more_calls_in_flight_than_have_ended() {
    let served = |ended: u64, calls: u64| {
        let mut snapshot = permits(1);
        for name in ["order", "carts"] {
            let node = node_named(&snapshot, name);
            (snapshot.nodes[node].calls, snapshot.nodes[node].completed) = (calls, ended);
        }
        sentences(&snapshot).len()
    };
    assert_eq!((served(100, 1_000), served(100, 1_010)), (1, 0), "a tenth has ended");
    assert_eq!((served(99, 900), served(99, 198)), (0, 1), "loops, or a start");
}

/// Where most waits are given up, they last as long as the callers' patience.
#[test]
fn permits_that_most_callers_give_up_on_are_found_although_the_waits_are_short() {
    let given_up = |count: u64| {
        let mut snapshot = permits(1);
        let usage = &mut snapshot.resources[0].usage;
        usage.held.p50_ns = 11 * MS;
        (usage.contended, usage.waited) = (100, 100 - count);
        sentences(&snapshot)
    };
    assert_eq!(given_up(48), [""; 0], "bounded concurrency");
    let [finding] = &given_up(80)[..] else { panic!("one finding") };
    assert!(finding.contains("waits given up; held most by"), "{finding}");
}
