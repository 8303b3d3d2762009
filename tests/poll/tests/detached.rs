//! A future whose `select!` arm is gone is shown under its last task.
//!
//! ```text
//! tries  select! ├ arm ─ work: waits forever      ┤   pending().await
//!                ├ arm ─ ready with its 2nd poll  ┘   ↑ work is kept, and nothing polls it
//! ```

use std::future::{pending, poll_fn};
use std::pin::pin;
use std::task::Poll;

use diagnose::diagnose;
use diagnose_isolation::isolated;

#[diagnose]
async fn work() {
    pending::<()>().await;
}

#[diagnose(root)]
async fn tries() {
    let mut work = pin!(work());
    let mut is_first = true;
    tokio::select! {
        () = poll_fn(|context| work.as_mut().poll(context)) => {}
        () = poll_fn(|context| {
            context.waker().wake_by_ref();
            if std::mem::take(&mut is_first) { Poll::Pending } else { Poll::Ready(()) }
        }) => {}
    }
    pending::<()>().await;
    work.await;
}

#[test]
fn a_future_whose_arm_was_dropped_is_listed_under_its_task() {
    isolated!();
    let mut task = Box::pin(tries());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(task.as_mut().poll(&mut context).is_pending());
    let alive = |snapshot: &diagnose::Snapshot| {
        let work = snapshot.spans.iter().find(|span| snapshot.sites[span.site].name == "work");
        work.map(|span| (span.is_detached, span.task, span.parent.is_some()))
    };
    let snapshot = diagnose::snapshot();
    let own = snapshot.tasks[0].id;
    assert_eq!(alive(&snapshot), Some((false, Some(own), true)));

    assert!(task.as_mut().poll(&mut context).is_pending());
    let snapshot = diagnose::snapshot();
    assert_eq!(alive(&snapshot), Some((true, Some(own), false)));
    let root = &snapshot.spans[snapshot.tasks[0].span.expect("it has waited")];
    assert_eq!(snapshot.sites[root.site].name, "tries", "it is not taken for the root");
    let tree = diagnose::tree();
    assert!(tree.contains("\n  detached, its parent future is gone: work ("), "{tree}");
    assert!(tree.contains("\n  └─ pending::<()>().await (tests/poll/tests/detached.rs:17:5) ["), "{tree}");

    drop(task);
    assert_eq!(alive(&diagnose::snapshot()), None);
}
