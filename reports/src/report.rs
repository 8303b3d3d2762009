//! Reports: a format and a view, and their names.
//!
//! The name of a report is the end of a file name:
//! ```text
//! svg                   Svg, Wall          out/x.busy.svg       Svg, Busy
//! busy.svg              Svg, Busy          out/my.service.svg   Svg, Wall
//! idle.folded           Folded, Idle       x.idle.pb.gz         Pprof, Idle
//! speedscope            Speedscope, Wall   x.speedscope.json    Speedscope, Wall
//! ```

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::error::Error;
use crate::format::{Format, VIEWS, accepted};
use crate::view::View;

/// A format and a view.
///
/// # Examples
/// ```
/// use diagnose_reports::{Format, Report, View};
///
/// let report = Report::try_from("busy.svg");
/// # #[cfg(feature = "svg")]
/// assert_eq!(report.unwrap(), Report::new(Format::Svg).view(View::Busy));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Report {
    /// The file format.
    pub format: Format,
    /// The times that it shows.
    pub view: View,
}

impl View {
    fn named(name: &str) -> Option<Self> {
        VIEWS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, view)| *view)
    }
}

impl Report {
    /// Returns the format with its default view, [`View::Wall`].
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self { format, view: View::default() }
    }

    /// Returns whether a name is the name of a report, even if its Cargo feature is off, because a
    /// folder may contain dumps of several builds.
    #[doc(hidden)]
    #[must_use]
    pub fn is_name(name: &str) -> bool {
        let split = Format::split(name).filter(|_| !name.starts_with('.'));
        split.is_some_and(|(view, _)| view.is_empty() || View::named(&view).is_some())
    }

    /// Returns the report with another view.
    #[must_use]
    pub fn view(self, view: View) -> Self {
        Self { view, ..self }
    }
}

/// Formats as the end of a file name: `svg`, `busy.svg`.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let view = VIEWS.iter().find(|(_, view)| *view == self.view && *view != View::default());
        match view {
            Some((view, _)) => write!(f, "{view}.{}", self.format.extension()),
            None => f.write_str(self.format.extension()),
        }
    }
}

impl From<Format> for Report {
    fn from(format: Format) -> Self {
        Self::new(format)
    }
}

impl FromStr for Report {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let unknown = || Error::unknown_format(name, accepted());
        let (rest, format) = Format::split(name).filter(|_| !name.starts_with('.')).ok_or_else(unknown)?;
        let view = if rest.is_empty() { View::default() } else { View::named(&rest).ok_or_else(unknown)? };
        format.render().map(|_| Self { format, view })
    }
}

impl TryFrom<&str> for Report {
    type Error = Error;

    fn try_from(name: &str) -> Result<Self, Error> {
        name.parse()
    }
}

/// Uses the end of the file name: `out/busy.svg` and `out/x.busy.svg` both have the busy view.
impl TryFrom<&Path> for Report {
    type Error = Error;

    fn try_from(path: &Path) -> Result<Self, Error> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // `svg` and `.svg` are names without an extension, `pb.gz` is not.
        let has_extension = |rest: &str| !rest.is_empty() || name.find('.').is_some_and(|dot| dot > 0);
        let found = Format::split(&name).filter(|(rest, _)| has_extension(rest));
        let (rest, format) =
            found.ok_or_else(|| Error::unknown_format(&path.display().to_string(), accepted()))?;
        let view = rest.rsplit('.').next().and_then(View::named).unwrap_or_default();
        format.render().map(|_| Self { format, view })
    }
}
