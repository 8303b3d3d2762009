//! The time from creation to the first poll is separate from idle time.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps, tree};

#[diagnose]
async fn late() {
    steps([Busy(1), Wait, Busy(1)]).await;
}

// made ┈┈ 100 ┈┈├1┤┈ 10 ┈├1┤
#[test]
fn a_future_waits_to_be_polled_before_it_is_idle() {
    isolated!();
    diagnose::manual_clock::install();
    let task = Task::new(late());
    pass(100);
    task.run(10);
    assert_eq!(
        tree(),
        "late  busy 2  self 2  idle 10  own 10  calls 1  polls 2  completed 1  unpolled 100\n"
    );
}
