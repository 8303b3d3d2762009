//! The arms of a `join!` have their own nodes, including awaits of library futures.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, steps, tree_with_awaits};

#[diagnose]
async fn both() {
    futures::join!(steps([Busy(1), Wait, Busy(2)]), annotated());
}

#[diagnose]
async fn annotated() {
    steps([Busy(4), Wait]).await;
}

// both        ├──5──┤┈┈ 100 ┈┈├─2─┤
// first arm   ├1┤┈┈┈┈ 104 ┈┈┈┈├ 2 ┤
// second arm    ├ 4 ┤┈┈┈ 102 ┈┈┈┈┈├┤
#[test]
fn each_arm_has_its_own_wait() {
    isolated!();
    Task::new(both()).run(100);
    assert_eq!(
        tree_with_awaits(),
        "\
both  busy 7  self 0  idle 100  own 0  calls 1  polls 2  completed 1
  annotated()  busy 4  self 0  idle 102  own 0  calls 1  polls 2  completed 1
    annotated  busy 4  self 0  idle 102  own 0  calls 1  polls 2  completed 1
      steps([Busy(4), Wait]).await  busy 4  self 4  idle 102  own 102  calls 1  polls 2  completed 1
  steps([Busy(1), Wait, Busy(2)])  busy 3  self 3  idle 104  own 104  calls 1  polls 2  completed 1
"
    );
}
