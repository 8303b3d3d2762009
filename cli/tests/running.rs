//! `diagnose run`: settings, reports, exit statuses, interruptions.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use crate::support::{Outcome, Scratch, command, program, run};
use diagnose_reports::Snapshot;

/// `diagnose run FLAGS -- program ARGUMENTS`.
fn run_program(flags: &[&str], arguments: &[&str]) -> Outcome {
    let program = program();
    let program = program.to_str().expect("the path is text");
    run(&[&["run"], flags, &["--", program], arguments].concat())
}

#[test]
fn a_program_runs_and_is_reported() {
    let text = run_program(&[], &["work"]).out;
    assert!(text.starts_with("ready\n"), "the program's own output comes first: {text}");
    assert!(text.contains("checksum"), "{text}");
}

#[test]
fn the_exit_status_is_that_of_the_program() {
    let outcome = run_program(&[], &["fail"]);
    assert_eq!(outcome.status, Some(3));
    assert!(outcome.out.contains("checksum"), "{outcome:?}");
    assert_eq!(run(&["run", "--", "sh", "-c", "kill -TERM $$"]).status, Some(128 + 15));
}

#[test]
fn a_program_that_writes_no_dump_is_reported() {
    let outcome = run(&["run", "true"]);
    assert_eq!((outcome.status, &outcome.out[..]), (Some(2), ""));
    assert!(
        outcome.err.starts_with("diagnose: `true` left no dump: it has to be built with diagnose"),
        "{outcome:?}"
    );
    let failed = run(&["run", "false"]);
    assert_eq!(failed.status, Some(1), "its own failure comes first");
    assert!(failed.err.starts_with("diagnose: `false` ended with status 1 and left no dump"), "{failed:?}");
    let crashed = run(&["run", "--", "sh", "-c", "kill -ABRT $$"]);
    assert_eq!(crashed.status, Some(128 + 6));
    assert!(crashed.err.contains("diagnose: `sh` was ended by SIGABRT, so it left no dump"), "{crashed:?}");
    let message = run(&["run", "no/such/program"]).refusal();
    assert!(message.starts_with("diagnose: cannot run `no/such/program`: "), "{message}");
}

#[test]
fn flags_are_settings_of_the_program() {
    let text = run_program(&["--only", "*::handle"], &["work"]).out;
    assert!(text.contains("handle") && !text.contains("checksum"), "{text}");
    let text = run_program(&["--tasks-only"], &["work"]).out;
    assert!(text.contains("handle") && !text.contains("checksum"), "{text}");
    let shell = ["run", "--lock-order", "--watchdog", "50ms", "--", "sh", "-c", "env; exit 4"];
    let shown = run(&shell).out;
    for variable in ["DIAGNOSE_LOCK_ORDER=1", "DIAGNOSE_WATCHDOG=50000us", "DIAGNOSE_ON_EXIT=1"] {
        assert!(shown.lines().any(|line| line == variable), "{variable}: {shown}");
    }
}

#[test]
fn json_is_not_mixed_with_the_programs_output() {
    let outcome = run_program(&["--json"], &["work"]);
    let snapshot = Snapshot::read_json(outcome.out.as_bytes()).expect("it is a snapshot alone");
    assert!(snapshot.nodes.iter().any(|node| node.calls == 1_000));
    assert!(outcome.err.contains("ready"), "{outcome:?}");
}

