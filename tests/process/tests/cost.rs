//! A snapshot states the cost of its recording: the count of each recorded activity, and its price
//! on this machine.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};

use diagnose::diagnose;
use diagnose::model::Activity;
use diagnose::tokio::sync::Mutex;

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

fn counts() -> Vec<(Activity, u64)> {
    diagnose::snapshot().costs.iter().map(|cost| (cost.activity, cost.count)).collect()
}

//         first   second   third
// outer   ├────┤┈┈├────┤┈┈┈├────┤ Ready      a call, which waits, and two polls after its first, which follow wakes
// inner   ├────┤┈┈├────┤┈┈┈├────┤ Ready      the same; its second poll is pending, and `outer` only passes that on
#[test]
fn recorded_work_is_counted_with_its_cost() {
    diagnose_isolation::isolated!();
    (0..10).for_each(|_| run(outer()));
    let lock = Mutex::new(0);
    (0..3).for_each(|_| run(locks(&lock)));
    let expected = [
        (Activity::Calls, 23),
        (Activity::Awaits, 13),
        (Activity::Polls, 30),
        (Activity::Passed, 10),
        (Activity::Wakes, 20),
        (Activity::Listed, 20),
        (Activity::Uses, 3),
    ];
    assert_eq!(counts(), expected);
    let snapshot = diagnose::snapshot();
    let calls = snapshot.costs.iter().find(|cost| cost.activity == Activity::Calls).unwrap();
    assert!(calls.ns > 0, "the clock of this machine ticks: {calls:?}");
    // Measuring the prices leaves no records.
    assert!(snapshot.sites.iter().all(|site| site.name != "cost"), "{:?}", snapshot.sites);
    assert!(snapshot.resources.iter().all(|resource| resource.name.as_deref() != Some("cost")));
    assert_eq!(snapshot.tasks.len(), 0, "{:?}", snapshot.tasks);

    diagnose::reset();
    assert_eq!(counts(), []);
    run(outer());
    assert_eq!(counts()[0], (Activity::Calls, 2));
}

/// Counts its wakes.
#[derive(Default)]
struct Wakes(AtomicU32);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// Takes a snapshot, unless `number` is below two, and then waits until it is woken.
#[diagnose]
async fn looks_and_waits(number: u32, stored: &Cell<Option<Waker>>) {
    if number < 2 {
        return;
    }
    assert!(diagnose::tree().contains("looks_and_waits"));
    let mut is_woken = false;
    poll_fn(|context| {
        stored.set(Some(context.waker().clone()));
        if std::mem::replace(&mut is_woken, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// The first snapshot of a process measures costs on the thread that takes it, with roots of its
/// own.
#[test]
fn a_call_that_takes_the_first_snapshot_is_woken_after_it() {
    diagnose_isolation::isolated!();
    let (wakes, stored) = (Arc::new(Wakes::default()), Cell::default());
    (0..2).for_each(|number| run(looks_and_waits(number, &stored)));
    let waker = Waker::from(Arc::clone(&wakes));
    let mut context = Context::from_waker(&waker);
    let mut call = pin!(looks_and_waits(2, &stored));
    assert!(call.as_mut().poll(&mut context).is_pending());
    stored.take().expect("it has waited").wake();
    assert_eq!(wakes.0.load(Relaxed), 1);
    assert!(call.as_mut().poll(&mut context).is_ready());
}
