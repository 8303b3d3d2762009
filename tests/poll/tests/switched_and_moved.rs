//! A call that moved to another path and thread while the recording was off is over after a reset.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::thread;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::Wait;
use diagnose_poll_tests::{Task, steps};

type Shared = Arc<Mutex<Pin<Box<dyn Future<Output = ()> + Send>>>>;

#[diagnose]
async fn shared() {
    steps([Wait, Wait, Wait]).await;
}

/// Polls the future, without records.
async fn drives(future: Shared) {
    std::future::poll_fn(|context| future.lock().expect("no panic").as_mut().poll(context)).await;
}

#[diagnose]
async fn elsewhere(future: Shared) {
    drives(future).await;
}

#[test]
fn a_call_that_moved_in_between_is_settled_after_a_reset() {
    isolated!();
    let future: Shared = Arc::new(Mutex::new(Box::pin(shared())));
    let mut first = Task::new(drives(Arc::clone(&future)));
    assert!(first.poll().is_pending());
    diagnose::set_enabled(false);
    assert!(first.poll().is_pending());
    diagnose::set_enabled(true);
    thread::spawn(move || {
        let mut second = Task::new(elsewhere(future));
        assert!(second.poll().is_pending());
        diagnose::reset();
        assert!(second.poll().is_ready());
    })
    .join()
    .expect("it does not panic");
    let snapshot = diagnose::snapshot();
    assert!(snapshot.nodes.iter().all(|node| node.unsettled == 0), "{:#?}", snapshot.nodes);
}
