//! Dropping a parent drops its pending children, and the poll around the drop stays intact.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, poll, steps, tree};

#[diagnose]
async fn leaf() {
    steps([Busy(1), Wait]).await;
}

#[diagnose]
async fn pair() {
    futures::join!(leaf(), leaf());
}

#[diagnose]
async fn slow() {
    steps([Busy(1), Wait, Busy(1), Wait, Busy(1)]).await;
}

/// Waits for `slow`, and for a `pair` that it drops in its second poll.
#[diagnose]
async fn parent() {
    let mut slow = Box::pin(slow());
    let mut dropped = Some(Box::pin(pair()));
    std::future::poll_fn(|_| {
        let done = poll(slow.as_mut());
        if let Some(mut pair) = dropped.take() {
            if poll(pair.as_mut()).is_pending() && done.is_pending() {
                drop(pair);
            }
        }
        done
    })
    .await;
}

#[test]
fn the_remaining_child_still_explains_the_wait() {
    isolated!();
    Task::new(parent()).run(10);
    assert_eq!(
        tree(),
        "\
parent  busy 5  self 0  idle 20  own 0  calls 1  polls 3  completed 1
  pair  busy 2  self 0  idle 0  own 0  calls 1  polls 1  cancelled 1
    leaf  busy 2  self 2  idle 1  own 1  calls 2  polls 2  cancelled 2
  slow  busy 3  self 3  idle 22  own 22  calls 1  polls 3  completed 1
"
    );
}
