//! A call that moves keeps its duration, and counts where it ends.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::thread;

use diagnose::{FutureExt as _, diagnose};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, latencies, pass, poll, steps, tree};

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

#[diagnose]
async fn outer() {
    inner().await;
}

#[diagnose]
async fn inner() {
    steps([Busy(1), Wait, Busy(1), Wait, Busy(1)]).await;
}

// thread A  ├1┤       ├1┤
// thread B      ├1┤
//             5     5
#[test]
fn a_call_polled_by_two_threads_has_one_duration() {
    isolated!();
    let mut task = Task::new(outer());
    assert!(task.poll().is_pending());
    pass(5);
    task = thread::spawn(move || {
        assert!(task.poll().is_pending());
        task
    })
    .join()
    .expect("no panic");
    pass(5);
    assert!(task.poll().is_ready());
    assert_eq!(latencies(), "outer  completed [13]\ninner  completed [13]\n");
}

#[test]
fn a_call_dropped_by_another_thread_is_cancelled_on_its_path() {
    isolated!();
    let mut task = Task::new(outer());
    assert!(task.poll().is_pending());
    pass(8);
    thread::spawn(move || drop(task)).join().expect("no panic");
    assert_eq!(latencies(), "outer  cancelled [9]\ninner  cancelled [9]\n");
}

#[diagnose]
async fn first(aside: Arc<Mutex<Option<Boxed>>>) {
    let mut moved: Boxed = Box::pin(inner());
    assert!(poll(moved.as_mut()).is_pending());
    *aside.lock().unwrap() = Some(moved);
}

#[diagnose]
async fn second(aside: Arc<Mutex<Option<Boxed>>>) {
    let moved = aside.lock().unwrap().take().expect("set aside");
    moved.await;
}

// first   ├──┤
//   inner ├1─┤┈┈┈ 7 ┈┈┐
// second              ├──┤┈ 2 ┈├──┤
//   inner             ├1─┤┈ 2 ┈├1─┤
#[test]
fn a_call_that_moves_to_another_path_counts_there_with_its_whole_duration() {
    isolated!();
    let aside = Arc::default();
    Task::new(first(Arc::clone(&aside))).run(0);
    pass(7);
    Task::new(second(aside)).run(2);
    assert_eq!(
        latencies(),
        "\
first  completed [1]
second  completed [4]
inner  completed [12]
"
    );
    assert!(tree().contains("inner  busy 1  self 1  idle 7  own 7  calls 1  polls 1\n"), "{}", tree());
}

#[test]
fn a_future_that_is_listed_before_its_first_poll_has_the_same_duration() {
    isolated!();
    diagnose::Builder::new().signal(None).unpolled(true).install();
    for script in [vec![Busy(3)], vec![Busy(1), Wait, Busy(2)]] {
        let mut task = Task::new(async move {
            let listed = steps(script).diagnose("listed");
            pass(100);
            listed.await;
        });
        while task.poll().is_pending() {
            pass(6);
        }
    }
    assert_eq!(latencies(), "listed  completed [3, 9]\n");
}
