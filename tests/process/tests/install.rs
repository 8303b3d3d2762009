//! `try_install` returns what could not be installed, and `install` prints it.
#![cfg(unix)]

use std::process::Command;

/// The program's stdout and stderr.
fn run(scenario: &str) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_installs")).arg(scenario).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (text(output.stdout), text(output.stderr))
}

#[test]
fn settings_that_are_in_force_stay_unless_they_are_replaced() {
    let again = "settings are installed already, and stay; `Builder::reinstall` replaces them";
    let (stdout, stderr) = run("twice");
    assert_eq!(stdout, format!("first: ok\nsecond: {again}\nreplaced: ok\nback: ok\n"));
    assert_eq!(stderr, format!("diagnose: {again}\n"));
}

#[test]
fn settings_may_be_replaced_at_any_moment() {
    // Also while the thread of the settings before begins to listen.
    assert_eq!(run("often"), (String::new(), String::new()));
}

#[test]
fn a_signal_that_the_program_handles_is_left_to_it() {
    let (stdout, _) = run("taken");
    assert_eq!(
        stdout,
        "taken: SIGUSR1 has a handler already, so it does not ask for a dump; `Builder::signal` or DIAGNOSE_SIGNAL \
         names another one\nanother: ok\n"
    );
}

#[test]
fn errors_after_the_first_one_are_printed() {
    let (stdout, stderr) = run("several");
    assert!(stdout.starts_with("several: SIGUSR1 has a handler already"), "{stdout}");
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{stderr}");
    assert!(
        lines[0].starts_with("diagnose: cannot make the folder for dumps, `/dev/null/dumps`: "),
        "{stderr}"
    );
    assert!(lines[1].starts_with("diagnose: cannot serve on `unix:/dev/null/socket`: "), "{stderr}");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let (stdout, _) = run("no folder");
    assert!(
        stdout.starts_with("no folder: cannot make the folder for dumps, `/dev/null/dumps`: "),
        "{stdout}"
    );
}
