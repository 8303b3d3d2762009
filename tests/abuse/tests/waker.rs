//! A waker may run any code when it is cloned, even take a snapshot.

use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};

#[test]
fn a_waker_whose_clone_takes_a_snapshot_does_not_wait_for_itself() {
    diagnose_isolation::isolated!();
    let output = output(&mut command(env!("CARGO_BIN_EXE_waker")), Duration::from_secs(120));
    let text = String::from_utf8_lossy(&output.stdout);
    let clones = text.strip_prefix("clones ").and_then(|clones| clones.trim_end().parse::<u64>().ok());
    assert!(output.status.success() && clones.is_some_and(|clones| clones >= 2), "{output:?}");
}
