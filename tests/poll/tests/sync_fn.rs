//! A synchronous function is a busy-only frame in the same tree.

use std::panic::catch_unwind;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps, tree};

#[diagnose]
fn parse(valid: bool) -> Option<u8> {
    pass(3);
    if !valid {
        return None;
    }
    checksum();
    Some(1)
}

#[diagnose]
fn checksum() {
    pass(2);
}

#[diagnose]
fn breaks() {
    pass(1);
    panic!("it breaks");
}

#[diagnose]
async fn handle() {
    parse(true);
    steps([Busy(1), Wait]).await;
    parse(false);
}

#[test]
fn frames_nest_among_futures() {
    isolated!();
    Task::new(handle()).run(10);
    std::panic::set_hook(Box::new(|_| ()));
    assert!(catch_unwind(breaks).is_err());
    let _ = std::panic::take_hook();
    assert_eq!(
        tree(),
        "\
breaks  busy 1  self 1  idle 0  own 0  calls 1  polls 1  panicked 1
handle  busy 9  self 1  idle 10  own 10  calls 1  polls 2  completed 1
  parse  busy 8  self 6  idle 0  own 0  calls 2  polls 2  completed 2
    checksum  busy 2  self 2  idle 0  own 0  calls 1  polls 1  completed 1
"
    );
}
