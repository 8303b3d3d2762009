//! A body that continues on another thread and stops at its await is listed there.

use std::thread;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps};

#[diagnose]
async fn body() {
    steps([Busy(1), Wait, Busy(2), Wait]).await;
}

fn listed() -> Vec<String> {
    let snapshot = diagnose::snapshot();
    snapshot.spans.iter().map(|span| snapshot.sites[span.site].name.clone()).collect()
}

// thread A   ├1┤┈┈┈ 10 ┈┈┈
// thread B                ├2┤┈┈┈
#[test]
fn an_await_is_listed_after_a_move() {
    isolated!();
    let expected = ["body", "steps([Busy(1), Wait, Busy(2), Wait]).await"];
    let mut task = Task::new(body());
    assert!(task.poll().is_pending());
    assert_eq!(listed(), expected);
    pass(10);
    let task = thread::spawn(move || {
        assert!(task.poll().is_pending());
        task
    });
    let task = task.join().expect("no panic");
    assert_eq!(listed(), expected);
    drop(task);
}
