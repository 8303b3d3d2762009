//! A snapshot shows each task at one instant, however fast tasks wake each other meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use diagnose::model::{RunState, SiteIndex};
use diagnose::tokio::sync::mpsc;
use diagnose::{diagnose, tokio};

/// Passes messages on until `is_over` is set.
async fn relay(mut from: mpsc::Receiver<()>, to: mpsc::Sender<()>, is_over: Arc<AtomicBool>) {
    while !is_over.load(Relaxed) && from.recv().await.is_some() {
        if to.send(()).await.is_err() {
            break;
        }
    }
}

#[test]
fn a_task_was_woken_before_the_snapshot_and_as_often_as_it_was_polled() {
    diagnose_isolation::isolated!();
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
        // A wake after the instant of the snapshot would be zero nanoseconds ago.
        torn.extend(snapshot.tasks.into_iter().filter(|task| task.woken_ns == Some(0)));
    }
    is_over.store(true, Relaxed);
    drop(runtime);
    assert!(torn.is_empty(), "{} of 2000: {:?}", torn.len(), torn.first());
}

#[diagnose]
async fn branch() {
    tokio::task::yield_now().await;
}

/// Long enough for a snapshot to fall into it.
#[diagnose]
async fn write_frame() {
    for _ in 0..2_000 {
        std::hint::spin_loop();
    }
}

/// Waits in a `select!`, and writes after it.
async fn connection(is_over: Arc<AtomicBool>) {
    while !is_over.load(Relaxed) {
        tokio::select! {
            () = branch() => {}
            () = branch() => {}
        }
        write_frame().await;
    }
}

// connection  ├select!┤  ├write_frame┤  ├select!┤
// branch      ├┈┈┈┈┈┈┈┤                 ├┈┈┈┈┈┈┈┤
// read            ▲ task, or      ▲ task           ▲ spans
#[test]
fn a_task_that_runs_is_not_listed_with_what_it_has_begun_since() {
    diagnose_isolation::isolated!();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    let is_over = Arc::new(AtomicBool::new(false));
    for _ in 0..4 {
        runtime.spawn(connection(is_over.clone()));
    }
    let (mut seen, mut torn) = (0, Vec::new());
    while seen < 300 {
        let snapshot = diagnose::snapshot();
        let is_named = |site: SiteIndex, name: &str| snapshot.sites[site].name == name;
        for task in snapshot.tasks.iter().filter(|task| task.state == RunState::Running) {
            if !task.running.iter().any(|&site| is_named(site, "write_frame")) {
                continue;
            }
            seen += 1;
            let mut spans = snapshot.spans.iter().filter(|span| span.task == Some(task.id));
            torn.extend(spans.find(|span| is_named(span.site, "branch")).cloned());
        }
    }
    is_over.store(true, Relaxed);
    drop(runtime);
    assert!(torn.is_empty(), "{} of {seen}: {:?}", torn.len(), torn.first());
}
