//! Recording can be switched off and on at any time.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps, tree};

#[diagnose]
async fn server() {
    steps([Busy(1), Wait, Busy(1), Wait, Busy(1), Wait, Busy(1)]).await;
}

#[diagnose]
async fn made_while_off() {
    steps([Busy(5), Wait, Busy(5)]).await;
}

// server          ├1┤┈ 10 ┈├1┤┈ 10 ┈├1┤┈ 10 ┈├1┤
//                          ╰──────╯ off
// made_while_off           ├5┤ ┈ 10 ┈├5┤
#[test]
fn a_wait_ends_with_the_next_poll_even_if_that_is_not_recorded() {
    isolated!();
    let mut server = Task::new(server());
    assert!(server.poll().is_pending());
    pass(10);
    diagnose::set_enabled(false);
    assert!(server.poll().is_pending());
    let mut late = Task::new(made_while_off());
    assert!(late.poll().is_pending());
    pass(1_000);
    assert_eq!(tree(), "server  busy 1  self 1  idle 10  own 10  calls 1  polls 1\n");
    diagnose::set_enabled(true);
    assert!(server.poll().is_pending());
    assert!(late.poll().is_ready());
    pass(10);
    assert!(server.poll().is_ready());
    assert_eq!(
        tree(),
        "\
made_while_off  busy 5  self 5  idle 0  own 0  calls 1  polls 1  completed 1
server  busy 3  self 3  idle 25  own 25  calls 1  polls 3  completed 1
"
    );
}
