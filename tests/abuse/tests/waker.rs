//! A waker may run any code when it is cloned, even take a snapshot.
#![cfg(target_os = "linux")]

use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};

#[test]
fn no_lock_is_held_while_a_waker_is_cloned() {
    diagnose_isolation::isolated!();
    let output = output(&mut command(env!("CARGO_BIN_EXE_waker")), Duration::from_secs(120));
    let text = String::from_utf8_lossy(&output.stdout);
    let clones = text.strip_prefix("clones ").and_then(|text| text.strip_suffix("\nlate\n"));
    let clones = clones.and_then(|clones| clones.parse::<u64>().ok());
    assert!(output.status.success() && clones.is_some_and(|clones| clones >= 2), "{output:?}");
}
