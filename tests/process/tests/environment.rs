//! The environment chooses what is recorded, without a rebuild.

use diagnose_process_tests::child::Program;

fn names(variables: &[(&str, &str)]) -> Vec<String> {
    let mut all = vec![("DIAGNOSE_ON_EXIT", "1"), ("DIAGNOSE_FORMATS", "json")];
    all.extend(variables);
    let mut program = Program::start(env!("CARGO_BIN_EXE_server"), &[], &all);
    assert_eq!(program.hear(), "ready");
    program.say("ping");
    assert_eq!(program.hear(), "pong");
    let ended = program.end();
    let snapshot = diagnose::Snapshot::read_json(ended.dumps["json"].as_bytes()).expect("it is a snapshot");
    assert_eq!(snapshot.enabled, !variables.contains(&("DIAGNOSE", "off")));
    snapshot.nodes.iter().map(|node| snapshot.sites[node.site].name.clone()).collect()
}

#[test]
fn everything_is_recorded_by_default() {
    diagnose_isolation::isolated!();
    let everything = [
        "serve",
        "answer(&line).await",
        "answer",
        "lines.next_line().await",
        "waits_for_ever",
        "std::future::pending::<()>().await",
    ];
    assert_eq!(names(&[]), everything);
}

#[test]
fn off_records_nothing() {
    diagnose_isolation::isolated!();
    assert!(names(&[("DIAGNOSE", "off")]).is_empty());
}

#[test]
fn only_the_named_functions_are_recorded() {
    diagnose_isolation::isolated!();
    assert_eq!(names(&[("DIAGNOSE_ONLY", "server::ans*")]), ["answer"]);
}

#[test]
fn tasks_only_leaves_out_what_is_inside_them() {
    diagnose_isolation::isolated!();
    assert_eq!(names(&[("DIAGNOSE_TASKS_ONLY", "1")]), ["serve", "waits_for_ever"]);
}
