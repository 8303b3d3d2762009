//! A task that moves between threads has one path, and its waits are complete.

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
    steps([Busy(1), Wait, Busy(1), Wait, Busy(1), Wait, Busy(1)]).await;
}

// thread A  ├1┤           ├1┤
// thread B      ├1┤             ├1┤
//             10      10     10
#[test]
fn every_poll_may_be_on_another_thread() {
    isolated!();
    let mut task = Task::new(outer());
    for turn in 0..4 {
        let poll = move || {
            let done = task.poll().is_ready();
            (task, done)
        };
        let done;
        (task, done) =
            if turn % 2 == 0 { thread::spawn(poll).join().expect("no panic") } else { poll_here(poll) };
        assert_eq!(done, turn == 3);
        pass(if done { 0 } else { 10 });
    }
    assert_eq!(
        tree(),
        "\
outer  busy 4  self 0  idle 30  own 0  calls 1  polls 4  completed 1
  inner  busy 4  self 4  idle 30  own 30  calls 1  polls 4  completed 1
"
    );
}

fn poll_here<T>(poll: impl FnOnce() -> T) -> T {
    poll()
}
