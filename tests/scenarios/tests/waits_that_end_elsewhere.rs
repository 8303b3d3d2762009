//! Waits that end on another thread have a fixed duration in later snapshots.
//!
//! ```text
//! thread a   poll ┐ poll ┐ poll ┐
//! thread b        └ poll └ poll └ poll      read, read, read …
//! ```

use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc::sync_channel;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose_scenarios_tests::stopwatch::{is_at_least, is_at_most};
use diagnose_scenarios_tests::tree::named;
use diagnose_scenarios_tests::work::compute;

const WAITS: u32 = 20_000;

#[diagnose(root)]
async fn moves() {
    tokio::task::yield_now().await;
}

/// A finished duration in one tree, as a reference: each capture measures the clock's rate again.
#[diagnose]
fn measure() {
    let _ = compute(50);
}

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

fn poll(future: &mut Boxed) -> Poll<()> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn ended_waits_are_equal_in_every_snapshot() {
    diagnose_isolation::isolated!();
    measure();
    let (sender, receiver) = sync_channel::<(Boxed, [Instant; 2])>(1);
    let other = std::thread::spawn(move || {
        let (mut least, mut most) = (Duration::ZERO, Duration::ZERO);
        for (mut future, [before, after]) in receiver {
            least += after.elapsed();
            assert!(poll(&mut future).is_ready());
            most += before.elapsed();
        }
        (least, most)
    });
    for _ in 0..WAITS {
        let mut future: Boxed = Box::pin(moves());
        let before = Instant::now();
        assert!(poll(&mut future).is_pending());
        sender.send((future, [before, Instant::now()])).expect("it takes them");
    }
    drop(sender);
    let (least, most) = other.join().expect("no panic");

    let snapshots: Vec<_> = (0..50).map(|_| diagnose::snapshot()).collect();
    let idle_and_measure = |snapshot| {
        (u128::from(named(snapshot, "moves").idle_ns), u128::from(named(snapshot, "measure").busy_ns))
    };
    let (first, measure) = idle_and_measure(&snapshots[0]);
    println!("waited {least:?} to {most:?}; idle {first} ns, beside a measure of {measure} ns");
    for snapshot in &snapshots {
        let (idle_ns, measure_ns) = idle_and_measure(snapshot);
        let rounding = idle_ns + measure_ns + first + measure;
        let is_same = (idle_ns * measure).abs_diff(first * measure_ns) <= rounding;
        assert!(is_same, "nothing moved in between: {idle_ns} by {measure_ns}, {first} by {measure}");
        let idle_ns = named(snapshot, "moves").idle_ns;
        is_at_least("the waits", idle_ns, least, "");
        is_at_most("the waits", idle_ns, most, "");
    }
}
