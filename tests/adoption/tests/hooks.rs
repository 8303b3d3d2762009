//! The program's own runtime hooks run beside diagnose's, as often as without it.

use diagnose::tokio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

#[derive(Default)]
struct Counts {
    started: AtomicUsize,
    stopped: AtomicUsize,
    parked: AtomicUsize,
    unparked: AtomicUsize,
}

/// Builds a runtime with counting hooks. Each is set twice; as in tokio, the last one counts.
fn build(builder: &mut Builder) -> (Runtime, Arc<Counts>) {
    let counts = Arc::new(Counts::default());
    let hook = |counter: fn(&Counts) -> &AtomicUsize| {
        let counts = counts.clone();
        move || {
            counter(&counts).fetch_add(1, SeqCst);
        }
    };
    let runtime = builder
        .enable_all()
        .on_thread_start(|| unreachable!())
        .on_thread_stop(|| unreachable!())
        .on_thread_park(|| unreachable!())
        .on_thread_unpark(|| unreachable!())
        .on_thread_start(hook(|counts| &counts.started))
        .on_thread_stop(hook(|counts| &counts.stopped))
        .on_thread_park(hook(|counts| &counts.parked))
        .on_thread_unpark(hook(|counts| &counts.unparked))
        .build()
        .unwrap();
    (runtime, counts)
}

#[test]
fn workers_run_each_hook_once() {
    diagnose_isolation::isolated!();
    let (runtime, counts) = build(Builder::new_multi_thread().worker_threads(3));
    runtime.block_on(runtime.spawn_blocking(|| ())).unwrap();
    drop(runtime);
    assert_eq!(counts.started.load(SeqCst), 4);
    assert_eq!(counts.stopped.load(SeqCst), 4);
    assert!(counts.parked.load(SeqCst) >= counts.unparked.load(SeqCst));
}

#[test]
fn a_runtime_of_one_thread_parks_as_often_as_it_unparks() {
    diagnose_isolation::isolated!();
    let (runtime, counts) = build(&mut Builder::new_current_thread());
    runtime.block_on(async {
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    assert!(counts.parked.load(SeqCst) >= 3);
    assert_eq!(counts.parked.load(SeqCst), counts.unparked.load(SeqCst));
    assert_eq!(counts.started.load(SeqCst), 0);
}
