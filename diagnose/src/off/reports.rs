//! Settings and reports without the feature `on`: nothing is installed and nothing is written.

use std::convert::Infallible;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::format::Format;
use super::model::{Finding, FunctionLatency, LockInversion, Verdict};
use crate::{Builder, InstallError};

/// Does nothing.
pub fn install() {}

impl Builder {
    /// Does nothing.
    pub fn install(self) {}

    /// Does nothing.
    ///
    /// # Errors
    /// None.
    pub fn try_install(self) -> Result<(), InstallError> {
        Ok(())
    }

    /// Does nothing.
    ///
    /// # Errors
    /// None.
    pub fn reinstall(self) -> Result<(), InstallError> {
        Ok(())
    }
}

/// An empty snapshot: nothing is recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {}

impl Snapshot {
    /// Returns none: nothing is recorded.
    #[must_use]
    pub fn verdicts(&self) -> Vec<Verdict> {
        Vec::new()
    }

    /// Returns none: nothing is recorded.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }

    /// Returns none: nothing is recorded.
    #[must_use]
    pub fn findings_since(&self, _earlier: &Self) -> Vec<Finding> {
        Vec::new()
    }

    /// Returns none: nothing is recorded.
    #[must_use]
    pub fn latencies(&self) -> Vec<FunctionLatency> {
        Vec::new()
    }

    /// Returns none: nothing is recorded.
    #[must_use]
    pub fn lock_inversions(&self) -> Vec<LockInversion> {
        Vec::new()
    }

    /// Returns an empty snapshot.
    #[must_use]
    pub fn since(&self, _earlier: &Self) -> Self {
        Self {}
    }

    /// Returns `false`.
    #[must_use]
    pub fn began_after(&self, _earlier: &Self) -> bool {
        false
    }

    /// Returns an empty string.
    #[must_use]
    pub fn tree(&self) -> String {
        String::new()
    }

    /// Returns an empty string.
    #[must_use]
    pub fn waiters(&self) -> String {
        String::new()
    }

    /// Returns an empty string.
    #[must_use]
    pub fn lock_order_text(&self) -> String {
        String::new()
    }
}

/// Returns an empty snapshot.
#[must_use]
pub fn snapshot() -> Snapshot {
    Snapshot {}
}

/// Returns an empty string.
#[must_use]
pub fn tree() -> String {
    String::new()
}

/// Returns an empty string.
#[must_use]
pub fn waiters() -> String {
    String::new()
}

/// Returns an empty string.
#[must_use]
pub fn lock_order() -> String {
    String::new()
}

/// Does nothing.
pub fn reset() {}

/// Writes no file. Returns the absolute path that the file would have.
///
/// # Errors
/// None.
pub fn dump(path: impl AsRef<Path>) -> Result<PathBuf, Error> {
    let path = path.as_ref();
    Ok(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

/// Writes nothing.
///
/// # Errors
/// None.
pub fn dump_to<R>(_report: R, _out: &mut (impl Write + ?Sized)) -> Result<(), Error>
where
    R: TryInto<Report>,
    Error: From<R::Error>,
{
    Ok(())
}

/// The times that a report shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum View {
    /// Elapsed time.
    #[default]
    Wall,
    /// Busy and idle time of every path.
    Time,
    /// Time inside `poll` only.
    Busy,
    /// Time between polls only.
    Idle,
}

/// A format and a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Report {
    /// The file format.
    pub format: Format,
    /// The times it shows.
    pub view: View,
}

impl Report {
    /// Returns the format with its default view.
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self { format, view: View::default() }
    }

    /// Returns the report with another view.
    #[must_use]
    pub fn view(self, view: View) -> Self {
        Self { view, ..self }
    }
}

impl From<Format> for Report {
    fn from(format: Format) -> Self {
        Self::new(format)
    }
}

/// Formats as the end of a file name: `svg`, `busy.svg`.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let view = match self.view {
            View::Wall => "",
            View::Time => "time.",
            View::Busy => "busy.",
            View::Idle => "idle.",
        };
        write!(f, "{view}{}", self.format.extension())
    }
}

/// Accepts any name as a text report, since nothing is written.
impl FromStr for Report {
    type Err = Error;

    fn from_str(_name: &str) -> Result<Self, Error> {
        Ok(Self::new(Format::Text))
    }
}

/// Accepts any path as a text report, since nothing is written.
#[allow(clippy::infallible_try_from)] // As where names can be unknown.
impl TryFrom<&Path> for Report {
    type Error = Error;

    fn try_from(_path: &Path) -> Result<Self, Error> {
        Ok(Self::new(Format::Text))
    }
}

/// Accepts any name as a text report, since nothing is written.
#[allow(clippy::infallible_try_from)] // As where names can be unknown.
impl TryFrom<&str> for Report {
    type Error = Error;

    fn try_from(_name: &str) -> Result<Self, Error> {
        Ok(Self::new(Format::Text))
    }
}

/// An error that cannot occur.
#[derive(Debug)]
pub struct Error(Infallible);

impl Error {
    /// Never called, since no error exists.
    #[must_use]
    pub fn io_error(&self) -> Option<&std::io::Error> {
        match self.0 {}
    }
}

impl fmt::Display for Error {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {}
    }
}

impl std::error::Error for Error {}

impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
