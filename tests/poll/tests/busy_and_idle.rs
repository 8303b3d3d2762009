//! Busy is inside poll, idle is from `Pending` to the next poll.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, steps, tree};

#[diagnose]
async fn outer() {
    steps([Busy(3)]).await;
    inner().await;
    steps([Busy(1)]).await;
}

#[diagnose]
async fn inner() {
    steps([Busy(4), Wait, Busy(2)]).await;
}

// outer  ├ 3 ┬─────┬┈┈┈┈ 20 ┈┈┈┈┬─────┬ 1 ┤
// inner      ├  4  ┤┈┈┈┈ 20 ┈┈┈┈├  2  ┤
#[test]
fn a_wait_belongs_to_the_innermost_future() {
    isolated!();
    Task::new(outer()).run(20);
    assert_eq!(
        tree(),
        "\
outer  busy 10  self 4  idle 20  own 0  calls 1  polls 2  completed 1
  inner  busy 6  self 6  idle 20  own 20  calls 1  polls 2  completed 1
"
    );
}
