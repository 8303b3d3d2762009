//! What a snapshot says of a task is of one instant, however fast tasks wake each other meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use diagnose::tokio;
use diagnose::tokio::sync::mpsc;

/// Passes a message on until it is told to stop.
async fn relay(mut from: mpsc::Receiver<()>, to: mpsc::Sender<()>, is_over: Arc<AtomicBool>) {
    while !is_over.load(Relaxed) && from.recv().await.is_some() {
        if to.send(()).await.is_err() {
            break;
        }
    }
}

#[test]
fn a_task_was_woken_before_the_snapshot_and_as_often_as_it_was_polled() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    let is_over = Arc::new(AtomicBool::new(false));
    let (first, mut from) = mpsc::channel(1);
    first.try_send(()).expect("there is room");
    for _ in 0..8 {
        let (to, next) = mpsc::channel(1);
        runtime.spawn(relay(from, to, is_over.clone()));
        from = next;
    }
    runtime.spawn(relay(from, first, is_over.clone()));
    let mut torn = Vec::new();
    for _ in 0..2_000 {
        let snapshot = diagnose::snapshot();
        // A wake that came after the instant of the snapshot is zero nanoseconds ago.
        torn.extend(snapshot.tasks.into_iter().filter(|task| task.woken_ns == Some(0)));
    }
    is_over.store(true, Relaxed);
    drop(runtime);
    assert!(torn.is_empty(), "{} of 2000: {:?}", torn.len(), torn.first());
}
