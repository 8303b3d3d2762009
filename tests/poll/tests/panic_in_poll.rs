//! A panic ends the poll, is counted, and restores the thread's previous position.

use std::panic::{AssertUnwindSafe, catch_unwind};

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Panic};
use diagnose_poll_tests::{Task, steps, tree};

#[diagnose]
async fn outer() {
    inner().await;
}

#[diagnose]
async fn inner() {
    steps([Busy(5), Panic]).await;
}

#[diagnose]
async fn after() {
    steps([Busy(1)]).await;
}

#[test]
fn a_panic_leaves_no_current_span_behind() {
    isolated!();
    let mut task = Task::new(outer());
    std::panic::set_hook(Box::new(|_| ()));
    assert!(catch_unwind(AssertUnwindSafe(|| task.poll())).is_err());
    let _ = std::panic::take_hook();
    drop(task);
    Task::new(after()).run(0);
    assert_eq!(
        tree(),
        "\
after  busy 1  self 1  idle 0  own 0  calls 1  polls 1  completed 1
outer  busy 5  self 0  idle 0  own 0  calls 1  polls 1  panicked 1
  inner  busy 5  self 5  idle 0  own 0  calls 1  polls 1  panicked 1
"
    );
}
