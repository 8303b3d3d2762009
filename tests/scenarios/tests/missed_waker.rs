//! A future that nobody wakes goes on only because a sibling is woken: it was ready for 90 ms.
//!
//! ```text
//! a   ~~~ 10 ms ~~~◇┈┈┈┈┈┈ ready, not woken ┈┈┈┈┈┈▏
//! b   ~~~~~~~~~~~~~~~~~~~ 100 ms ~~~~~~~~~~~~~~~~~▏
//! ```

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::Poll;
use std::time::Duration;

use diagnose::{Snapshot, diagnose};
use diagnose_scenarios_tests::runtime::Runtime;
use diagnose_scenarios_tests::tree::{lines, ms, named};

#[diagnose]
async fn a() {
    let flag = Arc::new(AtomicBool::new(false));
    let event = Arc::clone(&flag);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(10));
        event.store(true, SeqCst);
    });
    poll_fn(|_| if flag.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }).await;
}

#[diagnose]
async fn b() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}

#[diagnose(root)]
async fn both() -> Snapshot {
    tokio::join!(a(), b());
    diagnose::snapshot()
}

#[test]
fn it_goes_on_with_its_sibling() {
    let during = Runtime::TokioCurrent.run(both());
    let task = &during.tasks[0];
    assert_eq!((task.wakes, task.self_wakes, task.woken_by), (1, 0, None), "the only wake is the timer's");
    let snapshot = diagnose::snapshot();
    let text = lines(&snapshot);
    println!("{text}");
    let (a, b) = (named(&snapshot, "a"), named(&snapshot, "b"));
    assert_eq!((a.polls, b.polls), (2, 2), "{text}");
    assert!((99.0..300.0).contains(&ms(a.idle_ns)), "{text}");
    assert!(a.idle_ns.abs_diff(b.idle_ns) < 5_000_000, "both end with the same poll\n{text}");
}
