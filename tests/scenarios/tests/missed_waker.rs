//! A future that misses its wake continues only when its sibling is woken.
//!
//! ```text
//! a   ~~~ 10 ms ~~~◇┈┈┈┈┈┈ ready, not woken ┈┈┈┈┈┈▏
//! b   ~~~~~~~~~~~~~~~~~~~ 100 ms ~~~~~~~~~~~~~~~~~▏
//! ```

use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::Sender;
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use diagnose::{Snapshot, diagnose};
use diagnose_scenarios_tests::runtime::Runtime;
use diagnose_scenarios_tests::stopwatch::{Stopwatch, is_at_least};
use diagnose_scenarios_tests::tree::{lines, named};
use tokio::sync::oneshot::{Receiver, channel};

static AROUND: Stopwatch = Stopwatch::new();
static IN_A: Stopwatch = Stopwatch::new();
static IN_B: Stopwatch = Stopwatch::new();

#[diagnose]
async fn a(flag: Arc<AtomicBool>) {
    IN_A.time(poll_fn(|_| if flag.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending })).await;
}

#[diagnose]
async fn b(mut event: Receiver<()>, begins: Sender<()>) {
    let mut begins = Some(begins);
    let waits = poll_fn(|context| {
        let poll = Pin::new(&mut event).poll(context);
        // Both futures wait.
        drop(begins.take());
        poll
    });
    IN_B.time(waits).await.expect("it comes");
}

#[diagnose(root)]
async fn both(flag: Arc<AtomicBool>, event: Receiver<()>, begins: Sender<()>) -> Snapshot {
    tokio::join!(a(flag), b(event, begins));
    diagnose::snapshot()
}

#[test]
fn a_future_that_missed_its_wake_continues_with_its_sibling() {
    diagnose_isolation::isolated!();
    let flag = Arc::new(AtomicBool::new(false));
    let (sends, event) = channel();
    let (begins, has_begun) = std::sync::mpsc::channel();
    let ready = Arc::clone(&flag);
    let other = thread::spawn(move || {
        let _ = has_begun.recv();
        thread::sleep(Duration::from_millis(10));
        let since = Instant::now();
        ready.store(true, SeqCst);
        thread::sleep(Duration::from_millis(90));
        let was_ready = since.elapsed();
        sends.send(()).expect("it waits");
        was_ready
    });
    let during = Runtime::TokioCurrent.run(AROUND.time(both(flag, event, begins)));
    let was_ready = other.join().expect("no panic");
    let task = &during.tasks[0];
    assert_eq!((task.wakes, task.self_wakes, task.woken_by), (1, 0, None), "the only wake is the sibling's");
    let snapshot = diagnose::snapshot();
    let text = lines(&snapshot);
    println!("{text}");
    let (around, a, b) = (AROUND.take(), named(&snapshot, "a"), named(&snapshot, "b"));
    around.is_around(&named(&snapshot, "both"), &text);
    assert_eq!((a.polls, b.polls), (2, 2), "{text}");
    IN_A.take().is_inside(&a, &text);
    IN_B.take().is_inside(&b, &text);
    // Both begin with the task's first poll and end with its second.
    is_at_least("a", a.idle_ns, around.idle, &text);
    is_at_least("b", b.idle_ns, around.idle, &text);
    is_at_least("ready, and not polled", a.idle_ns, was_ready, &text);
}
