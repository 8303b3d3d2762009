//! A reset beside polls that end long waits.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use diagnose::diagnose;

/// More nodes than are read in the time of some polls.
const CALLS: usize = 1_000;
const ROUNDS: usize = 3;
const WAIT: Duration = Duration::from_millis(300);

#[diagnose(label = "{number}")]
async fn waits(number: usize) {
    let _ = number;
    poll_fn(|_| Poll::<()>::Pending).await;
}

// waits  ├┤┈┈┈┈┈┈┈┈┈┈┈┈├┤┈┈┈┈    on another thread
//                     ▲ reset    counts what is left of the wait
#[test]
fn no_wait_is_counted_for_longer_than_the_time_since_the_reset() {
    diagnose_isolation::isolated!();
    let (start, started) = mpsc::channel::<()>();
    let (finish, finished) = mpsc::channel();
    let worker = thread::spawn(move || {
        let mut calls: Vec<Pin<Box<dyn Future<Output = ()>>>> =
            (0..CALLS).map(|number| Box::pin(waits(number)) as _).collect();
        let mut context = Context::from_waker(Waker::noop());
        for () in started {
            for call in &mut calls {
                assert!(call.as_mut().poll(&mut context).is_pending());
            }
            finish.send(()).unwrap();
        }
    });
    start.send(()).unwrap();
    finished.recv().unwrap();
    for _ in 0..ROUNDS {
        thread::sleep(WAIT);
        let reset_at = Instant::now();
        start.send(()).unwrap();
        diagnose::reset();
        finished.recv().unwrap();
        let nodes = diagnose::snapshot().nodes;
        let most = reset_at.elapsed() + Duration::from_millis(1);
        assert!(nodes.iter().map(|node| node.pending).sum::<u64>() >= CALLS as u64);
        for node in nodes {
            let each = Duration::from_nanos(node.wall_ns / node.pending.max(1));
            assert!(each <= most, "{each:?} in {most:?} since the reset");
        }
    }
    drop(start);
    worker.join().unwrap();
}

#[diagnose]
async fn resets() {
    let mut is_first = true;
    poll_fn(|_| {
        if std::mem::replace(&mut is_first, false) {
            return Poll::Pending;
        }
        diagnose::reset();
        Poll::Ready(())
    })
    .await;
}

// resets  ├┤┈┈┈┈┈┈┈┈┈┈┈┈├┤
//                        ▲ reset    within the poll that ends the wait
#[test]
fn a_wait_that_ended_in_a_poll_around_the_reset_is_not_counted() {
    diagnose_isolation::isolated!();
    let mut call = Box::pin(resets());
    let mut context = Context::from_waker(Waker::noop());
    assert!(call.as_mut().poll(&mut context).is_pending());
    thread::sleep(WAIT);
    assert!(call.as_mut().poll(&mut context).is_ready());
    let nodes = diagnose::snapshot().nodes;
    let wall = nodes.iter().map(|node| node.wall_ns).max().unwrap();
    assert!(u128::from(wall) < WAIT.as_nanos(), "{wall} ns since the reset");
}