#[test]
fn the_report_goes_where_it_is_asked_for() {
    let scratch = Scratch::new();
    let picture = scratch.text("x.svg");
    let outcome = run_program(&["-o", &picture], &["work"]);
    assert_eq!(outcome.out, format!("ready\nwrote {picture}\n"));
    assert!(std::fs::read_to_string(&picture).unwrap().contains("<svg"));
    let folder = scratch.text("kept");
    assert_eq!(run_program(&["--dir", &folder], &["work"]).status, Some(0));
    assert!(run(&["top", &folder]).ok().contains("checksum"), "the snapshot is kept");
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_the_program_runs() {
    let scratch = Scratch::new();
    for file in ["x.bogus", "x", "none/x.svg"] {
        let outcome = run_program(&["-o", &scratch.text(file)], &["work"]);
        assert_eq!((outcome.status, &outcome.out[..]), (Some(2), ""), "{file}: {outcome:?}");
    }
}

#[test]
fn a_recording_whose_report_cannot_be_written_is_kept() {
    let scratch = Scratch::new();
    let file = scratch.text("x.svg");
    std::fs::create_dir(&file).expect("it is new");
    let outcome = run_program(&["-o", &file], &["work"]);
    assert_eq!(outcome.status, Some(2), "{outcome:?}");
    let folder =
        outcome.err.split("what was recorded is in `").nth(1).and_then(|rest| rest.split('`').next());
    let folder = folder.expect("it is named").to_owned();
    assert!(run(&["top", &folder]).ok().contains("checksum"));
    std::fs::remove_dir_all(folder).expect("it is there");
}

#[test]
fn a_full_report_in_a_file_has_all_rows() {
    let scratch = Scratch::new();
    let file = scratch.text("x.txt");
    assert_eq!(
        run_program(&["--full", "-o", &file, "--dir", &scratch.text("kept")], &["work"]).status,
        Some(0)
    );
    let full = run(&["show", "--full", &scratch.text("kept")]).ok();
    assert_eq!(std::fs::read_to_string(&file).expect("it was written"), full);
}

#[cfg(target_os = "linux")]
#[test]
fn processes_that_are_added_up_lose_their_hangs_and_it_is_said() {
    let scratch = Scratch::new();
    let shell = format!("'{0}' deadlock & '{0}' serve", program().display());
    let report = scratch.text("x.txt");
    let outcome = run(&["run", "--duration", "500ms", "-o", &report, "--", "sh", "-c", &shell]);
    assert!(
        outcome.err.contains("2 processes are added up without their live tasks and hangs"),
        "{outcome:?}"
    );
    let text = std::fs::read_to_string(&report).expect("it was written");
    assert!(text.contains("live tasks are left out of a merged snapshot"), "{text}");
}

/// A shell lets what it has started in the background ignore Ctrl-C.
#[cfg(target_os = "linux")]
#[test]
fn no_process_outlives_the_end_of_the_duration() {
    let scratch = Scratch::new();
    let pid = scratch.text("pid");
    let shell = format!("sleep 1000 & echo $! > '{pid}'");
    let outcome =
        run(&["run", "--duration", "300ms", "--", "sh", "-c", &format!("{shell}; exec sleep 1000")]);
    assert_eq!(outcome.status, Some(2), "neither leaves a dump: {outcome:?}");
    let pid = std::fs::read_to_string(pid).expect("the shell has written it");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
}

#[test]
fn only_files_that_stay_are_named() {
    for (flags, arguments) in [(&[][..], "work"), (&["--duration", "300ms"], "serve")] {
        let outcome = run_program(flags, &[arguments]);
        assert!(!outcome.err.contains("wrote"), "{outcome:?}");
    }
    let scratch = Scratch::new();
    let folder = scratch.text("kept");
    let outcome = run_program(&["--dir", &folder], &["work"]);
    assert!(outcome.err.starts_with(&format!("diagnose: wrote {folder}/diagnose-")), "{outcome:?}");
}

#[test]
fn the_end_of_the_duration_interrupts_the_program() {
    let outcome = run_program(&["--duration", "300ms"], &["serve"]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    assert!(outcome.out.contains("checksum"), "{outcome:?}");
}

/// The command, with no signal ignored, also if the tests run in the background.
fn listening(arguments: &[&str]) -> Command {
    if !cfg!(target_os = "linux") {
        return command(arguments);
    }
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(env!("CARGO_BIN_EXE_diagnose")).args(arguments).stdin(Stdio::null());
    command
}

/// Sends a signal, such as `-INT`.
fn signal(child: &Child, name: &str) {
    let kill = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(kill.expect("there is a `kill`").success());
}

#[test]
fn an_interrupt_writes_a_dump_first() {
    let scratch = Scratch::new();
    let program = program();
    // As with `cargo run`, the program is a child of the child: here the child is a shell.
    let script = format!("'{}' serve; exit 7", program.display());
    let mut child = listening(&["run", "--json", "-o", &scratch.text("all.json"), "--", "sh", "-c", &script]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    assert_eq!(lines.next().expect("it prints").expect("a line"), "ready");
    signal(&child, "-INT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let saved = std::fs::read(scratch.at("all.json")).expect("the report was written");
    let snapshot = Snapshot::read_json(&saved[..]).expect("it is a snapshot");
    assert!(snapshot.nodes.iter().any(|node| node.calls > 0));
}

/// The dump at its end has no live tasks any more.
#[test]
fn the_dump_at_the_interrupt_is_printed_not_the_one_at_the_end() {
    let program = program();
    let program = program.to_str().expect("the path is text");
    let mut child = listening(&["run", "--", program, "polite"]);
    let mut child = child.stdout(Stdio::piped()).spawn().expect("the command starts");
    let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut text = String::new();
    out.read_line(&mut text).expect("it prints");
    assert_eq!(text, "ready\n");
    signal(&child, "-INT");
    std::io::Read::read_to_string(&mut out, &mut text).expect("the report is text");
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{text}");
    assert!(text.contains("checksum") && !text.contains("says_goodbye"), "{text}");
}

/// As under `nohup`.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let run = |signal: &str, flags: &[&str], script: &str| -> Outcome {
        let mut command = Command::new("env");
        command.arg(format!("--ignore-signal={signal}")).arg(env!("CARGO_BIN_EXE_diagnose")).arg("run");
        command.args(flags).args(["--", "sh", "-c", script]).stdin(Stdio::null());
        command.output().expect("the command starts").into()
    };
    let outcome = run("HUP", &[], "grep SigIgn /proc/self/status; kill -HUP $PPID; exit 7");
    assert_eq!(outcome.status, Some(7), "the program is not interrupted: {outcome:?}");
    let ignored = outcome.out.trim().strip_prefix("SigIgn:").expect("a line of the status").trim();
    let ignored = u64::from_str_radix(ignored, 16).expect("a set of signals");
    assert_eq!(ignored & 1, 1, "the program ignores SIGHUP, too");
    // The program would not notice an interrupt.
    let script = "trap 'echo ended; exit 0' TERM; echo ready; while :; do sleep 0.01; done";
    let outcome = run("INT", &["--duration", "300ms"], script);
    assert_eq!(outcome.out, "ready\nended\n", "{outcome:?}");
}

#[test]
fn the_end_of_the_duration_interrupts_a_program_that_has_the_terminal() {
    let outcome = run_program(&["-i", "--duration", "300ms"], &["serve"]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    assert!(outcome.out.contains("checksum"), "{outcome:?}");
    // It has no handler for the signal that asks for a dump, and ends by the interrupt.
    let outcome = run(&["run", "-i", "--duration", "10ms", "--", "sleep", "1000"]);
    assert_eq!((outcome.status, &outcome.out[..]), (Some(2), ""), "{outcome:?}");
    assert!(outcome.err.starts_with("diagnose: `sleep` left no dump"), "{outcome:?}");
}

#[test]
fn a_signal_from_another_process_reaches_a_program_that_has_the_terminal() {
    for name in ["-INT", "-TERM", "-HUP"] {
        let program = program();
        let mut child = listening(&["run", "-i", "--", program.to_str().expect("the path is text"), "serve"]);
        let mut child = child.stdout(Stdio::piped()).spawn().expect("the command starts");
        let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut text = String::new();
        out.read_line(&mut text).expect("it prints");
        assert_eq!(text, "ready\n");
        signal(&child, name);
        std::io::Read::read_to_string(&mut out, &mut text).expect("the report is text");
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{name}: {text}");
        // It may have had no time to call anything.
        assert!(text.contains("\nprogram (pid "), "{name}: {text}");
    }
}

/// `script` makes a terminal, which sends Ctrl-C to the command and to the program.
#[test]
#[cfg(target_os = "linux")]
fn a_program_that_survives_ctrl_c_goes_on_and_keeps_its_exit_status() {
    // Ctrl-C may come before or during a `read`, which it ends.
    let shell = "trap \"echo caught\" INT; echo ready; until [ \"$a\" = end ]; do read a; done; exit 3";
    // Without `exec`, a shell that waits for the command gets Ctrl-C too, and some end with 130.
    let line = format!("exec '{}' run -i -- sh -c '{shell}'", env!("CARGO_BIN_EXE_diagnose"));
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    let script = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    // Not every system has it.
    let Ok(mut script) = script else { return };
    let mut keys = script.stdin.take().expect("it is piped");
    let mut lines = BufReader::new(script.stdout.take().expect("it is piped")).lines();
    let mut next = |word: &str| {
        let found = lines.by_ref().map_while(Result::ok).find(|line| line.contains(word));
        assert!(found.is_some(), "`{word}` is printed");
    };
    next("ready");
    keys.write_all(b"\x03").expect("the terminal reads");
    next("caught");
    keys.write_all(b"end\n").expect("the terminal reads");
    next("ended with status 3 and left no dump");
    assert_eq!(script.wait().expect("it ends").code(), Some(3));
}
