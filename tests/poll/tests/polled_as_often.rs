//! Observation does not change how often a future is polled.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use diagnose::{FutureExt as _, Resource, diagnose, wait};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Task;

/// Ready at its third poll. Counts all polls.
struct Third(u32);

impl Future for Third {
    type Output = u32;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u32> {
        self.0 += 1;
        if self.0 == 3 {
            return Poll::Ready(self.0);
        }
        // One poll clones the waker and one does not. Neither keeps it past the poll.
        if self.0 == 1 {
            drop(context.waker().clone());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[diagnose]
async fn annotated() -> u32 {
    Third(0).await
}

/// Polls until the future is ready. Returns the number of polls, counted outside and inside.
fn polls(future: impl Future<Output = u32> + Send + 'static) -> (u32, u32) {
    let mut task = Task::new(future);
    for count in 1.. {
        if let Poll::Ready(inside) = task.poll() {
            return (count, inside);
        }
    }
    unreachable!("it ends");
}

#[test]
fn recording_repeats_no_poll() {
    isolated!();
    assert_eq!(polls(Third(0)), (3, 3));
    assert_eq!(polls(annotated()), (3, 3));
    assert_eq!(polls(Third(0).diagnose("named")), (3, 3));
    let resource = Resource::new("thirds", 1);
    assert_eq!(polls(wait("waits", &resource, Third(0))), (3, 3));
    assert_eq!(polls(diagnose::spawn_with(|task| task, "spawned", Third(0))), (3, 3));
}
