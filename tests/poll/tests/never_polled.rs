//! A future that is dropped without a poll is neither a call nor canceled.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::{Task, pass, tree};

#[diagnose]
async fn caller() {
    let forgotten = forgotten();
    pass(5);
    drop(forgotten);
}

#[diagnose]
async fn forgotten() {}

#[test]
fn a_missing_await_is_counted_where_the_future_was_made() {
    isolated!();
    Task::new(caller()).run(0);
    drop(forgotten());
    assert_eq!(
        tree(),
        "\
caller  busy 5  self 5  idle 0  own 0  calls 1  polls 1  completed 1
  forgotten  busy 0  self 0  idle 0  own 0  calls 0  polls 0  never polled 1
forgotten  busy 0  self 0  idle 0  own 0  calls 0  polls 0  never polled 1
"
    );
}
