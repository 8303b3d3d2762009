//! A future that is ready at its first poll is recorded too.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::Busy;
use diagnose_poll_tests::{Task, steps, tree};

#[diagnose]
async fn cached() {
    steps([Busy(7)]).await;
}

#[diagnose]
async fn caller() {
    for _ in 0..3 {
        cached().await;
    }
}

// caller  ├──7──┬──7──┬──7──┤
// cached  ├──7──┼──7──┼──7──┤
#[test]
fn one_poll_is_a_call() {
    isolated!();
    Task::new(caller()).run(0);
    assert_eq!(
        tree(),
        "\
caller  busy 21  self 0  idle 0  own 0  calls 1  polls 1  completed 1
  cached  busy 21  self 21  idle 0  own 0  calls 3  polls 3  completed 3
"
    );
}
