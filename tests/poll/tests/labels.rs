//! Labels separate instances, up to a bound.

use std::collections::BTreeMap;
use std::ops::Range;

use diagnose::model::SiteKind;
use diagnose::{Snapshot, diagnose};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::Busy;
use diagnose_poll_tests::{Task, steps, tree};

#[diagnose(label = "user={user}")]
async fn request(user: u32) {
    steps([Busy(1)]).await;
    let _ = user;
}

#[test]
fn labels_past_the_bound_are_counted_in_other() {
    isolated!();
    for user in [7, 8, 7] {
        Task::new(request(user)).run(0);
    }
    assert_eq!(
        tree(),
        "\
request{user=7}  busy 2  self 2  idle 0  own 0  calls 2  polls 2  completed 2
request{user=8}  busy 1  self 1  idle 0  own 0  calls 1  polls 1  completed 1
"
    );
    diagnose::reset();
    for user in 0..2_000 {
        Task::new(request(user)).run(0);
    }
    let snapshot = diagnose::snapshot().without(&[SiteKind::Await]);
    let calls = |snapshot: &Snapshot, label: &str| {
        let node = snapshot.nodes.iter().find(|node| node.label.as_deref() == Some(label));
        node.map(|node| node.calls)
    };
    assert_eq!(calls(&snapshot, "[other]"), Some(2_000 - 768));
    assert_eq!(snapshot.dropped.over_labels, 2_000 - 768);
    assert_eq!(snapshot.nodes.iter().map(|node| node.calls).sum::<u64>(), 2_000);

    // A label that appears late but often is separate too.
    for _ in 0..100 {
        Task::new(request(5_000)).run(0);
    }
    let snapshot = diagnose::snapshot().without(&[SiteKind::Await]);
    assert!(calls(&snapshot, "user=5000") >= Some(100 - 32), "{:?}", calls(&snapshot, "user=5000"));
    assert_eq!(snapshot.nodes.iter().map(|node| node.calls).sum::<u64>(), 2_100);
    for user in 10_000..60_000 {
        Task::new(request(user)).run(0);
    }
    let snapshot = diagnose::snapshot().without(&[SiteKind::Await]);
    let n_labels = snapshot.nodes.iter().filter_map(|node| node.label.as_ref()).count();
    assert!(n_labels <= 1_024 + 1, "{n_labels}");
    assert_eq!(snapshot.nodes.iter().map(|node| node.calls).sum::<u64>(), 52_100);
}

#[test]
fn a_label_that_is_rare_by_now_gives_its_place_to_a_frequent_one() {
    isolated!();
    let request = |user: u32| Task::new(request(user)).run(0);
    // Users take all places, some of them only after a while. The first 500 stay.
    (0..768).flat_map(|user| [user; 16]).for_each(request);
    (768..1_024).flat_map(|user| [user; 40]).for_each(request);
    let before = calls_by_label();
    assert_eq!((before.len(), before["user=600"]), (1_024 + 1, 16));
    for _ in 0..100 {
        (0..500).chain(2_000..2_400).for_each(request);
    }
    // The new ones have labels by now, in the places of users that are gone.
    let after = calls_by_label();
    let with_label = |users: Range<u32>| users.filter(|user| after.contains_key(&format!("user={user}")));
    assert_eq!(with_label(2_000..2_400).count(), 400);
    assert_eq!(with_label(500..1_024).count(), 124);
    assert!((0..500).all(|user| after[&format!("user={user}")] == 116));
    // The sums of the others are kept.
    assert!(after["[other]"] >= before["[other]"] + 268 * 16 + 132 * 40);
    assert_eq!(after.values().sum::<u64>(), 768 * 16 + 256 * 40 + 100 * 900);

    // A reset subtracts the sums from the paths that have them by then.
    diagnose::reset();
    assert_eq!(calls_by_label().values().sum::<u64>(), 0);
    [2_000, 1].into_iter().for_each(request);
    let last: Vec<_> = calls_by_label().into_iter().filter(|(_, calls)| *calls > 0).collect();
    assert_eq!(last, [("user=1".to_owned(), 1), ("user=2000".to_owned(), 1)]);
}

#[diagnose(label = "user={user}")]
async fn deep_request(user: u32) {
    deep(11).await;
    let _ = user;
}

#[diagnose]
async fn deep(levels: u32) {
    if levels > 0 {
        Box::pin(deep(levels - 1)).await;
    }
}

#[test]
fn labels_that_change_leave_room_for_functions_in_a_tree() {
    isolated!();
    let request = |user: u32| Task::new(deep_request(user)).run(0);
    (0..768).for_each(request);
    (768..1_024).flat_map(|user| [user; 40]).for_each(request);
    let nodes = || diagnose::snapshot().threads.iter().map(|thread| thread.nodes).sum::<u64>();
    let before = nodes();
    assert!((12_288..16_000).contains(&before), "{before}");
    (2_000..2_400).flat_map(|user| [user; 100]).for_each(request);
    Task::new(deep(3)).run(0);
    // Replacements of labels add only the path `[other]`; a new path of functions has its nodes.
    assert!(nodes() - before < 40, "{before} {}", nodes());
    let snapshot = diagnose::snapshot();
    let calls = |label: Option<&str>| {
        let roots = snapshot.nodes.iter().filter(|node| node.parent.is_none());
        roots.filter(|node| node.label.as_deref() == label).map(|node| node.calls).sum::<u64>()
    };
    assert_eq!((calls(None), calls(Some("user=2300"))), (1, 0));
    assert!(calls(Some("[other]")) >= 400 * 100);
    assert!(snapshot.dropped.over_nodes > 0);
}

/// The calls of each label, which has one path at most.
fn calls_by_label() -> BTreeMap<String, u64> {
    let snapshot = diagnose::snapshot().without(&[SiteKind::Await]);
    let mut calls = BTreeMap::new();
    for node in &snapshot.nodes {
        let label = node.label.as_ref().map_or("none", |label| label.as_str()).to_owned();
        assert_eq!(calls.insert(label, node.calls), None, "{snapshot:?}");
    }
    calls
}
