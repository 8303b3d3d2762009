//! Runs a test in a separate process, although it shares its program with other tests.
//!
//! The recorder, its switches and its clock are one per process, and a test that asserts on all of
//! them must not see another test's. One program per test gives that, but linking a program takes
//! longer than most tests. So the tests of a package are one program, and a test that begins with
//! [`isolated!`] starts this program once more for itself alone.

use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, thread};

/// Names the test that a process was started for.
const TEST: &str = "ISOLATED_TEST";

/// A test that takes longer fails, instead of holding up all others.
const LIMIT: Duration = Duration::from_secs(20 * 60);

/// Continues the test in a separate process.
///
/// Must come first in a test, before anything is recorded. The original returns here once the other
/// process has run the test, and panics if the test failed there.
#[macro_export]
macro_rules! isolated {
    () => {
        fn isolated_test() {}
        if $crate::is_done_elsewhere(std::any::type_name_of_val(&isolated_test)) {
            return;
        }
    };
}

/// Runs the test around the function `marker` in a separate process, unless this is that process.
///
/// # Panics
/// If the test fails there, does not end, or is not found.
#[must_use]
pub fn is_done_elsewhere(marker: &str) -> bool {
    let test = test_around(marker);
    if env::var(TEST).is_ok_and(|it| it == test) {
        return false;
    }
    let program = env::current_exe().expect("a running program has a file");
    let mut command = Command::new(program);
    // The thread of a test has the test's name only if the runner uses several threads. So the name
    // comes from the compiler.
    command.args(["--exact", &test]).env(TEST, &test);
    command.args(env::args().filter(|argument| argument == "--nocapture"));
    let output = output(&mut command).unwrap_or_else(|| panic!("{test} did not end within {LIMIT:?}"));
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}");
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{test} failed in a process of its own: {}", output.status);
    // The runner reports success if a name matches no test.
    assert!(text.contains("test result: ok. 1 passed"), "{test} is not a test");
    true
}

/// Runs the command to its end, which must come within the limit.
fn output(command: &mut Command) -> Option<Output> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("it is this program");
    let (send, output) = mpsc::channel();
    thread::spawn(move || send.send(child.wait_with_output()));
    Some(output.recv_timeout(LIMIT).ok()?.expect("its output can be read"))
}

/// `module::claim` of `program::module::claim::isolated_test`, with the closures around it left
/// out.
fn test_around(marker: &str) -> String {
    let parts: Vec<&str> = marker.split("::").filter(|part| *part != "{{closure}}").collect();
    parts[1..parts.len() - 1].join("::")
}

#[cfg(test)]
mod tests {
    use super::test_around;

    #[test]
    fn the_name_of_a_test_is_its_path_in_the_program() {
        assert_eq!(test_around("suite::sums::claim::isolated_test"), "sums::claim");
        assert_eq!(test_around("suite::claim::{{closure}}::isolated_test"), "claim");
    }

    #[test]
    fn an_isolated_test_runs_in_another_process() {
        crate::isolated!();
        assert_eq!(
            std::env::var(super::TEST).as_deref(),
            Ok("tests::an_isolated_test_runs_in_another_process")
        );
    }

    #[test]
    #[should_panic(expected = "failed in a process of its own")]
    fn a_failure_in_the_other_process_fails_the_test() {
        crate::isolated!();
        // Exits without the expected panic, so that the test fails in this process.
        std::process::exit(1);
    }
}
