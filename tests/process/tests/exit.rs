//! A dump is written when the process ends, if requested.

use diagnose_process_tests::child::{Ended, Program};

fn run(args: &[&str], variables: &[(&str, &str)]) -> Ended {
    let mut program = Program::start(env!("CARGO_BIN_EXE_server"), args, variables);
    assert_eq!(program.hear(), "ready");
    program.say("ping");
    assert_eq!(program.hear(), "pong");
    program.end()
}

#[test]
fn nothing_is_written_unless_asked_for() {
    diagnose_isolation::isolated!();
    let ended = run(&[], &[]);
    assert!(ended.success && ended.dumps.is_empty() && ended.stderr.is_empty(), "{ended:?}");
}

#[test]
fn returning_from_main_writes_the_reports() {
    diagnose_isolation::isolated!();
    let ended = run(&[], &[("DIAGNOSE_ON_EXIT", "1")]);
    assert!(ended.success);
    assert_eq!(ended.dumps.keys().collect::<Vec<_>>(), ["folded", "json", "svg", "txt"]);
    assert!(ended.dumps["txt"].contains("answer"));
}

#[test]
fn exiting_writes_the_reports() {
    diagnose_isolation::isolated!();
    let ended = run(&["exit"], &[("DIAGNOSE_ON_EXIT", "1"), ("DIAGNOSE_FORMATS", "txt")]);
    assert!(ended.success);
    assert_eq!(ended.stderr.matches("diagnose: wrote ").count(), 1);
    assert!(ended.dumps["txt"].contains("serve"));
}

#[test]
fn a_thread_that_exits_inside_a_local_set_writes_the_reports() {
    diagnose_isolation::isolated!();
    let ended = run(&["local"], &[("DIAGNOSE_ON_EXIT", "1"), ("DIAGNOSE_FORMATS", "txt")]);
    assert!(ended.success && ended.dumps["txt"].contains("serve"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
}

#[test]
fn what_the_main_thread_has_drawn_does_not_prevent_the_reports() {
    diagnose_isolation::isolated!();
    let ended = run(&["svg"], &[("DIAGNOSE_ON_EXIT", "1")]);
    assert!(ended.success);
    assert_eq!(ended.dumps.keys().collect::<Vec<_>>(), ["folded", "json", "svg", "txt"], "{}", ended.stderr);
}

#[test]
fn the_thread_that_ends_the_process_is_not_blocked_by_its_dump() {
    diagnose_isolation::isolated!();
    let ended = run(&["blocks"], &[("DIAGNOSE_ON_EXIT", "1"), ("DIAGNOSE_FORMATS", "txt")]);
    assert!(ended.success);
    let text = &ended.dumps["txt"];
    assert!(text.contains("answer") && !text.contains("blocked_worker"), "{text}");
}
