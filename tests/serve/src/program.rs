//! The program `serves` as a child process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

/// A running `serves`. It is killed if the test ends without [`end`](Program::end).
#[derive(Debug)]
pub struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Program {
    /// Starts `serves` with arguments and environment variables.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn start(path: &str, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(path);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("DIAGNOSE") {
                command.env_remove(name);
            }
        }
        command.args(args).envs(variables.iter().copied()).env("DIAGNOSE_DIR", std::env::temp_dir());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        Self { child, stdin, stdout }
    }

    /// Waits for the next line of its standard output.
    ///
    /// # Panics
    /// If the line is not text.
    pub fn hear(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("text");
        line.trim_end().to_owned()
    }

    /// Writes a line to its standard input.
    ///
    /// # Panics
    /// If it does not read any more.
    pub fn say(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().expect("it is piped"), "{line}").expect("the program reads");
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by name, `TERM`.
    ///
    /// # Panics
    /// If that fails.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("there is a shell").success());
    }

    /// Closes its stdin, so that it exits, and waits for it. Returns its status and its stderr.
    ///
    /// # Panics
    /// If it cannot be waited for.
    #[must_use]
    pub fn end(mut self) -> (ExitStatus, String) {
        drop(self.stdin.take());
        let mut stderr = String::new();
        self.child.stderr.take().expect("it is piped").read_to_string(&mut stderr).expect("text");
        (self.child.wait().expect("it is a child"), stderr)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
