//! A body that continues on another thread takes the wait of its await along.

use std::thread;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps, tree_with_awaits};

#[diagnose]
async fn outer() {
    inner().await;
}

#[diagnose]
async fn inner() {
    steps([Busy(1), Wait, Busy(2), Wait, Busy(4)]).await;
}

// thread A   ├1┤┈┈┈ 10 ┈┈┈
// thread B                ├2┤┈┈┈ 10 ┈┈┈
// thread A                             ├4┤
#[test]
fn waits_are_whole_after_two_moves() {
    isolated!();
    let mut task = Task::new(outer());
    assert!(task.poll().is_pending());
    pass(10);
    let mut task = thread::spawn(move || {
        assert!(task.poll().is_pending());
        task
    })
    .join()
    .expect("no panic");
    pass(10);
    assert!(task.poll().is_ready());
    assert_eq!(
        tree_with_awaits(),
        "\
outer  busy 7  self 0  idle 20  own 0  calls 1  polls 3  completed 1
  inner().await  busy 7  self 0  idle 20  own 0  calls 1  polls 3  completed 1
    inner  busy 7  self 0  idle 20  own 0  calls 1  polls 3  completed 1
      steps([Busy(1), Wait, Busy(2), Wait, Busy(4)]).await  busy 7  self 7  idle 20  own 20  calls 1  polls 3  completed 1
"
    );
}
