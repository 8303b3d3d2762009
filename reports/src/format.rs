//! Reports: a format and a view, and their names.
//!
//! A report is named like the end of a file name:
//! ```text
//! svg                   Svg, Wall          out/x.busy.svg       Svg, Busy
//! busy.svg              Svg, Busy          out/my.service.svg   Svg, Wall
//! idle.folded           Folded, Idle       x.txt                Text, Wall
//! ```
//! The tables `FORMATS` and `VIEWS` define all names: a new format is one new file under `export`
//! and one line in `FORMATS`.

use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;

use crate::error::Error;
use crate::export;
use crate::model::Snapshot;
use crate::view::View;

/// The file format of a report.
///
/// # Examples
/// ```
/// use diagnose_reports::Format;
///
/// assert_eq!("collapsed".parse::<Format>().unwrap(), Format::Folded);
/// assert_eq!(Format::Text.extension(), "txt");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A flame graph: one self-contained page for a browser. Needs the feature `svg`.
    Svg,
    /// Folded stacks, one line each, in nanoseconds, for most flame graph tools.
    Folded,
    /// Tables and a call tree for humans, with the times of all views.
    Text,
    /// The complete snapshot, for [`Snapshot::read_json`], with its verdicts.
    Json,
    /// Waiters, resources and holders as a graph for Graphviz.
    Dot,
}

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
    /// The times it shows.
    pub view: View,
}

/// A renderer. It fails only if the drawing library or the writer fails.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Render {
    /// For a report of bounded size, or one that is drawn as a whole.
    Page(fn(&Snapshot, View) -> io::Result<String>),
    /// For a report that grows with the program: written piece by piece.
    Stream(fn(&Snapshot, &mut dyn io::Write) -> io::Result<()>),
}

impl Render {
    /// Writes the report.
    pub(crate) fn write(self, snapshot: &Snapshot, view: View, out: &mut dyn io::Write) -> io::Result<()> {
        match self {
            Self::Page(page) => out.write_all(page(snapshot, view)?.as_bytes()),
            Self::Stream(stream) => stream(snapshot, out),
        }
    }
}

/// The table's entry for a format.
struct Entry {
    format: Format,
    /// Accepted names; the first is the file extension.
    names: &'static [&'static str],
    /// The renderer, or the name of the Cargo feature that is needed for it.
    render: Result<Render, &'static str>,
}

#[cfg(feature = "svg")]
const SVG: Result<Render, &str> = Ok(Render::Page(export::svg::render));
#[cfg(not(feature = "svg"))]
const SVG: Result<Render, &str> = Err("svg");

const FORMATS: &[Entry] = &[
    Entry { format: Format::Svg, names: &["svg"], render: SVG },
    Entry {
        format: Format::Folded,
        names: &["folded", "collapsed"],
        render: Ok(Render::Page(export::folded::render)),
    },
    Entry { format: Format::Text, names: &["txt", "text"], render: Ok(Render::Page(export::text::render)) },
    Entry { format: Format::Json, names: &["json"], render: Ok(Render::Stream(export::json::write)) },
    Entry { format: Format::Dot, names: &["dot"], render: Ok(Render::Page(export::dot::render)) },
];

const VIEWS: &[(&str, View)] =
    &[("wall", View::Wall), ("time", View::Time), ("busy", View::Busy), ("idle", View::Idle)];

impl Format {
    /// Returns the file extension, without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.entry().names[0]
    }

    /// Returns the renderer.
    ///
    /// # Errors
    /// The format's Cargo feature is off.
    pub(crate) fn render(self) -> Result<Render, Error> {
        self.entry().render.map_err(|feature| Error::feature_off(self.extension(), feature))
    }

    fn entry(self) -> &'static Entry {
        FORMATS.iter().find(|entry| entry.format == self).expect("every format has its line in the table")
    }

    /// Returns the format with this name, if any, whether or not it is compiled in.
    fn named(name: &str) -> Option<Self> {
        let entry =
            FORMATS.iter().find(|entry| entry.names.iter().any(|known| known.eq_ignore_ascii_case(name)))?;
        Some(entry.format)
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let format = Self::named(name).ok_or_else(|| Error::unknown_format(name, accepted()))?;
        format.render().map(|_| format)
    }
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
        let Some((view, format)) = name.rsplit_once('.') else { return Ok(Self::new(name.parse()?)) };
        let view = View::named(view).ok_or_else(|| Error::unknown_format(name, accepted()))?;
        let format = Format::named(format).ok_or_else(|| Error::unknown_format(name, accepted()))?;
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
        let unknown = || Error::unknown_format(&path.display().to_string(), accepted());
        let format = path.extension().and_then(|extension| Format::named(&extension.to_string_lossy()));
        let format = format.ok_or_else(unknown)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let view = stem.rsplit('.').next().and_then(View::named).unwrap_or_default();
        format.render().map(|_| Self { format, view })
    }
}

/// Returns the list of names for an error: `svg, folded (or collapsed), …`.
fn accepted() -> String {
    let formats: Vec<String> = FORMATS
        .iter()
        .map(|entry| match entry.names {
            [name, others @ ..] if !others.is_empty() => format!("{name} (or {})", others.join(", ")),
            names => names.join(", "),
        })
        .collect();
    let views: Vec<&str> = VIEWS.iter().map(|(name, _)| *name).collect();
    format!("{}, each with {}. in front if wanted", formats.join(", "), views.join("., "))
}
