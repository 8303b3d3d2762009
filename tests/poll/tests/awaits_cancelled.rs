//! A future dropped while it waits counts as canceled at its await, on any thread.

use std::thread;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::Wait;
use diagnose_poll_tests::{Task, pass, steps, tree_with_awaits};

#[diagnose]
async fn work() {
    steps([Wait]).await;
    steps([Wait, Wait]).await;
}

// work    ├┤┈┈┈ 10 ┈┈┈├┤┈┈┈ 30 ┈┈┈ dropped, on another thread
// first   ├┤┈┈┈ 10 ┈┈┈├┤
// second               ├┤┈┈ 30 ┈┈┈ dropped
#[test]
fn a_drop_is_counted_at_the_current_await() {
    isolated!();
    let mut task = Task::new(work());
    assert!(task.poll().is_pending());
    pass(10);
    assert!(task.poll().is_pending());
    pass(30);
    thread::spawn(move || drop(task)).join().expect("no panic");
    pass(1_000);
    assert_eq!(
        tree_with_awaits(),
        "\
work  busy 0  self 0  idle 40  own 0  calls 1  polls 2  cancelled 1
  steps([Wait, Wait]).await  busy 0  self 0  idle 30  own 30  calls 1  polls 1  cancelled 1
  steps([Wait]).await  busy 0  self 0  idle 10  own 10  calls 1  polls 2  completed 1
"
    );
}
