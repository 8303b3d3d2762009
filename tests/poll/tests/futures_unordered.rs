//! A sub-executor polls only woken children; the others and the parent keep waiting.

use std::pin::Pin;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Steps, Task, poll, steps, tree};

#[diagnose]
async fn child(script: Steps) {
    script.await;
}

/// Polls the second child in the first and last round only, as a `FuturesUnordered` may do.
#[diagnose]
async fn parent() {
    let mut first = Box::pin(child(steps([Busy(1), Wait, Busy(1)])));
    let mut second = Box::pin(child(steps([Busy(1), Wait, Busy(1)])));
    let mut round = 0;
    std::future::poll_fn(|_| {
        round += 1;
        let done = |future: Pin<&mut _>| poll::<_>(future).is_ready();
        match round {
            1 => drop((done(first.as_mut()), done(second.as_mut()))),
            2 => assert!(done(first.as_mut())),
            3 => assert!(done(second.as_mut())),
            _ => return std::task::Poll::Ready(()),
        }
        std::task::Poll::Pending
    })
    .await;
}

// parent  ├─2──┤┈ 10 ┈├1┤┈ 10 ┈├1┤┈ 10 ┈├┤
// first   ├1┤┈┈  11  ┈├1┤
// second     ├1┤┈┈┈┈┈┈┈┈ 21 ┈┈┈├1┤               the parent's own wait is the last one only
#[test]
fn a_child_that_was_not_polled_still_explains_the_wait() {
    isolated!();
    Task::new(parent()).run(10);
    assert_eq!(
        tree(),
        "\
parent  busy 4  self 0  idle 30  own 10  calls 1  polls 4  completed 1
  child  busy 4  self 4  idle 32  own 32  calls 2  polls 4  completed 2
"
    );
}
