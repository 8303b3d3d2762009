//! A poll after completion is forwarded to the future.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use diagnose::FutureExt as _;
use diagnose_isolation::isolated;
use diagnose_poll_tests::{pass, poll, tree};

#[test]
fn a_future_that_begins_again_is_another_call() {
    isolated!();
    diagnose::manual_clock::install();
    let mut counter = 0;
    let again = poll_fn(move |_| {
        pass(1);
        counter += 1;
        if counter % 2 == 0 { Poll::Ready(counter) } else { Poll::Pending }
    });
    let mut again = pin!(again.diagnose("again"));
    let results: Vec<Poll<i32>> = (0..4).map(|_| poll(again.as_mut())).collect();
    assert_eq!(results, [Poll::Pending, Poll::Ready(2), Poll::Pending, Poll::Ready(4)]);
    assert_eq!(tree(), "again  busy 4  self 4  idle 0  own 0  calls 2  polls 4  completed 2\n");
}
