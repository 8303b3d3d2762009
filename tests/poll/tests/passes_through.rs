//! A poll that only passes through a body is recorded once, at the deepest span.
//!
//! Polls, times and histograms of the bodies around it are as if each had been recorded.

use std::future::poll_fn;
use std::pin::pin;

use diagnose::{diagnose, manual_clock};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, steps, tree};

#[diagnose]
async fn outer() {
    middle().await;
    manual_clock::advance_ns(1);
}

#[diagnose]
async fn middle() {
    inner().await;
}

#[diagnose]
async fn inner() {
    steps([Busy(3), Wait, Busy(5), Wait, Busy(9), Wait, Busy(17)]).await;
}

macro_rules! with_burns {
    ($before:expr, $block:block, $after:expr) => {{
        let mut future = pin!(async { $block });
        poll_fn(|context| {
            manual_clock::advance_ns($before);
            let poll = future.as_mut().poll(context);
            manual_clock::advance_ns($after);
            poll
        })
        .await
    }};
}

macro_rules! plain {
    ($block:block) => {
        $block
    };
}

#[diagnose]
async fn burns() {
    with_burns!(100, { inner().await }, 1_000);
}

#[diagnose]
async fn in_a_block() {
    plain!({ inner().await });
    manual_clock::advance_ns(2);
    plain!({ inner().await });
}

fn histogram(name: &str) -> Vec<(u64, u64)> {
    let snapshot = diagnose::snapshot();
    let node =
        snapshot.nodes.iter().find(|node| snapshot.sites[node.site].name == name).expect("it was polled");
    node.polls_histogram.iter().map(|bucket| (bucket.from_ns, bucket.count)).collect()
}

// outer   ├3┤┈ 10 ┈├5┤┈ 10 ┈├9┤┈ 10 ┈├17┼1┤
// middle  ├3┤┈┈┈┈┈┈├5┤┈┈┈┈┈┈├9┤┈┈┈┈┈┈├17┤
// inner   ├3┤┈┈┈┈┈┈├5┤┈┈┈┈┈┈├9┤┈┈┈┈┈┈├17┤
//
// burns   ├ 100, 3, 1000 ┤┈ 10 ┈├ 100, 5, 1000 ┤ …
// inner         ├3┤┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈├5┤
#[test]
fn every_body_counts_the_polls_that_pass_through_it() {
    isolated!();
    Task::new(outer()).run(10);
    assert_eq!(histogram("middle"), [(2, 1), (4, 1), (8, 1), (16, 1)]);
    assert_eq!(histogram("inner"), histogram("middle"));
    assert_eq!(histogram("outer"), histogram("middle"));
    Task::new(burns()).run(10);
    Task::new(in_a_block()).run(10);
    assert_eq!(
        tree(),
        "\
burns  busy 4434  self 4400  idle 30  own 0  calls 1  polls 4  completed 1
  inner  busy 34  self 34  idle 3330  own 3330  calls 1  polls 4  completed 1
in_a_block  busy 70  self 2  idle 60  own 0  calls 1  polls 7  completed 1
  inner  busy 68  self 68  idle 60  own 60  calls 2  polls 8  completed 2
outer  busy 35  self 1  idle 30  own 0  calls 1  polls 4  completed 1
  middle  busy 34  self 0  idle 30  own 0  calls 1  polls 4  completed 1
    inner  busy 34  self 34  idle 30  own 30  calls 1  polls 4  completed 1
"
    );
}
