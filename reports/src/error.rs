//! The error type of this crate: the failed operation, its object, and the cause.
//!
//! The message includes the cause. So [`source`](std::error::Error::source) does not return the
//! cause, because printing the chain would repeat it. The kinds are private, so a new kind is not a
//! breaking change.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::clean::printable;

use crate::model::VERSION;

/// The reason why a report could not be written or a snapshot could not be read.
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
#[cfg_attr(not(feature = "read"), expect(dead_code, reason = "some are of reading alone"))]
enum ErrorKind {
    /// The string or file name names no format.
    UnknownFormat { name: String, accepted: String },
    /// This build lacks the format.
    FeatureOff { format: &'static str, feature: &'static str },
    /// The file could not be written. The path is the requested one.
    WriteFile { path: PathBuf, source: io::Error },
    /// The writer failed.
    Write { source: io::Error },
    /// The reader failed.
    Read { source: io::Error },
    /// The bytes are not a saved snapshot. If they have a version, it is this reader's.
    #[cfg(feature = "read")]
    Parse { source: serde_json::Error, header: Option<Header> },
    /// The saved snapshot has another version of the format.
    Version { found: u32, producer: String },
    /// The saved snapshot contradicts itself.
    Inconsistent { contradiction: String },
}

/// The version of a saved snapshot, and what wrote it; empty if unknown.
#[cfg(feature = "read")]
#[derive(Debug)]
struct Header {
    version: u32,
    producer: String,
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
}

#[cfg(feature = "read")]
impl Error {
    #[cold]
    pub(crate) fn read(source: io::Error) -> Self {
        ErrorKind::Read { source }.into()
    }

    #[cold]
    pub(crate) fn parse(source: serde_json::Error) -> Self {
        ErrorKind::Parse { source, header: None }.into()
    }

    /// The bytes have the version of this reader, but not its shape.
    #[cold]
    pub(crate) fn parse_version(source: serde_json::Error, version: u32, producer: String) -> Self {
        ErrorKind::Parse { source, header: Some(Header { version, producer }) }.into()
    }

    #[cold]
    pub(crate) fn version(found: u32, producer: String) -> Self {
        ErrorKind::Version { found, producer }.into()
    }

    #[cold]
    pub(crate) fn inconsistent(contradiction: String) -> Self {
        ErrorKind::Inconsistent { contradiction }.into()
    }
}

impl Error {
    /// Returns the I/O error that caused this error, if any.
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
    /// Writes the message. Harmful characters in quoted text are replaced.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.kind.to_string()))
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFormat { name, accepted } => {
                write!(f, "unknown format `{name}`: accepted are {accepted}")
            }
            Self::FeatureOff { format, feature } => {
                write!(f, "format `{format}` is not in this build: it needs the feature `{feature}`")
            }
            Self::WriteFile { path, source } => write!(f, "cannot write `{}`: {source}", path.display()),
            Self::Write { source } => write!(f, "cannot write the report: {source}"),
            Self::Read { source } => write!(f, "cannot read the snapshot: {source}"),
            #[cfg(feature = "read")]
            Self::Parse { source, header: None } => write!(f, "not a saved snapshot: {source}"),
            #[cfg(feature = "read")]
            Self::Parse { source, header: Some(Header { version, producer }) } => {
                write!(f, "not a saved snapshot: {source} (it has version {version}")?;
                if producer.is_empty() {
                    f.write_str(")")
                } else {
                    write!(f, ", and was written by `{producer}`)")
                }
            }
            Self::Version { found, producer } => {
                write!(f, "the snapshot has version {found}, but this reader knows version {VERSION} only")?;
                if producer.is_empty() { Ok(()) } else { write!(f, " (it was written by `{producer}`)") }
            }
            Self::Inconsistent { contradiction } => {
                write!(f, "the snapshot contradicts itself: {contradiction}")
            }
        }
    }
}

impl std::error::Error for Error {
    /// Returns the source of the cause. The cause itself is in the message.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::WriteFile { source, .. }
            | ErrorKind::Write { source }
            | ErrorKind::Read { source } => source.source(),
            #[cfg(feature = "read")]
            ErrorKind::Parse { source, .. } => source.source(),
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

/// Lets a function that takes `impl TryInto<Report>` accept a [`Report`](crate::Report), whose
/// conversion cannot fail.
impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
