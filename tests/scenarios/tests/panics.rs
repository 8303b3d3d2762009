//! A panic's message names the task and the place in its tree.

use diagnose_process_tests::child::Program;

#[test]
fn a_panic_names_its_task_and_path() {
    diagnose_isolation::isolated!();
    let mut program = Program::start(env!("CARGO_BIN_EXE_panics"), &[], &[]);
    assert_eq!(program.hear(), "true");
    assert_eq!(program.hear(), "false");
    let ended = program.end();
    println!("{}", ended.stderr);
    assert!(ended.success);
    assert_eq!(ended.stderr.matches(" panicked in\n").count(), 1, "{}", ended.stderr);
    let (_, report) = ended.stderr.split_once("diagnose: task 2 panicked in\n").expect("it is named");
    let lines: Vec<&str> = report.lines().take(3).collect();
    let place = "tests/scenarios/src/bin/panics.rs";
    assert_eq!(lines[0], format!("  conn (./{place}:7) user=7").replace("./", ""), "{report}");
    assert_eq!(lines[1], format!("  └─ read at read(user).await ({place}:9:5)"), "{report}");
    assert_eq!(lines[2], format!("     └─ parse ({place}:19)"), "{report}");
}
