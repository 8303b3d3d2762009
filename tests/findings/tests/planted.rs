//! Each planted fault is the first or second finding, with its line; four are found together.

use std::process::Command;

/// The findings of a service with this fault, once at least one of them is about it, and the first
/// 25 lines of the text report in one line.
fn findings_of(fault: &str) -> (Vec<String>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_diagnose-findings-tests"));
    let output = program.args([fault, "60000"]).output().expect("it runs");
    let said = String::from_utf8(output.stdout).expect("it is text");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let (screen, findings): (Vec<&str>, Vec<&str>) = said.lines().partition(|line| line.starts_with("| "));
    let screen: Vec<&str> = screen.iter().flat_map(|line| line[1..].split_whitespace()).collect();
    (findings.into_iter().map(str::to_owned).collect(), screen.join(" "))
}

/// The lines of the source that have this fault, as reports show them.
fn lines_of(fault: &str) -> Vec<String> {
    let (file, source) = match fault {
        "ended" => ("ended", include_str!("../src/ended.rs")),
        _ => ("planted", include_str!("../src/planted.rs")),
    };
    let mark = format!("// FAULT: {fault}");
    let marked = source.lines().enumerate().filter(|(_, line)| line.ends_with(&mark));
    // Counts from 1. A mark on a separate line is about the next line.
    let line = |(number, line): (usize, &str)| number + 1 + usize::from(line.trim() == mark);
    marked.map(|marked| format!("tests/findings/src/{file}.rs:{}", line(marked))).collect()
}

/// Whether a finding is about the fault: it is of this rule, and names a line with the fault.
fn is_about(finding: &str, rule: &str, fault: &str) -> bool {
    finding.ends_with(&format!("({rule})")) && lines_of(fault).iter().any(|line| finding.contains(line))
}

/// Whether the text shows a line with the fault, and then the rule.
fn is_on_screen(screen: &str, rule: &str, fault: &str) -> bool {
    let rule = format!("({rule})");
    lines_of(fault).iter().any(|line| screen.split_once(line).is_some_and(|(_, rest)| rest.contains(&rule)))
}

fn assert_found(fault: &str, rule: &str) {
    let (findings, screen) = findings_of(fault);
    assert!(is_on_screen(&screen, rule, fault), "{fault}: {screen}");
    assert!(findings.iter().take(2).any(|finding| is_about(finding, rule, fault)), "{fault}: {findings:#?}");
}

#[test]
fn a_lock_held_over_a_query_is_found() {
    assert_found("lock", "contended");
}

#[test]
fn a_lock_that_is_gone_at_the_end_of_the_program_is_found() {
    assert_found("ended", "contended");
}

#[test]
fn waits_for_locks_that_are_gone_are_as_healthy_as_before() {
    for healthy in ["migration", "batches", "turns"] {
        let (findings, _) = findings_of(healthy);
        assert!(findings.is_empty(), "{healthy}: {findings:#?}");
    }
}

#[test]
fn a_lock_that_a_job_holds_now_and_then_is_found() {
    assert_found("rare", "contended");
}

#[test]
fn a_lock_that_is_held_while_a_bank_does_not_answer_is_found() {
    assert_found("held", "held");
}

#[test]
fn calls_whose_answers_are_lost_are_found_by_their_await() {
    assert_found("lost", "stopped");
}

#[test]
fn a_channel_whose_receiver_is_slow_is_found() {
    assert_found("channel", "full_channel");
}

#[test]
fn a_channel_that_is_not_on_record_is_found_by_its_receiver() {
    assert_found("queue", "full_channel");
}

#[test]
fn a_call_that_waits_for_more_permits_than_there_are_is_found() {
    assert_found("permits", "held");
}

#[test]
fn a_task_that_answers_all_questions_is_found_by_what_it_awaits() {
    assert_found("actor", "bottleneck");
}

#[test]
fn queries_one_after_the_other_are_found() {
    assert_found("sequential", "sequential");
}

#[test]
fn a_loop_that_connects_without_a_pause_is_found() {
    assert_found("retries", "retries");
}

#[test]
fn a_hog_without_annotation_is_found_by_its_caller() {
    assert_found("hog", "hog");
}

#[test]
#[cfg(target_os = "linux")]
fn a_sleep_without_annotation_is_found_by_its_caller() {
    assert_found("block", "blocking");
}

#[test]
#[cfg(target_os = "linux")]
fn middleware_without_annotation_is_found_by_a_function_that_it_delays() {
    assert_found("unrecorded", "unrecorded");
}

#[test]
fn tasks_that_never_end_are_found_by_their_spawn() {
    assert_found("leak", "growing");
}

#[test]
fn tasks_with_large_futures_are_found_by_their_spawn() {
    assert_found("large", "large_future");
}

#[test]
fn a_lock_cycle_is_found() {
    assert_found("cycle", "stuck.cycle");
}

#[test]
fn four_faults_at_once_are_all_found_the_cycle_first() {
    let (findings, screen) = findings_of("all");
    let faults = [("cycle", "stuck.cycle"), ("lock", "contended"), ("hog", "hog"), ("leak", "growing")];
    for (fault, rule) in faults {
        assert!(findings.iter().any(|finding| is_about(finding, rule, fault)), "{fault}: {findings:#?}");
        assert!(is_on_screen(&screen, rule, fault), "{fault}: {screen}");
    }
    assert!(is_about(&findings[0], "stuck.cycle", "cycle"), "{findings:#?}");
    assert!(findings.len() <= 6, "they are told once: {findings:#?}");
}
