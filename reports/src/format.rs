//! The table of formats: their names and renderers.
//!
//! The tables `FORMATS` and `VIEWS` define all names for calls, settings and the command. A new
//! format is one new file under `export` and one entry in `FORMATS`. If several names match the end
//! of a file name, the longest one wins.

use std::fmt;
use std::io;
use std::str::FromStr;

use crate::clean::How;
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
    /// Findings, flame graphs, tables, tasks and the wait graph: one self-contained page for a
    /// browser. Needs the feature `html`.
    Html,
    /// Folded stacks, one line each, in nanoseconds, for most flame graph tools.
    Folded,
    /// Findings, verdicts, tables, tasks and a call tree for humans, with the times of all views.
    /// Similar rows are folded.
    Text,
    /// The report of [`Text`](Self::Text) with all rows and columns.
    FullText,
    /// The complete snapshot, for [`Snapshot::read_json`], with its verdicts.
    Json,
    /// Waiters, resources and holders as a Graphviz graph.
    Dot,
    /// A gzipped profile for `go tool pprof`, Pyroscope and Parca. The file has all sample types,
    /// and the view selects the one that is shown first. Needs the feature `pprof`.
    Pprof,
    /// Profiles of wall, busy and idle time for <https://www.speedscope.app>. The view selects the
    /// profile that is shown first.
    Speedscope,
    /// A profile for <https://profiler.firefox.com>: wall, busy and idle time as threads, with
    /// tasks, waits and verdicts as markers. The view decides which thread is selected first.
    Firefox,
    /// Metrics of functions, tasks and resources in the text format of OpenMetrics, for scraping.
    OpenMetrics,
    /// The metrics of [`OpenMetrics`](Self::OpenMetrics) in the older text format of Prometheus,
    /// for the text files of `node_exporter`.
    Prometheus,
    /// Waiters, resources and holders as a Mermaid flowchart, which GitHub draws in an issue.
    Mermaid,
    /// The table by function for spreadsheets, with times in nanoseconds.
    Csv,
}

/// A renderer. It fails only if the drawing library or the writer fails.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Render {
    /// Renders a report of bounded size, or a report that has to be drawn as a whole.
    Page(fn(&Snapshot, View) -> io::Result<String>),
    /// Writes a report that grows with the program, piece by piece.
    Stream(fn(&Snapshot, View, &mut dyn io::Write) -> io::Result<()>),
}

impl Render {
    /// Writes the report.
    pub(crate) fn write(self, snapshot: &Snapshot, view: View, out: &mut dyn io::Write) -> io::Result<()> {
        match self {
            Self::Page(page) => out.write_all(page(snapshot, view)?.as_bytes()),
            Self::Stream(stream) => stream(snapshot, view, out),
        }
    }
}

/// An entry of the table: one format.
struct FormatEntry {
    format: Format,
    /// Accepted names, in lower case; the first is the file extension.
    names: &'static [&'static str],
    /// A description, without a verb or a final dot.
    about: &'static str,
    /// How harmful characters are removed from its output.
    how: How,
    /// The renderer, or the name of the missing Cargo feature.
    render: Result<Render, &'static str>,
}

#[cfg(feature = "svg")]
const SVG: Result<Render, &str> = Ok(Render::Page(export::svg::render));
#[cfg(not(feature = "svg"))]
const SVG: Result<Render, &str> = Err("svg");
#[cfg(feature = "pprof")]
const PPROF: Result<Render, &str> = Ok(Render::Stream(export::pprof::write));
#[cfg(not(feature = "pprof"))]
const PPROF: Result<Render, &str> = Err("pprof");

#[cfg(feature = "html")]
const HTML: Result<Render, &str> = Ok(Render::Page(export::page::render));
#[cfg(not(feature = "html"))]
const HTML: Result<Render, &str> = Err("html");

