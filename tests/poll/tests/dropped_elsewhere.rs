//! A pending future dropped on a thread without polls is canceled on its path.

use std::thread;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps, tree};

#[diagnose]
async fn outer() {
    inner().await;
}

#[diagnose]
async fn inner() {
    steps([Busy(1), Wait]).await;
}

#[test]
fn a_drop_on_another_thread_ends_the_wait() {
    isolated!();
    let mut task = Task::new(outer());
    assert!(task.poll().is_pending());
    pass(40);
    thread::spawn(move || drop(task)).join().expect("no panic");
    pass(1_000);
    assert_eq!(
        tree(),
        "\
outer  busy 1  self 0  idle 40  own 0  calls 1  polls 1  cancelled 1
  inner  busy 1  self 1  idle 40  own 40  calls 1  polls 1  cancelled 1
"
    );
}
