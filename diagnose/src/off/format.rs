//! The formats of reports, without the feature `on`. None is written.

use std::fmt;
use std::str::FromStr;

use super::reports::Error;

/// The format of a report. None is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A flame graph.
    Svg,
    /// One page for a browser.
    Html,
    /// Folded stacks.
    Folded,
    /// Tables and trees.
    Text,
    /// All tables and trees.
    FullText,
    /// The whole snapshot.
    Json,
    /// A graph for Graphviz.
    Dot,
    /// A profile for `go tool pprof`.
    Pprof,
    /// Profiles for speedscope.
    Speedscope,
    /// A profile for the Firefox Profiler.
    Firefox,
    /// Metrics for a scrape.
    OpenMetrics,
    /// Metrics for a file.
    Prometheus,
    /// A flowchart.
    Mermaid,
    /// A table for spreadsheets.
    Csv,
}

impl Format {
    /// Returns no format: this build writes none.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::empty()
    }

    /// Returns the file extension, without the first dot: `svg`, `pb.gz`.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.names()[0]
    }

    /// Returns all accepted names, in lower case. The first is the file extension.
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Svg => &["svg"],
            Self::Html => &["html"],
            Self::Folded => &["folded", "collapsed"],
            Self::Text => &["txt", "text"],
            Self::FullText => &["full.txt", "full.text"],
            Self::Json => &["json"],
            Self::Dot => &["dot", "gv"],
            Self::Pprof => &["pb.gz", "pprof", "pb"],
            Self::Speedscope => &["speedscope.json", "speedscope"],
            Self::Firefox => &["firefox.json", "firefox"],
            Self::OpenMetrics => &["om", "openmetrics", "metrics"],
            Self::Prometheus => &["prom", "prometheus"],
            Self::Mermaid => &["mmd", "mermaid"],
            Self::Csv => &["csv"],
        }
    }

    /// Returns what the format is, in a few words.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Svg => "flame graph for a browser",
            Self::Html => "findings, flame graphs, tables and tasks as one page for a browser",
            Self::Folded => "folded stacks for flame graph tools",
            Self::Text => "text report for a terminal",
            Self::FullText => "text report with nothing folded",
            Self::Json => "the snapshot, which every command reads back",
            Self::Dot => "graph of waiters and holders for Graphviz",
            Self::Pprof => "profile for `go tool pprof`, Pyroscope and Parca",
            Self::Speedscope => "profiles for speedscope",
            Self::Firefox => "profile for the Firefox Profiler",
            Self::OpenMetrics => "metrics in the text format of OpenMetrics",
            Self::Prometheus => "metrics in the text format of Prometheus",
            Self::Mermaid => "flowchart of waiters and holders for Mermaid",
            Self::Csv => "table by function for spreadsheets",
        }
    }

    /// Returns whether a report in this format is text, as opposed to compressed bytes.
    #[must_use]
    pub fn is_text(self) -> bool {
        self != Self::Pprof
    }
}

/// Accepts any name as text, since nothing is written.
impl FromStr for Format {
    type Err = Error;

    fn from_str(_name: &str) -> Result<Self, Error> {
        Ok(Self::Text)
    }
}

/// The file extension: `svg`, `pb.gz`.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.extension())
    }
}
