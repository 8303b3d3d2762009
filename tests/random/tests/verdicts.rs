//! In random programs, no task that is proven stuck goes on, and every stuck task is found. In
//! programs with unrecorded ways out, no task that is proven stuck goes on, and hardly any program
//! that ends has a likely verdict.
//!
//! Each runs in its own process: the threads of a test harness could hold what the programs share,
//! as far as the records show.

use std::process::{Command, Stdio};

/// The number of programs that takes a few seconds; `.ci/run` runs twenty times as many, optimized.
const SEEDS: u64 = 1_000;
/// The number of programs in each of two processes; here, too, `.ci/run` runs twenty times as many.
const UNRECORDED_SEEDS: u64 = 500;

#[test]
fn no_task_proven_stuck_goes_on_and_every_stuck_task_is_found() {
    let output = Command::new(env!("CARGO_BIN_EXE_random")).args(["0", &SEEDS.to_string()]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    println!("{text}");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let counts: Vec<u64> = text.split([' ', '\n']).filter_map(|word| word.parse().ok()).collect();
    let &[programs, ended, stuck, idle, missed, wrong] = &*counts else { panic!("six numbers: {text}") };
    assert_eq!((programs, ended + stuck + idle, missed, wrong), (SEEDS, SEEDS, 0, 0));
    assert!(ended > SEEDS / 10 && stuck > SEEDS / 10, "both kinds are among them");
}

#[test]
fn unrecorded_ways_out_make_no_proof_wrong_and_few_likely_verdicts() {
    let run = |first: u64| {
        Command::new(env!("CARGO_BIN_EXE_unrecorded"))
            .args([first.to_string(), UNRECORDED_SEEDS.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    // One for each of two processors, side by side.
    for process in [0, UNRECORDED_SEEDS].map(run) {
        let output = process.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        println!("{text}");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let last = text.lines().last().unwrap();
        let counts: Vec<u64> = last.split(' ').filter_map(|word| word.parse().ok()).collect();
        let &[programs, quiet, stuck, doubted, alarmed, wrong] = &*counts else {
            panic!("six numbers: {text}")
        };
        let all = quiet + stuck + doubted + alarmed;
        assert_eq!((programs, all, wrong), (UNRECORDED_SEEDS, UNRECORDED_SEEDS, 0));
        assert!(quiet > UNRECORDED_SEEDS / 10 && stuck > UNRECORDED_SEEDS / 10, "both kinds are among them");
    }
}
