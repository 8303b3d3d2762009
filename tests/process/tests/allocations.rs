//! After the first visit of a path, recording allocates nothing but a histogram's counts for calls
//! of a length that was not seen before.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use diagnose::{FutureExt as _, diagnose};

struct Countdown(u32);

impl Future for Countdown {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0 == 0 {
            return Poll::Ready(());
        }
        self.0 -= 1;
        Poll::Pending
    }
}

#[diagnose(root)]
async fn task(polls: u32) {
    for _ in 0..10 {
        outer(polls).await;
    }
    drop(outer(1));
    let mut cancelled = pin!(outer(polls));
    assert!(poll(cancelled.as_mut()).is_pending());
}

#[diagnose]
async fn outer(polls: u32) {
    inner(polls).diagnose("named").await;
    diagnose::block!(async { frame() }).await;
}

#[diagnose]
async fn inner(polls: u32) {
    Countdown(polls).await;
}

#[diagnose]
fn frame() {}

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn run() {
    let mut task = pin!(task(100));
    while poll(task.as_mut()).is_pending() {}
}

#[test]
fn ten_thousand_polls_allocate_nothing() {
    run();
    // 128 bytes for each node, kind of end, and power of two of a call's duration.
    let is_seen = (0..2_000).any(|_| {
        let allocations = allocation_counter::measure(run);
        assert_eq!(allocations.bytes_total, allocations.count_total * 128, "{allocations:?}");
        allocations.count_total == 0
    });
    assert!(is_seen, "every length of a call is new");
    let polls = || diagnose::snapshot().nodes.iter().map(|node| node.polls).sum::<u64>();
    let before = polls();
    run();
    assert!(polls() - before > 3_000, "the polls were recorded");
}
