//! `try_install` returns what could not be installed, and `install` prints it.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program's stdout and stderr.
fn run(scenario: &str) -> (String, String) {
    run_in(Path::new("."), scenario)
}

/// Runs the program in this folder. Returns its stdout and stderr.
fn run_in(folder: &Path, scenario: &str) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_installs"));
    let output = command.arg(scenario).current_dir(folder).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (text(output.stdout), text(output.stderr))
}

/// An empty folder, which the test removes.
fn new_folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("diagnose-install-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("a folder");
    folder
}

/// The extensions of the files of a folder, sorted.
fn extensions(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let extension = |file: fs::DirEntry| Some(file.path().extension()?.to_string_lossy().into_owned());
    let mut extensions: Vec<String> = files.filter_map(extension).collect();
    extensions.sort();
    extensions
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

#[test]
fn a_format_that_is_named_twice_is_written_once_and_old_dumps_go() {
    let folder = new_folder("repeated");
    for _ in 0..2 {
        let (stdout, stderr) = run_in(&folder, "repeated");
        assert_eq!(stdout, "repeated: ok\n");
        assert_eq!(stderr.matches("diagnose: wrote ").count(), 2, "{stderr}");
    }
    let left = extensions(&folder);
    fs::remove_dir_all(folder).expect("it is there");
    assert_eq!(left, ["json", "txt"]);
}

#[test]
fn an_empty_list_in_code_is_named_and_ignored() {
    let folder = new_folder("empty");
    let (stdout, stderr) = run_in(&folder, "empty");
    let left = extensions(&folder);
    fs::remove_dir_all(folder).expect("it is there");
    assert_eq!(stdout, "empty: ok\n");
    assert!(stderr.contains("diagnose: ignoring `Builder::formats`: it names no format\n"), "{stderr}");
    assert!(
        stderr.contains("diagnose: ignoring `Builder::only(\" , \")`: it names no function\n"),
        "{stderr}"
    );
    assert_eq!(left, ["folded", "json", "svg", "txt"]);
}

#[test]
fn paths_are_those_of_the_folder_in_which_the_settings_were_installed() {
    let folder = new_folder("moves");
    fs::create_dir(folder.join("elsewhere")).expect("a folder");
    let (stdout, stderr) = run_in(&folder, "moves");
    let (here, elsewhere) =
        (extensions(&folder.join("dumps")), extensions(&folder.join("elsewhere").join("dumps")));
    fs::remove_dir_all(folder).expect("it is there");
    assert_eq!(stdout, "moves: ok\naccepted: true\n", "{stderr}");
    assert_eq!((here, elsewhere), (vec!["txt".to_owned(); 2], Vec::new()), "{stderr}");
}
