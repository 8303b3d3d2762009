//! A recursive function has one path per depth, up to a bound.

use diagnose::diagnose;
use diagnose::model::SiteKind;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::Busy;
use diagnose_poll_tests::{Task, steps};

#[diagnose]
async fn down(levels: u64) {
    steps([Busy(1)]).await;
    if levels > 1 {
        Box::pin(down(levels - 1)).await;
    }
}

#[test]
fn calls_past_the_depth_bound_are_counted_in_other() {
    isolated!();
    Task::new(down(10)).run(0);
    let shallow = diagnose::snapshot().without(&[SiteKind::Await]);
    assert_eq!(shallow.nodes.len(), 10);
    assert_eq!((shallow.nodes[0].busy_ns, shallow.nodes[9].busy_ns), (10, 1));

    diagnose::reset();
    Task::new(down(300)).run(0);
    let snapshot = diagnose::snapshot().without(&[SiteKind::Await]);
    let deepest = snapshot.nodes.last().expect("there are nodes");
    assert_eq!(snapshot.nodes.len(), 129);
    assert_eq!(snapshot.sites[deepest.site].name, "[other]");
    assert_eq!((deepest.calls, deepest.busy_ns), (1, 300 - 128));
    // The await at level 128 is over the bound too; its time counts for the function.
    assert_eq!(snapshot.dropped.over_depth, 2);
    assert_eq!(snapshot.nodes[0].busy_ns, 300);
}
