//! A new thread takes over the tree of a finished one, with its records.

use std::thread;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::Busy;
use diagnose_poll_tests::{Task, steps, tree};

#[diagnose]
async fn job() {
    steps([Busy(1)]).await;
}

#[test]
fn a_hundred_threads_one_after_the_other_are_one_tree() {
    isolated!();
    for number in 0..100 {
        let thread = thread::Builder::new().name(format!("worker-{number}"));
        thread.spawn(|| Task::new(job()).run(0)).expect("a thread starts").join().expect("no panic");
    }
    assert_eq!(tree(), "job  busy 100  self 100  idle 0  own 0  calls 100  polls 100  completed 100\n");
    let threads = diagnose::snapshot().threads;
    let names: Vec<(&str, bool)> =
        threads.iter().map(|thread| (thread.name.as_str(), thread.alive)).collect();
    assert_eq!(names, [("worker-99", false)]);
}
