//! The threads of this crate take no signal from the program, and their writes end nothing.
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};

const LIMIT: Duration = Duration::from_secs(60);

/// What the program prints on stdout and stderr, with a folder for its dumps; its status has to be
/// that of a program that has ended by itself.
fn output_of(mode: &str) -> (String, String) {
    let folder = std::env::temp_dir().join(format!("diagnose-signals-{mode}-{}", std::process::id()));
    let mut command = command(env!("CARGO_BIN_EXE_signals"));
    command.arg(mode).env("DIAGNOSE_DIR", &folder).env("DIAGNOSE_FORMATS", "txt");
    let output = output(&mut command, LIMIT);
    let _ = std::fs::remove_dir_all(&folder);
    assert!(output.status.success(), "{output:?}");
    (String::from_utf8(output.stdout).expect("text"), String::from_utf8(output.stderr).expect("text"))
}

/// What the program prints on stdout.
fn run(mode: &str) -> String {
    output_of(mode).0
}

#[test]
fn a_signal_that_the_program_blocks_and_waits_for_is_left_to_it() {
    assert_eq!(run("sigwait"), "waited for SIGTERM\n");
    let (stdout, stderr) = output_of("dumps");
    assert_eq!(stdout, "waited for SIGUSR1\ndumped\n");
    let reason = "diagnose: SIGUSR1 is blocked in the thread that installs diagnose: it writes no dump until";
    assert!(stderr.starts_with(reason), "{stderr}");
}

#[test]
fn the_function_of_on_alarm_has_the_signal_mask_of_the_program() {
    assert_eq!(run("alarm"), "SIGTERM true SIGHUP false\n");
    assert_eq!(run("later"), "SIGTERM true SIGHUP false\n");
}

#[test]
fn a_program_that_closes_all_descriptors_has_its_dumps_and_its_sockets_to_itself() {
    assert_eq!(run("closed"), "quiet\n");
    assert_eq!(run("daemon"), "quiet\n");
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn a_real_time_signal_that_the_program_blocks_is_left_to_it() {
    assert_eq!(run("stack"), "copied\n");
}

#[test]
fn a_program_whose_stderr_has_no_reader_survives_its_dump() {
    let folder = std::env::temp_dir().join(format!("diagnose-signals-{}", std::process::id()));
    let mut command = command(env!("CARGO_BIN_EXE_signals"));
    command.arg("pipe").env("DIAGNOSE_DIR", &folder).env("DIAGNOSE_FORMATS", "txt");
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the program starts");
    drop(child.stderr.take());
    drop(child.stdin.take());
    let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    let lines: Vec<String> = stdout.lines().map(|line| line.expect("text")).collect();
    let status = child.wait().expect("it has been started");
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!((lines.as_slice(), status.code()), (&["alive".to_owned()][..], Some(0)), "{status}");
}
