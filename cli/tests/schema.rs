//! The output of `--json` follows `docs/command.schema.json`.

use boon::{Compiler, Schemas};
use serde_json::Value;

use crate::support::{Scratch, run, server};

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/command.schema.json");

/// Checks that the schema accepts a text. The error is the schema's complaint.
fn check(text: &str) -> Result<(), String> {
    let mut schemas = Schemas::new();
    let schema = Compiler::new().compile(SCHEMA, &mut schemas).map_err(|error| format!("{error:#}"))?;
    let value: Value = serde_json::from_str(text).map_err(|error| format!("{error}: {text}"))?;
    schemas.validate(&value, schema).map_err(|error| format!("{error:#}\n{text}"))
}

#[track_caller]
fn assert_valid(text: &str) {
    if let Err(error) = check(text) {
        panic!("{error}");
    }
}

#[test]
fn every_command_prints_what_the_schema_says() {
    let scratch = Scratch::new();
    let input = scratch.file("a.json", server());
    let [picture, folded, merged] = ["x.svg", "x.folded", "all.json"].map(|name| scratch.text(name));
    for arguments in [
        &["show", &input][..],
        &["top", &input],
        &["flame", &input, "-o", &picture],
        &["open", &input, "-o", &picture, "--no-open"],
        &["convert", &input, &folded],
        &["tasks", &input],
        &["waiters", &input],
        &["verdicts", &input],
        &["findings", &input],
        &["explain"],
        &["explain", "contended"],
        &["diff", &input, &input],
        &["merge", &input],
        &["merge", &input, "-o", &merged],
    ] {
        let outcome = run(&[arguments, &["--json"]].concat());
        assert_eq!(outcome.err, "", "{arguments:?}");
        assert_valid(&outcome.out);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn verdicts_on_a_hanging_program_match_the_schema() {
    use crate::support::{Running, program};

    let scratch = Scratch::new();
    let running = Running::program(&["deadlock"], scratch.path());
    // The tasks may not wait yet at the first dump.
    let found =
        (0..100).map(|_| run(&["dump", &running.pid()])).find(|it| it.out.contains("verdict: proven cycle"));
    assert!(found.is_some(), "the cycle is found");
    assert_valid(&run(&["dump", &running.pid(), "--json"]).out);
    let folder = scratch.path().to_str().expect("the path is text");
    for (command, list) in
        [("tasks", "tasks"), ("waiters", "resources"), ("verdicts", "verdicts"), ("findings", "findings")]
    {
        let text = run(&[command, folder, "--json"]).out;
        assert_valid(&text);
        let page: Value = serde_json::from_str(&text).expect("it is JSON");
        assert!(page[list].as_array().is_some_and(|list| !list.is_empty()), "{text}");
    }
    let program = program();
    let program = program.to_str().expect("the path is text");
    assert_valid(&run(&["run", "--json", "--", program, "work"]).out);
    assert_valid(&run(&["run", "--json", "-o", &scratch.text("x.txt"), "--", program, "work"]).out);
}

#[test]
fn the_schema_refuses_what_no_command_prints() {
    assert!(check("{}").is_err());
    assert!(check(r#"{"version": 1, "command": "top"}"#).is_err());
    let scratch = Scratch::new();
    let input = scratch.file("a.json", server());
    let text = run(&["top", &input, "--json"]).ok();
    assert_valid(&text);
    assert!(check(&text.replacen("\"calls\"", "\"callz\"", 1)).is_err());
    assert!(check(&text.replacen("\"command\": \"top\"", "\"command\": \"pot\"", 1)).is_err());
}
