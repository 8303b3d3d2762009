//! The one error of this crate: what could not be done, with what, and why.
//!
//! The cause is part of the message, so it is not a [source](std::error::Error::source) too: who prints the chain would read it
//! twice. The kinds stay private, so that a new one is not a breaking change.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::model::VERSION;

/// Why a report could not be written, or a snapshot not be read.
///
/// # Examples
/// ```
/// let error = "pdf".parse::<diagnose_reports::Format>().unwrap_err();
/// assert!(error.to_string().starts_with("unknown format `pdf`: accepted are svg, "));
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
}

#[derive(Debug)]
enum ErrorKind {
    /// A string or a file name that names no format.
    UnknownFormat { name: String, accepted: String },
    /// A format that this build leaves out.
    FeatureOff { format: &'static str, feature: &'static str },
    /// A file that could not be written; the path is the one that was asked for.
    WriteFile { path: PathBuf, source: io::Error },
    /// A writer that failed.
    Write { source: io::Error },
    /// A reader that failed.
    Read { source: io::Error },
    /// Bytes that are not a saved snapshot.
    Parse { source: serde_json::Error },
    /// A saved snapshot of another version of the format.
    Version { found: u32, producer: String },
    /// A saved snapshot that contradicts itself.
    Inconsistent { what: String },
}

impl Error {
    #[cold]
    pub(crate) fn unknown_format(name: &str, accepted: String) -> Self {
        ErrorKind::UnknownFormat { name: name.to_owned(), accepted }.into()
    }

    #[cold]
    pub(crate) fn feature_off(format: &'static str, feature: &'static str) -> Self {
        ErrorKind::FeatureOff { format, feature }.into()
    }

    #[cold]
    pub(crate) fn write_file(path: &Path, source: io::Error) -> Self {
        ErrorKind::WriteFile { path: path.to_owned(), source }.into()
    }

    #[cold]
    pub(crate) fn write(source: io::Error) -> Self {
        ErrorKind::Write { source }.into()
    }

    #[cold]
    pub(crate) fn read(source: io::Error) -> Self {
        ErrorKind::Read { source }.into()
    }

    #[cold]
    pub(crate) fn parse(source: serde_json::Error) -> Self {
        ErrorKind::Parse { source }.into()
    }

    #[cold]
    pub(crate) fn version(found: u32, producer: String) -> Self {
        ErrorKind::Version { found, producer }.into()
    }

    #[cold]
    pub(crate) fn inconsistent(what: String) -> Self {
        ErrorKind::Inconsistent { what }.into()
    }
}

impl Error {
    /// The I/O error that caused it, if one did.
    #[must_use]
    pub fn io_error(&self) -> Option<&io::Error> {
        match &self.kind {
            ErrorKind::WriteFile { source, .. }
            | ErrorKind::Write { source }
            | ErrorKind::Read { source } => Some(source),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::UnknownFormat { name, accepted } => {
                write!(f, "unknown format `{name}`: accepted are {accepted}")
            }
            ErrorKind::FeatureOff { format, feature } => {
                write!(
                    f,
                    "format `{format}` is not in this build: it needs the feature `{feature}` of `diagnose-reports`"
                )
            }
            ErrorKind::WriteFile { path, source } => write!(f, "cannot write `{}`: {source}", path.display()),
            ErrorKind::Write { source } => write!(f, "cannot write the report: {source}"),
            ErrorKind::Read { source } => write!(f, "cannot read the snapshot: {source}"),
            ErrorKind::Parse { source } => write!(f, "not a saved snapshot: {source}"),
            ErrorKind::Version { found, producer } => {
                write!(f, "the snapshot has version {found}, but this reader knows version {VERSION} only")?;
                if producer.is_empty() { Ok(()) } else { write!(f, " (it was written by `{producer}`)") }
            }
            ErrorKind::Inconsistent { what } => write!(f, "the snapshot contradicts itself: {what}"),
        }
    }
}

impl std::error::Error for Error {
    /// What caused the cause, which the message names.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::WriteFile { source, .. }
            | ErrorKind::Write { source }
            | ErrorKind::Read { source } => source.source(),
            ErrorKind::Parse { source } => source.source(),
            ErrorKind::UnknownFormat { .. }
            | ErrorKind::FeatureOff { .. }
            | ErrorKind::Version { .. }
            | ErrorKind::Inconsistent { .. } => None,
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self { kind }
    }
}

/// Lets a function take `impl TryInto<Report>` where a [`Report`](crate::Report) itself cannot fail.
impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
