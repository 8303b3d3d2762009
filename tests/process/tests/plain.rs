//! An annotated program that does nothing else with the library.

use diagnose_process_tests::child::Program;

#[test]
fn an_unconfigured_program_prints_and_writes_nothing_extra() {
    diagnose_isolation::isolated!();
    let mut program = Program::start(env!("CARGO_BIN_EXE_plain"), &[], &[]);
    assert_eq!(program.hear(), "9900");
    let ended = program.end();
    assert!(ended.success && ended.stderr.is_empty() && ended.dumps.is_empty(), "{ended:?}");
}
