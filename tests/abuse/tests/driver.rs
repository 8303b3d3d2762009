//! A call that only drives an executor is idle while the executor is parked.

use std::time::Duration;

use diagnose::{diagnose, tokio};

const PAUSE: Duration = Duration::from_millis(30);

#[tokio::main(flavor = "current_thread")]
#[diagnose]
async fn above() {
    tokio::time::sleep(PAUSE).await;
}

#[diagnose]
#[tokio::main(flavor = "current_thread")]
async fn below() {
    tokio::time::sleep(PAUSE).await;
}

#[diagnose]
fn by_hand() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { tokio::time::sleep(PAUSE).await });
}

#[test]
fn a_function_with_a_runtime_around_it_waits_and_is_not_busy() {
    diagnose_isolation::isolated!();
    above();
    below();
    by_hand();
    let snapshot = diagnose::snapshot();
    for name in ["above", "below", "by_hand"] {
        let nodes = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == name);
        let nodes: Vec<_> = nodes.collect();
        let [node] = nodes.as_slice() else { panic!("one path of {name}: {nodes:#?}") };
        // A timer is never early.
        assert!(u128::from(node.idle_ns) >= PAUSE.as_nanos(), "{name}: {node:#?}");
        assert_eq!((node.calls, node.completed), (1, 1), "{name}");
    }
}
