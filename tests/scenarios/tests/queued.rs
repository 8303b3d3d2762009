//! Time in the queue is part of the wait. It begins with the wake, not before the poll ends, and a
//! reset forgets it.
//!
//! ```text
//! first    ▆▆▆ 30 ms ▆▆▆┤                    ├▏
//!              └ wakes itself            ↑ polled
//! queued                └──────── 30 ms ────┘
//! ```

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::Runtime;
use diagnose_scenarios_tests::stopwatch::{Stopwatch, is_at_least, is_at_most};
use diagnose_scenarios_tests::tree::{lines, node};
use diagnose_scenarios_tests::work::compute;

static AROUND: Stopwatch = Stopwatch::new();
static INSIDE: Stopwatch = Stopwatch::new();
static SECOND: Stopwatch = Stopwatch::new();

/// Wakes itself, and computes before it returns `Pending`.
struct Eager(bool);

impl Future for Eager {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.0 {
            return Poll::Ready(());
        }
        self.0 = true;
        context.waker().wake_by_ref();
        let _ = compute(30);
        Poll::Pending
    }
}

#[diagnose(root)]
async fn first() {
    INSIDE.time(Eager(false)).await;
}

#[diagnose(root)]
async fn second() {
    let _ = SECOND.call(|| compute(30));
}

#[test]
fn the_queue_is_part_of_the_wait() {
    diagnose_isolation::isolated!();
    let program = async || {
        let first = tokio::spawn(AROUND.time(first()));
        tokio::spawn(second()).await.expect("no panic");
        first.await.expect("no panic");
    };
    for _ in 0..2 {
        diagnose::reset();
        Runtime::TokioCurrent.run(program());
        let snapshot = diagnose::snapshot();
        let text = lines(&snapshot);
        let first = node(&snapshot, "first");
        let (around, inside, second) = (AROUND.take(), INSIDE.take(), SECOND.take());
        around.is_around(&first, &text);
        inside.is_inside(&first, &text);
        is_at_least("queued", first.queued_ns, around.queued, &text);
        is_at_most("queued", first.queued_ns, inside.queued, &text);
        is_at_least("queued behind the other", first.queued_ns, second.busy(), &text);
        assert_eq!(first.queued_ns, first.idle_ns, "from the end of the poll on\n{text}");
    }
}
