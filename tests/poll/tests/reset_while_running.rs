//! A poll that runs across a reset is counted from the reset on.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::{Task, pass, tree};

#[diagnose]
async fn outer() {
    pass(7);
    diagnose::reset();
    pass(100);
}

#[test]
fn a_poll_that_runs_across_a_reset_is_counted() {
    isolated!();
    Task::new(outer()).run(0);
    assert_eq!(tree(), "outer  busy 100  self 100  idle 0  own 0  calls 1  polls 1  completed 1\n");
    let longest: Vec<u64> = diagnose::snapshot().nodes.iter().map(|node| node.longest_poll_ns).collect();
    assert_eq!(longest, [100], "from the reset on");
}
