//! The command as a child process, and folders for its files.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The command's output and exit status.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) status: Option<i32>,
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            out: String::from_utf8(output.stdout).expect("the output is text"),
            err: String::from_utf8(output.stderr).expect("messages are text"),
            status: output.status.code(),
        }
    }
}

impl Outcome {
    /// The output of a successful run without messages.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.status, &self.err[..]), (Some(0), ""), "{self:?}");
        self.out
    }

    /// The message of a run with wrong usage or input: one sentence on one line, and no output.
    #[track_caller]
    pub(crate) fn refusal(self) -> String {
        assert_eq!((self.status, &self.out[..]), (Some(2), ""), "{self:?}");
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
        assert!(self.err.starts_with("diagnose: "), "{self:?}");
        self.err.trim_end().to_owned()
    }
}

/// The command, in an environment without settings for colors.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diagnose"));
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR"] {
        command.env_remove(name);
    }
    command.args(arguments).stdin(Stdio::null());
    command
}

pub(crate) fn run(arguments: &[&str]) -> Outcome {
    command(arguments).output().expect("the command starts").into()
}

pub(crate) fn run_with_input(arguments: &[&str], input: &[u8]) -> Outcome {
    let mut command = command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    // Fails if the command refuses its arguments, as it does not read then.
    let _ = child.stdin.take().expect("it is piped").write_all(input);
    child.wait_with_output().expect("the command ends").into()
}

/// A folder for the files of one test.
#[derive(Debug)]
pub(crate) struct Scratch(tempfile::TempDir);

impl Scratch {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("there is a folder for temporary files"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, and returns its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.at(name);
        std::fs::write(&path, content).expect("the file can be written");
        path.to_str().expect("the path is text").to_owned()
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.at(name).to_str().expect("the path is text").to_owned()
    }
}
