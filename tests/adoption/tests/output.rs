//! With the additional line, the program prints the same output as before.

use std::process::{Command, Output};

fn run(program: &str, recording: &str) -> Output {
    Command::new(program).env("DIAGNOSE", recording).output().unwrap()
}

fn prints_the_same(recording: &str) {
    let plain = run(env!("CARGO_BIN_EXE_unadopted"), recording);
    let adopted = run(env!("CARGO_BIN_EXE_adopted"), recording);
    let text = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    let errors = String::from_utf8_lossy(&adopted.stderr).into_owned();
    assert!(text(&plain).lines().count() > 30, "the program runs: {}", text(&plain));
    assert_eq!(text(&plain), text(&adopted), "{errors}");
    assert_eq!(plain.status, adopted.status);
}

#[test]
fn an_adopted_program_prints_what_it_printed() {
    diagnose_isolation::isolated!();
    prints_the_same("on");
}

#[test]
fn an_adopted_program_that_is_not_recorded_prints_what_it_printed() {
    diagnose_isolation::isolated!();
    prints_the_same("off");
}
