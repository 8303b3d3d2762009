//! Open time in the queue is a part of the open wait, and counted once.

use std::sync::mpsc::{Sender, channel};
use std::task::{Poll, Waker};

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::{Task, pass};

/// Waits for a wake through the waker that it sends.
#[diagnose]
async fn woken(to: Sender<Waker>) {
    let mut is_woken = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut is_woken, true) {
            return Poll::Ready(());
        }
        to.send(context.waker().clone()).expect("the test listens");
        Poll::Pending
    })
    .await;
}

/// Idle and queued time of the root, and what all paths are charged of its waits.
fn times() -> (u64, u64, u64) {
    let snapshot = diagnose::snapshot();
    let root = &snapshot.nodes[0];
    (root.idle_ns, root.queued_ns, snapshot.nodes.iter().map(|node| node.wall_ns).sum())
}

// woken  ├┤┈┈┈┈ 100 ┈┈┈┈├┈ queued 30 ┈ now ┈ 20 ┈├┤
#[test]
fn a_task_that_is_queued_waits_and_is_queued_no_longer_than_that() {
    isolated!();
    let (to, wakers) = channel();
    let mut task = Task::new(woken(to));
    assert!(task.poll().is_pending());
    pass(100);
    wakers.recv().expect("it has one").wake();
    assert_eq!(times(), (100, 0, 100));
    pass(30);
    assert_eq!(times(), (130, 30, 100));
    diagnose::reset();
    assert_eq!(times(), (0, 0, 0));
    pass(20);
    assert_eq!(times(), (20, 20, 0));
    assert!(task.poll().is_ready());
    assert_eq!(times(), (20, 20, 0));
}
