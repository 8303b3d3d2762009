//! Async blocks and named futures are spans like any other.

use diagnose::{FutureExt as _, diagnose};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, steps, tree};

#[diagnose]
async fn caller() {
    diagnose::block!("parse", async { steps([Busy(1)]).await }).await;
    diagnose::block!(async { steps([Busy(2)]).await }).await;
    #[diagnose(name = "inner")]
    async { steps([Busy(3)]).await }.await;
    for _ in 0..2 {
        steps([Busy(4), Wait]).diagnose("timer").await;
    }
}

#[test]
fn blocks_and_named_futures_are_children_under_their_names() {
    isolated!();
    Task::new(caller()).run(10);
    assert_eq!(
        tree(),
        "\
caller  busy 14  self 0  idle 20  own 0  calls 1  polls 3  completed 1
  inner  busy 3  self 3  idle 0  own 0  calls 1  polls 1  completed 1
  parse  busy 1  self 1  idle 0  own 0  calls 1  polls 1  completed 1
  timer  busy 8  self 8  idle 20  own 20  calls 2  polls 4  completed 2
  {block}  busy 2  self 2  idle 0  own 0  calls 1  polls 1  completed 1
"
    );
}
