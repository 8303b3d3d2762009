//! A clock that is set back or stands still neither hangs the program nor changes earlier
//! measurements.
#![cfg(target_os = "linux")]

use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};

fn run(case: &str) -> String {
    let output = output(command(env!("CARGO_BIN_EXE_clock")).arg(case), Duration::from_secs(120));
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// 100 ms are reported as 100 ms, and a jump between the two clocks is counted where there are two.
fn check(case: &str) {
    let line = run(case);
    let words: Vec<&str> = line.split_whitespace().collect();
    let [real, shown, clock, jumps] = words.as_slice() else { panic!("four words: {line}") };
    let number = |word: &str| word.parse::<u64>().expect("a number");
    let (real, shown) = (number(real), number(shown));
    assert!(real.abs_diff(shown) < real / 50, "{real} ns are shown as {shown} ns");
    assert_eq!(number(jumps), u64::from(*clock != "instant"), "{line}");
}

#[test]
fn a_clock_that_is_set_back_changes_no_time() {
    diagnose_isolation::isolated!();
    check("set-back");
}

#[test]
fn a_suspend_before_the_first_capture_changes_no_time() {
    diagnose_isolation::isolated!();
    check("suspended");
}

#[test]
fn a_suspend_between_two_captures_changes_no_time() {
    diagnose_isolation::isolated!();
    check("suspended-later");
}

#[test]
fn a_timer_starts_although_the_clock_was_set_back() {
    diagnose_isolation::isolated!();
    assert_eq!(run("set-back-timer").trim(), "done");
}

/// Its clock stood still, too.
#[test]
fn a_timer_is_not_late_because_the_machine_was_suspended() {
    diagnose_isolation::isolated!();
    let line = run("suspended-timer");
    let (is_late, jumps) = line.trim().split_once(' ').expect("two words");
    assert!(is_late != "Some(true)", "{line}");
    assert!(jumps == "1" || is_late == "Some(false)", "{line}");
}
