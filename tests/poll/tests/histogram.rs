//! Poll durations are counted by powers of two, and the longest is kept.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, steps};

#[diagnose]
async fn polls() {
    steps([Busy(1), Wait, Busy(5), Wait, Busy(6), Wait, Busy(1_000)]).await;
}

#[test]
fn a_bucket_holds_what_lies_between_its_bounds() {
    isolated!();
    Task::new(polls()).run(0);
    let node = diagnose::snapshot().nodes.remove(0);
    let buckets: Vec<_> =
        node.polls_histogram.iter().map(|bucket| (bucket.from_ns, bucket.to_ns, bucket.count)).collect();
    assert_eq!(buckets, [(0, 2, 1), (4, 8, 2), (512, 1_024, 1)]);
    assert_eq!(node.longest_poll_ns, 1_000);
}
