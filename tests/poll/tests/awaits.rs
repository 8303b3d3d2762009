//! An await has its own node, except the await of an annotated future.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, steps, tree_with_awaits};

#[diagnose]
async fn outer() {
    steps([Busy(3), Wait, Busy(2)]).await;
    inner().await;
}

#[diagnose]
async fn inner() {
    steps([Wait, Busy(1)]).await;
}

// outer          ├ 3 ┤┈┈┈┈ 20 ┈┈┈┈├ 2 ┤┈┈┈┈ 20 ┈┈┈┈├ 1 ┤
// first await    ├ 3 ┤┈┈┈┈ 20 ┈┈┈┈├ 2 ┤
// inner, await                        ┤┈┈┈┈ 20 ┈┈┈┈├ 1 ┤
#[test]
fn each_wait_is_recorded_at_its_await() {
    isolated!();
    Task::new(outer()).run(20);
    assert_eq!(
        tree_with_awaits(),
        "\
outer  busy 6  self 0  idle 40  own 0  calls 1  polls 3  completed 1
  inner().await  busy 1  self 0  idle 20  own 0  calls 1  polls 2  completed 1
    inner  busy 1  self 0  idle 20  own 0  calls 1  polls 2  completed 1
      steps([Wait, Busy(1)]).await  busy 1  self 1  idle 20  own 20  calls 1  polls 2  completed 1
  steps([Busy(3), Wait, Busy(2)]).await  busy 5  self 5  idle 20  own 20  calls 1  polls 2  completed 1
"
    );
}
