//! Writes metric families in OpenMetrics 1.0 or in Prometheus' older text format 0.0.4.
//!
//! ```text
//! OpenMetrics                              Prometheus
//! # TYPE diagnose_calls counter            # TYPE diagnose_calls_total counter
//! diagnose_calls_total{function="f"} 3     diagnose_calls_total{function="f"} 3
//! # EOF
//! ```
//! Only in OpenMetrics, the name of a counter family lacks `_total`, and a family may have a unit
//! or the type `info`.

use std::fmt;
use std::io::{self, Write};

use crate::clean::printable;

/// A dialect of the text format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    OpenMetrics,
    Prometheus,
}

/// The type of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MetricKind {
    Counter,
    Gauge,
    Histogram,
    Info,
}

/// Names and values of the labels of a sample.
pub(super) type MetricLabels<'a> = &'a [(&'a str, &'a str)];

/// ns as a number of seconds, without rounding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seconds(pub(super) u64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{rest:09}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}

/// Writes metric families. Samples belong to the family that was begun last.
pub(super) struct Exposition<'a> {
    out: &'a mut dyn Write,
    dialect: Dialect,
    family: String,
    kind: MetricKind,
}

impl<'a> Exposition<'a> {
    pub(super) fn new(out: &'a mut dyn Write, dialect: Dialect) -> Self {
        Self { out, dialect, family: String::new(), kind: MetricKind::Gauge }
    }

    /// Begins a family. The unit follows from a name that ends in `_seconds`.
    pub(super) fn family(&mut self, name: &str, kind: MetricKind, help: &str) -> io::Result<()> {
        self.family = format!("diagnose_{name}");
        self.kind = kind;
        let (word, suffix) = match (kind, self.dialect) {
            (MetricKind::Counter, Dialect::OpenMetrics) => ("counter", ""),
            (MetricKind::Counter, Dialect::Prometheus) => ("counter", "_total"),
            (MetricKind::Gauge, _) => ("gauge", ""),
            (MetricKind::Histogram, _) => ("histogram", ""),
            (MetricKind::Info, Dialect::OpenMetrics) => ("info", ""),
            (MetricKind::Info, Dialect::Prometheus) => ("gauge", "_info"),
        };
        let family = format!("{}{suffix}", self.family);
        writeln!(self.out, "# HELP {family} {help}")?;
        writeln!(self.out, "# TYPE {family} {word}")?;
        if self.dialect == Dialect::OpenMetrics && name.ends_with("_seconds") {
            writeln!(self.out, "# UNIT {family} seconds")?;
        }
        Ok(())
    }

    /// Writes a sample of a counter, a gauge or an info.
    pub(super) fn sample(&mut self, labels: MetricLabels<'_>, value: impl fmt::Display) -> io::Result<()> {
        let suffix = match self.kind {
            MetricKind::Counter => "_total",
            MetricKind::Info => "_info",
            MetricKind::Gauge | MetricKind::Histogram => "",
        };
        self.with_suffix(suffix, labels, value)
    }

    /// Writes a sample whose name has a suffix, such as `_bucket`.
    pub(super) fn with_suffix(
        &mut self,
        suffix: &str,
        labels: MetricLabels<'_>,
        value: impl fmt::Display,
    ) -> io::Result<()> {
        write!(self.out, "{}{suffix}", self.family)?;
        for (index, (name, value)) in labels.iter().enumerate() {
            let start = if index == 0 { '{' } else { ',' };
            write!(self.out, "{start}{name}=\"{}\"", escape(value))?;
        }
        writeln!(self.out, "{} {value}", if labels.is_empty() { "" } else { "}" })
    }

    /// Ends the text.
    pub(super) fn end(self) -> io::Result<()> {
        match self.dialect {
            Dialect::OpenMetrics => self.out.write_all(b"# EOF\n"),
            Dialect::Prometheus => Ok(()),
        }
    }
}

/// Escapes the value of a label.
fn escape(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Exposition, MetricKind, Seconds};

    #[test]
    fn seconds_are_exact_decimals() {
        let seconds = [0, 1, 1_500_000_000, 10, 60_000_000_000, u64::MAX].map(|ns| Seconds(ns).to_string());
        assert_eq!(seconds, ["0", "0.000000001", "1.5", "0.00000001", "60", "18446744073.709551615"]);
    }

    #[test]
    fn label_values_are_escaped() {
        let mut page = Vec::new();
        let mut exposition = Exposition::new(&mut page, Dialect::OpenMetrics);
        exposition.family("calls", MetricKind::Counter, "Calls.").unwrap();
        exposition.sample(&[("function", "a\"b\\c\nd"), ("module", "")], 3).unwrap();
        exposition.end().unwrap();
        let expected = "# HELP diagnose_calls Calls.\n# TYPE diagnose_calls counter\n\
            diagnose_calls_total{function=\"a\\\"b\\\\c d\",module=\"\"} 3\n# EOF\n";
        assert_eq!(String::from_utf8(page).unwrap(), expected);
    }
}
