//! A reset while a task waits in the queue: it counts from the reset on, as part of the wait.
//!
//! ```text
//! task     ~~~◇┈┈┈┈ queued ┈┈┈┈┊┈┈ queued ┈┈▏
//!                            reset
//! ```

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose_scenarios_tests::tree::{lines, ms, node};

#[diagnose(root)]
async fn task() {
    let mut is_first = true;
    poll_fn(|context| {
        if std::mem::take(&mut is_first) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    })
    .await;
}

#[test]
fn the_queue_counts_from_the_reset_on() {
    let mut task = pin!(task());
    let mut context = Context::from_waker(Waker::noop());
    assert!(task.as_mut().poll(&mut context).is_pending());
    std::thread::sleep(Duration::from_millis(50));
    let since = Instant::now();
    diagnose::reset();
    std::thread::sleep(Duration::from_millis(10));
    let snapshot = diagnose::snapshot();
    let text = lines(&snapshot);
    let queues = node(&snapshot, "task");
    let most_ns = since.elapsed().as_nanos();
    assert!(ms(queues.queued_ns) >= 9.9 && u128::from(queues.queued_ns) <= most_ns, "up to now\n{text}");
    assert!(queues.queued_ns <= queues.idle_ns, "{text}");

    assert!(task.as_mut().poll(&mut context).is_ready());
    let snapshot = diagnose::snapshot();
    let text = lines(&snapshot);
    let task = node(&snapshot, "task");
    let most_ns = since.elapsed().as_nanos();
    assert!(ms(task.idle_ns) >= 9.9 && u128::from(task.idle_ns) <= most_ns, "{text}");
    assert!(ms(task.queued_ns) >= 9.9, "{text}");
    assert!(task.queued_ns <= task.idle_ns, "{text}");
}
