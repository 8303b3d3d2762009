//! A child process with a deadline: a program that hangs is killed, and its test fails.

use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, thread};

/// A command without the `DIAGNOSE*` variables of the test's own environment.
#[must_use]
pub fn command(path: &str) -> Command {
    let mut command = Command::new(path);
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("DIAGNOSE")) {
        command.env_remove(name);
    }
    command
}

/// Runs `command` to its end and returns what it wrote.
///
/// # Panics
/// If the program does not start, or does not end within `limit`.
#[must_use]
pub fn output(command: &mut Command, limit: Duration) -> Output {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    let process = child.id();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(limit) {
        Ok(output) => output.expect("its output can be read"),
        Err(_) => {
            let _ = Command::new("kill").args(["-KILL", &process.to_string()]).status();
            let output = receiver.recv_timeout(Duration::from_secs(10));
            panic!("{command:?} did not end within {limit:?}: {output:?}");
        }
    }
}
