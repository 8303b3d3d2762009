//! A thread's tree is bounded: calls without a node are counted in `[other]`.

use std::pin::Pin;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Task;

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Visits all 2^`levels` paths of two functions.
fn both(levels: u32) -> Boxed {
    Box::pin(async move {
        if levels > 0 {
            left(levels - 1).await;
            right(levels - 1).await;
        }
    })
}

#[diagnose]
async fn left(levels: u32) {
    diagnose_poll_tests::pass(1);
    both(levels).await;
}

#[diagnose]
async fn right(levels: u32) {
    diagnose_poll_tests::pass(1);
    both(levels).await;
}

#[test]
fn time_past_the_bound_is_not_lost() {
    const LEVELS: u32 = 15;
    isolated!();
    Task::new(both(LEVELS)).run(0);
    let snapshot = diagnose::snapshot();
    let calls_made = (1 << (LEVELS + 1)) - 2;
    let roots = snapshot.nodes.iter().filter(|node| node.parent.is_none());
    assert_eq!(roots.map(|root| root.busy_ns).sum::<u64>(), calls_made);
    let is_other = |site: diagnose::model::SiteIndex| snapshot.sites[site].name == "[other]";
    let (other, own): (Vec<_>, Vec<_>) = snapshot.nodes.iter().partition(|node| is_other(node.site));
    assert_eq!(own.len(), 16_384);
    assert!(!other.is_empty());
    assert_eq!(snapshot.dropped.over_nodes, other.iter().map(|node| node.calls).sum::<u64>());
}
