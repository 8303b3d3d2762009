//! The body that first polls a future is its caller, wherever the future was created.
//!
//! Futures created outside every poll, on another thread, or in another task's poll are one callee.

use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::thread;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps, tree};

type Call = Pin<Box<dyn Future<Output = ()> + Send>>;

static MADE: Mutex<Vec<Call>> = Mutex::new(Vec::new());

#[diagnose]
async fn callee() {
    steps([Busy(1), Wait, Busy(1)]).await;
}

#[diagnose]
async fn maker() {
    MADE.lock().expect("no panic").push(Box::pin(callee()));
}

#[diagnose]
async fn caller(calls: Vec<Call>) {
    for call in calls {
        call.await;
    }
}

// made ┈ 100 ┈├ caller: callee ┤┈ 10 ┈├ callee, callee ┤┈ 10 ┈├ … ┤
#[test]
fn the_first_poller_of_a_future_is_its_caller() {
    isolated!();
    diagnose::manual_clock::install();
    Task::new(maker()).run(10);
    let mut calls = std::mem::take(&mut *MADE.lock().expect("no panic"));
    calls.push(Box::pin(callee()));
    calls.push(thread::spawn(|| -> Call { Box::pin(callee()) }).join().expect("no panic"));
    pass(100);
    Task::new(caller(calls)).run(10);
    // Each waits for its first poll until the futures before it are ready: 100, 112 and 124.
    assert_eq!(
        tree(),
        "caller  busy 6  self 0  idle 30  own 0  calls 1  polls 4  completed 1\n  \
         callee  busy 6  self 6  idle 30  own 30  calls 3  polls 6  completed 3  unpolled 336\n\
         maker  busy 0  self 0  idle 0  own 0  calls 1  polls 1  completed 1\n"
    );
}
