//! Siblings that are polled in turn have separate nodes, and their waits overlap.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, steps, tree};

#[diagnose]
async fn both() {
    futures::join!(five(), seven());
}

#[diagnose]
async fn five() {
    steps([Busy(3), Wait, Busy(2)]).await;
}

#[diagnose]
async fn seven() {
    steps([Busy(3), Wait, Busy(4)]).await;
}

// both   ├──6───┤┈┈ 100 ┈┈├──6───┤
// five   ├3┤┈┈┈┈ 103 ┈┈┈┈┈├2┤
// seven     ├3┤┈┈┈┈ 102 ┈┈┈┈┈├4┤       idle is not additive: 103 + 102 against 100
#[test]
fn join_has_two_children_and_one_wait() {
    isolated!();
    Task::new(both()).run(100);
    assert_eq!(
        tree(),
        "\
both  busy 12  self 0  idle 100  own 0  calls 1  polls 2  completed 1
  five  busy 5  self 5  idle 103  own 103  calls 1  polls 2  completed 1
  seven  busy 7  self 7  idle 102  own 102  calls 1  polls 2  completed 1
"
    );
}
