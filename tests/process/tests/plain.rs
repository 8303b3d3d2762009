//! An annotated program that does nothing else with the library.

use diagnose_process_tests::child::Program;

#[test]
fn a_program_that_is_only_annotated_writes_nothing_extra() {
    diagnose_isolation::isolated!();
    let mut program = Program::start(env!("CARGO_BIN_EXE_plain"), &[], &[]);
    assert_eq!(program.hear(), "9900");
    let ended = program.end();
    assert!(ended.success && ended.stderr.is_empty() && ended.dumps.is_empty(), "{ended:?}");
}
