//! A future polled in two places belongs to the future that polls it now.

use std::pin::Pin;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, poll, steps, tree};

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

#[diagnose]
async fn work() {
    steps([Busy(1), Wait, Busy(2), Wait, Busy(3)]).await;
}

#[diagnose]
async fn select(work: &mut Boxed) {
    assert!(poll(work.as_mut()).is_pending());
}

#[diagnose]
async fn finish(work: Boxed) {
    work.await;
}

#[diagnose]
async fn parent() {
    let mut work: Boxed = Box::pin(work());
    select(&mut work).await;
    diagnose_poll_tests::pass(5);
    finish(work).await;
}

// select  ├1┤
// work    ├1┤┈┈ 5 ┈┈├2┤┈ 10 ┈├3┤
// finish            ├2┤┈ 10 ┈├3┤
#[test]
fn a_wait_is_charged_to_the_path_where_it_began() {
    isolated!();
    Task::new(parent()).run(10);
    assert_eq!(
        tree(),
        "\
parent  busy 11  self 5  idle 10  own 0  calls 1  polls 2  completed 1
  finish  busy 5  self 0  idle 10  own 0  calls 1  polls 2  completed 1
    work  busy 5  self 5  idle 10  own 10  calls 0  polls 2  completed 1
  select  busy 1  self 0  idle 0  own 0  calls 1  polls 1  completed 1
    work  busy 1  self 1  idle 5  own 5  calls 1  polls 1
"
    );
}
