//! Time in the queue counts from a reset on, as part of the wait.
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
use diagnose_scenarios_tests::stopwatch::{is_at_least, is_at_most};
use diagnose_scenarios_tests::tree::{lines, node};

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
fn time_in_the_queue_counts_from_the_reset() {
    diagnose_isolation::isolated!();
    let mut task = pin!(task());
    let mut context = Context::from_waker(Waker::noop());
    assert!(task.as_mut().poll(&mut context).is_pending());
    std::thread::sleep(Duration::from_millis(50));
    let before_reset = Instant::now();
    diagnose::reset();
    let after_reset = Instant::now();
    std::thread::sleep(Duration::from_millis(10));
    let least = after_reset.elapsed();
    let snapshot = diagnose::snapshot();
    let most = before_reset.elapsed();
    let text = lines(&snapshot);
    let queues = node(&snapshot, "task");
    is_at_least("queued up to now", queues.queued_ns, least, &text);
    is_at_most("queued up to now", queues.queued_ns, most, &text);
    is_at_most("idle up to now", queues.idle_ns, most, &text);
    assert!(queues.queued_ns <= queues.idle_ns, "{text}");

    let least = after_reset.elapsed();
    assert!(task.as_mut().poll(&mut context).is_ready());
    let most = before_reset.elapsed();
    let snapshot = diagnose::snapshot();
    let text = lines(&snapshot);
    let task = node(&snapshot, "task");
    is_at_least("queued", task.queued_ns, least, &text);
    is_at_most("idle", task.idle_ns, most, &text);
    assert!(task.queued_ns <= task.idle_ns, "{text}");
}
