//! A snapshot says what its recording has cost: of everything that was recorded how much there was, and what that takes here.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use diagnose::tokio::sync::Mutex;
use diagnose::{Work, diagnose};

#[diagnose]
async fn inner() {
    let mut polls = 0;
    poll_fn(|_| {
        polls += 1;
        if polls == 3 { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[diagnose]
async fn outer() {
    inner().await;
}

#[diagnose]
async fn locks(lock: &Mutex<u32>) {
    *lock.lock().await += 1;
}

fn run(future: impl Future) {
    let mut future = pin!(future);
    while future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {}
}

fn counts() -> Vec<(Work, u64)> {
    diagnose::snapshot().costs.iter().map(|cost| (cost.work, cost.count)).collect()
}

//         first   second   third
// outer   ├────┤┈┈├────┤┈┈┈├────┤ Ready      a call, which waits, and two polls after its first, which follow wakes
// inner   ├────┤┈┈├────┤┈┈┈├────┤ Ready      the same; its second poll is pending, and `outer` only passes that on
#[test]
fn what_was_recorded_is_counted_and_priced() {
    (0..10).for_each(|_| run(outer()));
    let lock = Mutex::new(0);
    (0..3).for_each(|_| run(locks(&lock)));
    let expected = [
        (Work::Calls, 23),
        (Work::Awaits, 13),
        (Work::Polls, 30),
        (Work::Passed, 10),
        (Work::Wakes, 20),
        (Work::Listed, 20),
        (Work::Uses, 3),
    ];
    assert_eq!(counts(), expected);
    let snapshot = diagnose::snapshot();
    let calls = snapshot.costs.iter().find(|cost| cost.work == Work::Calls).unwrap();
    assert!(calls.ns > 0, "the clock of this machine ticks: {calls:?}");
    // Measuring it has left nothing behind.
    assert!(snapshot.sites.iter().all(|site| site.name != "cost"), "{:?}", snapshot.sites);
    assert!(snapshot.resources.iter().all(|resource| resource.name.as_deref() != Some("cost")));
    assert_eq!(snapshot.tasks.len(), 0, "{:?}", snapshot.tasks);

    diagnose::reset();
    assert_eq!(counts(), []);
    run(outer());
    assert_eq!(counts()[0], (Work::Calls, 2));
}
