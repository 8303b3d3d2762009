//! SIGUSR1 writes the reports, and the program continues.
#![cfg(unix)]

use std::time::{Duration, Instant};

use diagnose_process_tests::child::Program;

const SERVER: &str = env!("CARGO_BIN_EXE_server");

fn ready(args: &[&str], variables: &[(&str, &str)]) -> Program {
    let mut program = Program::start(SERVER, args, variables);
    assert_eq!(program.hear(), "ready");
    program
}

fn ping(program: &mut Program) {
    program.say("ping");
    assert_eq!(program.hear(), "pong");
}

#[test]
fn a_signal_writes_four_files_and_the_program_carries_on() {
    diagnose_isolation::isolated!();
    let mut program = ready(&[], &[]);
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        for _ in 0..100 {
            ping(&mut program);
        }
        program.signal("USR1");
        let dumps: Vec<(String, String)> = (0..4).map(|_| program.dump()).collect();
        let extensions: Vec<&str> = dumps.iter().map(|(extension, _)| extension.as_str()).collect();
        assert_eq!(extensions, ["svg", "txt", "folded", "json"]);
        let has = |text: &str| text.contains("waits_for_ever") && text.contains("answer");
        for (extension, text) in &dumps[1..] {
            assert!(has(text), "{extension}: {text}");
        }
        // The picture omits narrow frames, and calls are narrow beside a wait that was delayed.
        if has(&dumps[0].1) {
            break;
        }
        assert!(Instant::now() < end, "{}", dumps[0].1);
    }
    ping(&mut program);
    program.signal("USR1");
    assert_eq!(program.dump().0, "svg");
    assert!(program.end().success);
}

#[test]
fn another_signal_can_be_chosen() {
    diagnose_isolation::isolated!();
    let mut program = ready(&[], &[("DIAGNOSE_SIGNAL", "SIGUSR2"), ("DIAGNOSE_FORMATS", "idle.folded")]);
    ping(&mut program);
    // The program answers "pong" shortly before it waits again.
    let source = include_str!("../src/bin/server.rs");
    let line = 1 + source.lines().position(|line| line.contains("lines.next_line()")).expect("it is there");
    let waits = format!("serve;lines.next_line().await (tests/process/src/bin/server.rs:{line});[idle] ");
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        program.signal("USR2");
        let (extension, text) = program.dump();
        assert_eq!(extension, "folded");
        if text.contains(&waits) {
            break;
        }
        assert!(Instant::now() < end, "{text}");
    }
    assert!(program.end().success);
}

#[test]
fn without_a_handler_the_signal_does_what_it_always_did() {
    diagnose_isolation::isolated!();
    let program = ready(&[], &[("DIAGNOSE_SIGNAL", "none")]);
    program.signal("USR1");
    let ended = program.end();
    assert!(!ended.success && ended.dumps.is_empty(), "{ended:?}");
}

#[test]
fn a_bad_setting_is_named_and_the_program_runs() {
    diagnose_isolation::isolated!();
    let mut program =
        ready(&[], &[("DIAGNOSE_SIGNAL", "KILL"), ("DIAGNOSE_FORMATS", "gif,txt"), ("DIAGNOSE", "maybe")]);
    program.signal("USR1");
    ping(&mut program);
    let ended = program.end();
    assert!(ended.success);
    for named in ["DIAGNOSE_SIGNAL=`KILL`", "DIAGNOSE_FORMATS", "`gif`", "DIAGNOSE=`maybe`"] {
        assert!(ended.stderr.contains(named), "{named} in {}", ended.stderr);
    }
}
