//! Labels separate instances, up to a bound.

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
