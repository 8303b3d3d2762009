//! A snapshot includes running polls and open waits, up to the time it is taken.

use std::sync::mpsc;
use std::thread;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps, tree};

#[diagnose]
async fn waits() {
    steps([Busy(1), Wait]).await;
}

#[diagnose]
async fn blocks(entered: mpsc::Sender<()>, release: mpsc::Receiver<()>) {
    steps([Busy(2)]).await;
    stuck(&entered, &release);
}

#[diagnose]
fn stuck(entered: &mpsc::Sender<()>, release: &mpsc::Receiver<()>) {
    entered.send(()).expect("the test listens");
    release.recv().expect("the test answers");
}

#[test]
fn what_is_open_counts_up_to_now() {
    isolated!();
    let (entered, is_entered) = mpsc::channel();
    let (release, is_released) = mpsc::channel();
    let mut waiting = Task::new(waits());
    assert!(waiting.poll().is_pending());
    let thread = thread::spawn(move || Task::new(async move { blocks(entered, is_released).await }).run(0));
    is_entered.recv().expect("it gets there");
    pass(500);
    assert_eq!(
        tree(),
        "\
blocks  busy 502  self 2  idle 0  own 0  calls 1  polls 1  running 1
  stuck  busy 500  self 500  idle 0  own 0  calls 1  polls 1  running 1
waits  busy 1  self 1  idle 502  own 502  calls 1  polls 1  pending 1
"
    );
    assert_eq!(diagnose::snapshot().nodes[0].longest_poll_ns, 502);
    release.send(()).expect("it waits");
    thread.join().expect("no panic");
    assert_eq!(
        tree().lines().next(),
        Some("blocks  busy 502  self 2  idle 0  own 0  calls 1  polls 1  completed 1")
    );
}
