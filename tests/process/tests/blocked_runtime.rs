//! A runtime that is stuck in a poll can still be dumped.
#![cfg(unix)]

use diagnose_process_tests::child::Program;

#[test]
fn the_poll_that_blocks_is_in_the_dump() {
    diagnose_isolation::isolated!();
    let mut program = Program::start(env!("CARGO_BIN_EXE_blocked"), &[], &[("DIAGNOSE_FORMATS", "json")]);
    assert_eq!(program.hear(), "ready");
    program.signal("USR1");
    let (_, json) = program.dump();
    let snapshot = diagnose::Snapshot::read_json(json.as_bytes()).expect("it is a snapshot");
    let running: Vec<&str> = snapshot
        .nodes
        .iter()
        .filter(|node| node.running == 1 && node.busy_ns > 0)
        .map(|node| snapshot.sites[node.site].name.as_str())
        .collect();
    assert_eq!(running, ["handler", "blocks"]);
    assert!(program.end().success);
}
