//! Whatever is switched, reset and read meanwhile, no call stays open that has ended.

use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};
use diagnose_abuse_tests::times;

#[test]
fn calls_settle_after_switches_and_resets_under_load() {
    let rounds = times(4);
    let mut command = command(env!("CARGO_BIN_EXE_switches"));
    let output = output(command.arg(rounds.to_string()), Duration::from_secs(120 + rounds));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("settled {rounds}\n"), "{stderr}");
}
