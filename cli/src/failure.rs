//! Failures: one sentence on stderr, and exit status 2.

use std::fmt;
use std::io::{self, Write as _};

use diagnose_reports::clean_line;

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
}

impl Failure {
    /// Creates a failure from one sentence, lower case and without a final dot.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// Appends a clause.
    pub(crate) fn and(self, clause: &str) -> Self {
        Self::new(format!("{}; {clause}", self.message))
    }

    /// Prints it on stderr. A closed stderr is ignored.
    pub(crate) fn print(&self) {
        let _ = writeln!(io::stderr(), "diagnose: {self}");
    }
}

impl fmt::Display for Failure {
    /// Writes the message. It is cleaned here, because file names and other texts in it may contain
    /// any character.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&clean_line(&self.message))
    }
}

impl From<diagnose_reports::Error> for Failure {
    fn from(error: diagnose_reports::Error) -> Self {
        Self::new(error.to_string())
    }
}