const FORMATS: &[FormatEntry] = &[
    FormatEntry {
        format: Format::Svg,
        names: &["svg"],
        about: "flame graph for a browser",
        how: How::Replace,
        render: SVG,
    },
    FormatEntry {
        format: Format::Html,
        names: &["html"],
        about: "findings, flame graphs, tables and tasks as one page for a browser",
        how: How::Replace,
        render: HTML,
    },
    FormatEntry {
        format: Format::Folded,
        names: &["folded", "collapsed"],
        about: "folded stacks for flame graph tools",
        how: How::Replace,
        render: Ok(Render::Page(export::folded::render)),
    },
    FormatEntry {
        format: Format::Text,
        names: &["txt", "text"],
        about: "text report for a terminal",
        how: How::Replace,
        render: Ok(Render::Stream(export::text::write)),
    },
    FormatEntry {
        format: Format::FullText,
        names: &["full.txt", "full.text"],
        about: "text report with nothing folded",
        how: How::Replace,
        render: Ok(Render::Stream(export::text::write_full)),
    },
    FormatEntry {
        format: Format::Json,
        names: &["json"],
        about: "the snapshot, which every command reads back",
        how: How::Escape,
        render: Ok(Render::Stream(export::json::write)),
    },
    FormatEntry {
        format: Format::Dot,
        names: &["dot", "gv"],
        about: "graph of waiters and holders for Graphviz",
        how: How::Replace,
        render: Ok(Render::Page(export::dot::render)),
    },
    FormatEntry {
        format: Format::Pprof,
        names: &["pb.gz", "pprof", "pb"],
        about: "profile for `go tool pprof`, Pyroscope and Parca",
        how: How::Keep,
        render: PPROF,
    },
    FormatEntry {
        format: Format::Speedscope,
        names: &["speedscope.json", "speedscope"],
        about: "profiles for speedscope",
        how: How::Escape,
        render: Ok(Render::Stream(export::speedscope::write)),
    },
    FormatEntry {
        format: Format::Firefox,
        names: &["firefox.json", "firefox"],
        about: "profile for the Firefox Profiler",
        how: How::Escape,
        render: Ok(Render::Stream(export::firefox::write)),
    },
    FormatEntry {
        format: Format::OpenMetrics,
        names: &["om", "openmetrics", "metrics"],
        about: "metrics in the text format of OpenMetrics",
        how: How::Replace,
        render: Ok(Render::Stream(export::metrics::open_metrics)),
    },
    FormatEntry {
        format: Format::Prometheus,
        names: &["prom", "prometheus"],
        about: "metrics in the text format of Prometheus",
        how: How::Replace,
        render: Ok(Render::Stream(export::metrics::prometheus)),
    },
    FormatEntry {
        format: Format::Mermaid,
        names: &["mmd", "mermaid"],
        about: "flowchart of waiters and holders for Mermaid",
        how: How::Replace,
        render: Ok(Render::Page(export::mermaid::render)),
    },
    FormatEntry {
        format: Format::Csv,
        names: &["csv"],
        about: "table by function for spreadsheets",
        how: How::Keep,
        render: Ok(Render::Stream(export::csv::write)),
    },
];

/// The names of the views.
pub(crate) const VIEWS: &[(&str, View)] =
    &[("wall", View::Wall), ("time", View::Time), ("busy", View::Busy), ("idle", View::Idle)];

impl Format {
    /// Returns all formats that this build can write, in the order of the documentation.
    ///
    /// # Examples
    /// ```
    /// for format in diagnose_reports::Format::all() {
    ///     println!("{:16} {}", format.extension(), format.about());
    /// }
    /// ```
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().filter(|entry| entry.render.is_ok()).map(|entry| entry.format)
    }

    /// Returns the file extension, without the first dot: `svg`, `pb.gz`.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.entry().names[0]
    }

    /// Returns all accepted names, in lower case. The first is the file extension.
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        self.entry().names
    }

    /// Returns what the format is, in a few words.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.entry().about
    }

    /// Returns whether a report in this format is text, as opposed to compressed bytes.
    #[must_use]
    pub fn is_text(self) -> bool {
        self != Self::Pprof
    }

    /// Returns the renderer.
    ///
    /// # Errors
    /// The format's Cargo feature is off.
    pub(crate) fn render(self) -> Result<Render, Error> {
        self.entry().render.map_err(|feature| Error::feature_off(self.extension(), feature))
    }

    /// Returns how harmful characters are removed from the output.
    pub(crate) fn how(self) -> How {
        self.entry().how
    }

    fn entry(self) -> &'static FormatEntry {
        FORMATS.iter().find(|entry| entry.format == self).expect("every format has its line in the table")
    }

    /// Splits a name like `x.busy.pb.gz` into `x.busy` and its format, even if that format is not
    /// compiled in. For a bare `pb.gz`, the first part is empty.
    pub(crate) fn split(name: &str) -> Option<(String, Self)> {
        let name = name.to_ascii_lowercase();
        let ends = FORMATS.iter().flat_map(|entry| entry.names.iter().map(move |end| (*end, entry.format)));
        let rest = |end: &str| match name.strip_suffix(end)? {
            "" => Some(""),
            rest => rest.strip_suffix('.'),
        };
        let found = ends.filter_map(|(end, format)| Some((end.len(), rest(end)?, format)));
        let (_, rest, format) = found.max_by_key(|(length, ..)| *length)?;
        Some((rest.to_owned(), format))
    }
}

/// The file extension, which is also the name: `svg`, `pb.gz`.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.extension())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match Self::split(name) {
            Some((rest, format)) if rest.is_empty() && !name.starts_with('.') => {
                format.render().map(|_| format)
            }
            _ => Err(Error::unknown_format(name, accepted())),
        }
    }
}

/// Returns the list of names for an error: `svg, folded (or collapsed), …`.
pub(crate) fn accepted() -> String {
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
