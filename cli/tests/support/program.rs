//! The program of `examples/program.rs`, as a child process.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A running program, killed at the end of the test.
#[derive(Debug)]
pub(crate) struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Starts the program in a folder, and waits until it is ready.
    pub(crate) fn program(arguments: &[&str], folder: &Path) -> Self {
        let mut command = Command::new(program());
        command.args(arguments).current_dir(folder);
        Self::start(command)
    }

    /// Starts a command, and waits for its first line.
    pub(crate) fn start(mut command: Command) -> Self {
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("DIAGNOSE"))
        {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let mut line = String::new();
        let out = child.stdout.as_mut().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("the program prints a line");
        assert_eq!(line, "ready\n");
        Self(child)
    }

    pub(crate) fn pid(&self) -> String {
        self.0.id().to_string()
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        self.0.try_wait().expect("it can be waited for").is_none()
    }
}

/// The path of the program, which cargo builds with the tests.
pub(crate) fn program() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let folder = test.ancestors().nth(2).expect("tests are in a folder `deps`");
    let program = folder.join("examples").join("program");
    assert!(program.exists(), "`cargo test` builds the examples; `cargo build --examples` does so alone");
    program
}
