//! Futures that are listed from their creation on leave the list, also the first one of a thread.

use std::thread;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::{Task, steps};

#[diagnose]
async fn first_of_its_thread() {
    steps([]).await;
}

fn listed() -> usize {
    diagnose::snapshot().spans.len()
}

#[test]
fn the_first_future_of_a_thread_is_listed_until_it_is_polled_or_dropped() {
    isolated!();
    diagnose::Builder::new().signal(None).unpolled(true).install();
    thread::spawn(|| drop(first_of_its_thread())).join().expect("no panic");
    assert_eq!(listed(), 0);
    thread::spawn(|| Task::new(first_of_its_thread()).run(0)).join().expect("no panic");
    assert_eq!(listed(), 0);
    let kept = thread::spawn(first_of_its_thread).join().expect("no panic");
    assert_eq!(listed(), 1);
    drop(kept);
    assert_eq!(listed(), 0);
}
