//! A process ends although its end interrupts what a dump needs, and dumps if it can.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Output;
use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};

/// A dump whose thread is blocked is given up after some ten seconds.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs the program; returns its output and the number of dumps.
fn run(mode: &str, number: u32) -> (Output, usize) {
    let name = format!("diagnose-exits-{}-{mode}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let mut command = command(env!("CARGO_BIN_EXE_exits"));
    command.args([mode, &number.to_string()]).env("DIAGNOSE_ON_EXIT", "1");
    let output = output(command.env("DIAGNOSE_DIR", &folder).env("DIAGNOSE_FORMATS", "txt"), LIMIT);
    let files = fs::read_dir(&folder).expect("`install` has created it");
    let paths = files.map(|file| file.expect("it is there").path());
    let dumps = paths.filter(|path| path.extension().is_some_and(|extension| extension == "txt")).count();
    fs::remove_dir_all(&folder).expect("it can be removed");
    (output, dumps)
}

/// The process has ended, and it has written a dump or says that there is none.
fn ends(mode: &str, number: u32) {
    let (output, dumps) = run(mode, number);
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    let words = String::from_utf8_lossy(&output.stderr);
    let is_written = words.contains("diagnose: wrote ");
    assert!(is_written || words.contains("diagnose: no dump at exit"), "{output:?}");
    assert_eq!(dumps, usize::from(is_written), "{output:?}");
}

#[test]
fn a_handler_that_exits_in_an_allocation_ends_the_process_without_a_dump() {
    let modes = ["allocator", "dumping"];
    std::thread::scope(|scope| {
        for mode in modes {
            scope.spawn(move || {
                let (output, dumps) = run(mode, 0);
                assert_eq!((output.status.code(), dumps), (Some(7), 0), "{output:?}");
                let words = String::from_utf8_lossy(&output.stderr);
                assert_eq!(words, "diagnose: no dump at exit: its thread is blocked\n");
            });
        }
    });
}

#[test]
fn a_handler_that_exits_in_the_first_recorded_call_ends_the_process() {
    std::thread::scope(|scope| {
        for number in 1..=16 {
            scope.spawn(move || ends("first", number));
        }
    });
}

#[test]
fn a_handler_that_exits_anywhere_ends_the_process() {
    for number in 0..12 {
        ends("malloc", number);
        ends("recorder", number);
    }
}
