//! A forked child never hangs on state that its parent was recording.
#![cfg(target_os = "linux")]

use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};
use diagnose_abuse_tests::times;

#[test]
fn a_child_has_the_records_of_its_parent_or_says_why_not() {
    diagnose_isolation::isolated!();
    let count = times(100);
    let mut command = command(env!("CARGO_BIN_EXE_forks"));
    let output = output(command.arg(count.to_string()), Duration::from_secs(300 + count / 10));
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        stdout,
        format!(
            "alone\ncontended {count}\nwatched {count}\ninstalled again\nload {count}\nends {count}\nlast moments\n"
        ),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success());
}
