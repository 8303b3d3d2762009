//! The number and durations of calls across a reset, or while recording is off.

use diagnose::{FutureExt as _, diagnose};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, latencies, pass, steps};

#[diagnose]
async fn work() {
    steps([Busy(1), Wait, Busy(1), Wait, Busy(1)]).await;
}

#[test]
fn a_reset_forgets_the_durations_before_it() {
    isolated!();
    Task::new(work()).run(4);
    Task::new(work()).run(1_000);
    diagnose::reset();
    assert_eq!(latencies(), "");
    Task::new(work()).run(4);
    assert_eq!(latencies(), "work  completed [11]\n");
    assert_eq!(diagnose::snapshot().nodes[0].latency.completed.longest_ns, 11);
}

// work  ├1┤┈ 5 ┈(reset)┈ 5 ┈├1┤┈ 5 ┈├1┤
#[test]
fn a_call_that_is_open_at_a_reset_counts_with_its_whole_duration() {
    isolated!();
    let mut completed = Task::new(work());
    let mut cancelled = Task::new(work());
    assert!(completed.poll().is_pending() && cancelled.poll().is_pending());
    pass(5);
    diagnose::reset();
    pass(5);
    drop(cancelled);
    completed.run(5);
    assert_eq!(latencies(), "work  completed [19]  cancelled [11]\n");
}

// recorded      ├1┤┈ 4 ┈      ┈├1┤
// not recorded          ├1┤┈ 4
#[test]
fn a_call_that_is_recorded_again_counts_with_its_whole_duration() {
    isolated!();
    let mut task = Task::new(work());
    assert!(task.poll().is_pending());
    pass(4);
    diagnose::set_enabled(false);
    assert!(task.poll().is_pending());
    pass(4);
    diagnose::set_enabled(true);
    assert!(task.poll().is_ready());
    assert_eq!(latencies(), "work  completed [11]\n");
}

#[test]
fn a_call_that_ends_unrecorded_counts_up_to_its_end() {
    isolated!();
    let mut completed = Task::new(work());
    let mut cancelled = Task::new(work());
    assert!(completed.poll().is_pending() && cancelled.poll().is_pending());
    diagnose::set_enabled(false);
    assert!(cancelled.poll().is_pending());
    completed.run(9);
    drop(cancelled);
    diagnose::set_enabled(true);
    assert_eq!(latencies(), "work  completed [14]  cancelled [13]\n");
}

/// The call's path has no other record on that thread.
#[test]
fn a_call_that_ends_unrecorded_on_another_thread_counts() {
    isolated!();
    let mut task = Task::new(work());
    assert!(task.poll().is_pending());
    diagnose::set_enabled(false);
    std::thread::spawn(move || task.run(2)).join().expect("no panic");
    diagnose::set_enabled(true);
    assert_eq!(latencies(), "work  completed [5]\n");
    let node = diagnose::snapshot().nodes.remove(0);
    assert_eq!((node.calls, node.completed, node.unsettled), (1, 1, 0));
}

#[test]
fn a_call_that_begins_unrecorded_counts_from_its_first_recorded_poll() {
    isolated!();
    diagnose::set_enabled(false);
    let mut task = Task::new(work());
    assert!(task.poll().is_pending());
    pass(100);
    diagnose::set_enabled(true);
    task.run(3);
    assert_eq!(latencies(), "work  completed [5]\n");
    diagnose::set_enabled(false);
    Task::new(work().diagnose("unseen")).run(3);
    assert_eq!(latencies(), "work  completed [5]\n");
}
