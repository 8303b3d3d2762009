//! Memory and CPU of the library grow little with the number of tasks.
#![cfg(target_os = "linux")]

use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};
use diagnose_abuse_tests::times;

fn lines(arguments: &[&str]) -> Vec<String> {
    let mut command = command(env!("CARGO_BIN_EXE_scale"));
    let output = output(command.args(arguments), Duration::from_secs(300));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn the_watchdog_takes_a_few_bytes_for_each_task_that_waits() {
    diagnose_isolation::isolated!();
    let tasks = times(10_000).min(100_000);
    for kind in ["sleep", "receive"] {
        let lines = lines(&["looks", kind, &tasks.to_string()]);
        let [line] = lines.as_slice() else { panic!("one line, not {lines:?}") };
        let bytes = line.strip_prefix("10 looks, ").and_then(|line| line.strip_suffix(" bytes"));
        let bytes: u64 = bytes.and_then(|bytes| bytes.parse().ok()).unwrap_or_else(|| panic!("{line}"));
        assert!(bytes <= 50 * tasks + (1 << 18), "{kind}: {line}, for {tasks} tasks");
    }
}

/// Checks the memory that each report takes while it is made, in bytes for each task.
fn a_dump_takes_at_most(bytes: u32, kind: &str) {
    let tasks = times(50_000).min(200_000);
    for format in ["txt", "full.txt", "json"] {
        let lines = lines(&["dump", kind, &tasks.to_string(), format]);
        let [line] = lines.as_slice() else { panic!("one line, not {lines:?}") };
        let megabytes = line.rsplit_once('+').and_then(|(_, most)| most.strip_suffix(" MB"));
        let megabytes: f64 = megabytes.and_then(|most| most.parse().ok()).unwrap_or_else(|| panic!("{line}"));
        // 8 MB do not depend on the number of tasks.
        let most = f64::from(bytes) * f64::from(u32::try_from(tasks).unwrap_or(0));
        assert!((megabytes - 8.0) * 1e6 <= most, "{line}");
    }
}

#[test]
fn a_dump_takes_half_a_kilobyte_for_each_task_that_waits_for_a_timer() {
    diagnose_isolation::isolated!();
    a_dump_takes_at_most(500, "sleep");
}

#[test]
fn a_dump_takes_one_and_a_half_kilobytes_for_each_task_that_waits_for_a_channel_of_its_own() {
    diagnose_isolation::isolated!();
    a_dump_takes_at_most(1_500, "receive");
}
