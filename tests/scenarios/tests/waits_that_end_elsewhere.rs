//! Waits that began on one thread and ended on another are over: what they took does not depend on when it is read.
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
use diagnose_scenarios_tests::tree::{ms, named};

const WAITS: u32 = 20_000;

#[diagnose(root)]
async fn moves() {
    tokio::task::yield_now().await;
}

fn poll(future: &mut Pin<Box<dyn Future<Output = ()> + Send>>) -> Poll<()> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn they_are_the_same_in_every_snapshot() {
    let (sender, receiver) = sync_channel::<(Pin<Box<dyn Future<Output = ()> + Send>>, Instant)>(1);
    let other = std::thread::spawn(move || {
        let mut waited = Duration::ZERO;
        for (mut future, since) in receiver {
            waited += since.elapsed();
            assert!(poll(&mut future).is_ready());
        }
        waited
    });
    for _ in 0..WAITS {
        let mut future: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(moves());
        assert!(poll(&mut future).is_pending());
        sender.send((future, Instant::now())).expect("it takes them");
    }
    drop(sender);
    let waited = other.join().expect("no panic");

    let idle: Vec<u64> = (0..50).map(|_| named(&diagnose::snapshot(), "moves").idle_ns).collect();
    let (least, most) = (*idle.iter().min().expect("some"), *idle.iter().max().expect("some"));
    println!("waited {waited:?}; idle from {} ms to {} ms", ms(least), ms(most));
    assert!(most - least <= least / 1_000, "nothing moved between the snapshots: {least} to {most}");
    let waited = u64::try_from(waited.as_nanos()).expect("it fits");
    assert!(most.abs_diff(waited) <= waited / 20 + u64::from(WAITS) * 1_000, "{most} {waited}");
}
