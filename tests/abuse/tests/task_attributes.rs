//! Attributes of a task are shown while it lives, and removed with it.

use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};

#[test]
fn attributes_live_as_long_as_their_task() {
    diagnose_isolation::isolated!();
    let output = output(&mut command(env!("CARGO_BIN_EXE_task_attributes")), Duration::from_secs(120));
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let (grown, rest) = text.split_once('\n').expect("lines");
    // 90,000 tasks with 250 bytes each are 22 MB.
    assert!(grown.parse::<u64>().expect("a number") < 8_000_000, "{grown} bytes");
    assert!(rest.contains(" waits peer=a [2J b request=17 [waiting"), "{rest}");
    let attributes: Vec<&str> = rest.lines().filter(|line| line.starts_with("attributes {\"")).collect();
    assert_eq!(attributes.len(), 1, "{rest}");
    assert!(!rest.contains("no task"), "{rest}");
}
