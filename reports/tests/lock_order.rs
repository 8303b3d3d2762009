//! Locks acquired in both orders or in a longer cycle: detection, and the text of the report.

use diagnose_reports::model::{LockOrder, LockPair, LockedResource, Place, ResourceId, TaskId};
use diagnose_reports::{Format, Snapshot, View};

/// A snapshot with locks 1 to `locks` and these pairs of a held and an acquired lock.
fn noted(locks: u64, pairs: &[(u64, u64)]) -> Snapshot {
    let mut order = LockOrder::default();
    for id in 1..=locks {
        let mut lock = LockedResource::default();
        lock.id = ResourceId::new(id);
        order.resources.push(lock);
    }
    for (line, &(held, acquired)) in pairs.iter().enumerate() {
        let mut pair = LockPair::default();
        (pair.held, pair.acquired) = (ResourceId::new(held), ResourceId::new(acquired));
        let line = u32::try_from(line).expect("few") * 10 + 1;
        (pair.held_at, pair.acquired_at) = (Some(place(line)), Some(place(line + 1)));
        pair.task = Some(TaskId::new(7));
        pair.task_name.push_str("work");
        pair.count = 1;
        order.pairs.push(pair);
    }
    let mut snapshot = crate::support::empty();
    snapshot.lock_order = Some(order);
    snapshot
}

fn place(line: u32) -> Place {
    let mut place = Place::default();
    place.file = "src/main.rs".into();
    place.line = line;
    place
}

/// The ids of the locks in each cycle.
fn cycles(snapshot: &Snapshot) -> Vec<Vec<u64>> {
    let pairs = &snapshot.lock_order.as_ref().expect("it was recorded").pairs;
    let found = snapshot.lock_inversions();
    found.iter().map(|it| it.pairs.iter().map(|&pair| pairs[pair].held.get()).collect()).collect()
}

#[test]
fn one_order_is_no_cycle() {
    assert!(cycles(&noted(4, &[(1, 2), (1, 3), (2, 3), (3, 4)])).is_empty());
}

#[test]
fn locks_taken_in_both_orders_are_a_cycle() {
    assert_eq!(cycles(&noted(3, &[(1, 2), (2, 3), (2, 1)])), [[1, 2]]);
}

#[test]
fn longer_cycles_come_last_with_each_lock_once() {
    let pairs = [(1, 2), (2, 3), (3, 1), (4, 5), (5, 4), (3, 4)];
    assert_eq!(cycles(&noted(5, &pairs)), [vec![4, 5], vec![1, 2, 3]]);
}

#[test]
fn two_cycles_with_a_lock_in_common_are_two() {
    let pairs = [(1, 2), (2, 3), (3, 1), (1, 4), (4, 5), (5, 1)];
    assert_eq!(cycles(&noted(5, &pairs)), [[1, 2, 3], [1, 4, 5]]);
}

#[test]
fn a_ring_of_ten_thousand_is_one_cycle() {
    let pairs: Vec<(u64, u64)> = (1..=10_000).map(|lock| (lock, lock % 10_000 + 1)).collect();
    let snapshot = noted(10_000, &pairs);
    assert_eq!(cycles(&snapshot)[0].len(), 10_000);
    assert!(snapshot.lock_order_text().lines().count() < 50, "it is not written out");
}

#[test]
fn numbers_that_are_not_there_are_left_out() {
    assert!(cycles(&noted(2, &[(1, 9), (9, 1), (2, 2)])).is_empty());
}

#[test]
fn the_text_names_tasks_and_places() {
    let mut snapshot = noted(2, &[(1, 2), (2, 1)]);
    let order = snapshot.lock_order.as_mut().expect("it was recorded");
    order.resources[0].name = Some("accounts".into());
    order.pairs[0].count = 1200;
    (order.pairs[1].task, order.pairs[1].thread) = (None, "worker".into());
    order.over_pairs = 3;
    insta::assert_snapshot!(snapshot.lock_order_text(), @r"
    lock order: 1 cycle in 2 pairs

    Mutex#1 `accounts` and Mutex#2 were acquired in both orders
      task 7 `work` held Mutex#1 `accounts` (acquired at src/main.rs:1) and acquired Mutex#2 at src/main.rs:2, 1,200 times
      thread worker held Mutex#2 (acquired at src/main.rs:11) and acquired Mutex#1 `accounts` at src/main.rs:12, once

    3 acquisitions of pairs over the limit: not recorded
    ");
}

#[test]
fn reports_show_the_lock_order_if_it_was_recorded() {
    let mut snapshot = noted(2, &[(1, 2), (2, 1)]);
    assert!(
        crate::support::page(&snapshot, Format::Text, View::Time)
            .contains("\nlock order: 1 cycle in 2 pairs\n")
    );
    let json = crate::support::page(&snapshot, Format::Json, View::Time);
    assert!(json.contains("\"lock_inversions\": ["), "{json}");
    assert_eq!(Snapshot::read_json(json.as_bytes()).expect("a snapshot"), snapshot);
    snapshot.lock_order = None;
    assert!(!crate::support::page(&snapshot, Format::Text, View::Time).contains("lock order"));
    assert!(!crate::support::page(&snapshot, Format::Json, View::Time).contains("lock_"));
}
