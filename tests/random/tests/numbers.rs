//! A process has numbers for 65,535 runtimes. Nothing is proven while a later one is alive: it may
//! have tasks that are not on record.

use diagnose::FutureExt as _;
use diagnose::Snapshot;
use diagnose::tokio::runtime::{Builder, Runtime};

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

fn snapshot_inside() -> Snapshot {
    runtime().block_on(async { diagnose::snapshot() }.diagnose("main"))
}

#[test]
fn a_runtime_without_a_number_may_have_unrecorded_tasks() {
    let first = snapshot_inside();
    assert_eq!((first.runtimes.len(), first.unrecorded_tasks), (1, 0));
    for _ in 0..u16::MAX {
        drop(runtime());
    }
    let late = snapshot_inside();
    assert_eq!(late.runtimes.len(), 0, "it has no number");
    assert!(late.unrecorded_tasks > 0);
}
