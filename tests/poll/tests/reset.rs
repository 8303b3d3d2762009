//! A reset sets all times to zero, even those of open polls and waits.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps, tree};

#[diagnose]
async fn server() {
    steps([Busy(9), Wait, Busy(1), Wait, Busy(1)]).await;
}

#[diagnose]
async fn before() {}

// server  ├9┤┈ 100 ┈┊┈ 10 ┈├1┤┈ 10 ┈├1┤
//                 reset
#[test]
fn a_wait_counts_from_the_reset() {
    isolated!();
    Task::new(before()).run(0);
    let mut task = Task::new(server());
    assert!(task.poll().is_pending());
    pass(100);
    diagnose::reset();
    assert_eq!(tree(), "server  busy 0  self 0  idle 0  own 0  calls 1  polls 0  pending 1\n");
    pass(10);
    assert_eq!(tree(), "server  busy 0  self 0  idle 10  own 10  calls 1  polls 0  pending 1\n");
    task.run(10);
    assert_eq!(tree(), "server  busy 2  self 2  idle 20  own 20  calls 1  polls 2  completed 1\n");
    assert_eq!(diagnose::snapshot().nodes[0].longest_poll_ns, 1);
    assert_eq!(diagnose::snapshot().elapsed_ns, 22);
}

#[diagnose]
async fn late() {}

// made ┈┈ 100 ┈┈┊┈ 10 ┈├┤
//             reset
#[test]
fn the_time_before_the_first_poll_counts_from_the_reset() {
    isolated!();
    diagnose::manual_clock::install();
    let future = late();
    pass(100);
    diagnose::reset();
    pass(10);
    Task::new(future).run(0);
    assert_eq!(tree(), "late  busy 0  self 0  idle 0  own 0  calls 1  polls 1  completed 1  unpolled 10\n");
}
