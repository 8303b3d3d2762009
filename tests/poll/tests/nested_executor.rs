//! A future that a poll runs to completion with its own executor.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, block_on, steps, tree};

#[diagnose]
async fn outer() {
    steps([Busy(1)]).await;
    block_on(child(), 10);
    block_on(task(), 10);
    after().await;
}

#[diagnose]
async fn child() {
    steps([Busy(2), Wait, Busy(2)]).await;
}

#[diagnose(root)]
async fn task() {
    inner().await;
}

#[diagnose]
async fn inner() {
    steps([Busy(3), Wait, Busy(3)]).await;
}

#[diagnose]
async fn after() {
    steps([Busy(4)]).await;
}

// outer  ├1┬─────────────────┬─────────────────┬4┤
// child    ├2┤┈ 10 ┈├2┤
// task                        ├3┤┈ 10 ┈├3┤            a root of its own: `outer` only contains its time
#[test]
fn a_root_stays_a_root_and_its_time_is_counted_once() {
    isolated!();
    Task::new(outer()).run(0);
    assert_eq!(
        tree(),
        "\
outer  busy 35  self 21  idle 0  own 0  calls 1  polls 1  completed 1  nested 6
  after  busy 4  self 4  idle 0  own 0  calls 1  polls 1  completed 1
  child  busy 4  self 4  idle 10  own 10  calls 1  polls 2  completed 1
task  busy 6  self 0  idle 10  own 0  calls 1  polls 2  completed 1
  inner  busy 6  self 6  idle 10  own 10  calls 1  polls 2  completed 1
"
    );
}
