//! The table by function for spreadsheets, as in RFC 4180.
//!
//! ```text
//! function,module,kind,file,line,calls,…
//! handle,server,fn,src/main.rs,12,3,…
//! ```
//! Times are in nanoseconds, as the names of the columns say. Text that a spreadsheet would
//! interpret as a formula gets a leading apostrophe. Rows are sorted by self busy time, descending.

use std::io::{self, BufWriter, Write};

use crate::analysis::hide::plain;
use crate::analysis::latency::LatencyQuantiles;
use crate::analysis::rows::{Row, rows};
use crate::clean::printable;
use crate::model::{SiteKind, Snapshot};
use crate::view::View;

/// A column with a number; an unknown number is an empty field.
type CsvColumn = (&'static str, fn(&Row) -> Option<u64>);

const COLUMNS: [CsvColumn; 27] = [
    ("calls", |row| Some(row.calls)),
    ("polls", |row| Some(row.polls)),
    ("completed", |row| Some(row.completed)),
    ("cancelled", |row| Some(row.cancelled)),
    ("panicked", |row| Some(row.panicked)),
    ("never_polled", |row| Some(row.never_polled)),
    ("pending", |row| Some(row.pending)),
    ("running", |row| Some(row.running)),
    ("self_busy_ns", |row| Some(row.self_busy_ns)),
    ("busy_ns", |row| Some(row.busy_ns)),
    ("self_idle_ns", |row| Some(row.self_idle_ns)),
    ("idle_ns", |row| Some(row.idle_ns)),
    ("queued_ns", |row| Some(row.queued_ns)),
    ("unpolled_ns", |row| Some(row.unpolled_ns)),
    ("in_flight_ns", |row| Some(row.in_flight_ns)),
    ("p50_poll_ns", |row| row.p50_poll_ns),
    ("p99_poll_ns", |row| row.p99_poll_ns),
    ("max_poll_ns", |row| Some(row.longest_poll_ns)),
    ("p50_completed_ns", |row| known(row.completed_latency, |it| it.p50_ns)),
    ("p90_completed_ns", |row| known(row.completed_latency, |it| it.p90_ns)),
    ("p99_completed_ns", |row| known(row.completed_latency, |it| it.p99_ns)),
    ("p999_completed_ns", |row| known(row.completed_latency, |it| it.p999_ns)),
    ("max_completed_ns", |row| known(row.completed_latency, |it| it.max_ns)),
    ("p50_cancelled_ns", |row| known(row.cancelled_latency, |it| it.p50_ns)),
    ("p90_cancelled_ns", |row| known(row.cancelled_latency, |it| it.p90_ns)),
    ("p99_cancelled_ns", |row| known(row.cancelled_latency, |it| it.p99_ns)),
    ("max_cancelled_ns", |row| known(row.cancelled_latency, |it| it.max_ns)),
];

/// Writes the table. It does not depend on the view.
pub(crate) fn write(snapshot: &Snapshot, _view: View, out: &mut dyn Write) -> io::Result<()> {
    let out = &mut BufWriter::new(out);
    out.write_all(b"function,module,kind,file,line")?;
    for (name, _) in COLUMNS {
        write!(out, ",{name}")?;
    }
    out.write_all(b"\r\n")?;
    let snapshot = &plain(snapshot);
    for row in rows(snapshot) {
        let site = snapshot.site(row.site).cloned().unwrap_or_default();
        let texts = [&row.name, &site.module, word(site.kind), &site.place.file];
        let texts: Vec<String> = texts.into_iter().map(field).collect();
        write!(out, "{},{}", texts.join(","), site.place.line)?;
        for (_, number) in COLUMNS {
            out.write_all(b",")?;
            if let Some(number) = number(&row) {
                write!(out, "{number}")?;
            }
        }
        out.write_all(b"\r\n")?;
    }
    out.flush()
}

/// A quantile of the latency of calls in ns, from first poll to end; `None` if there are no such
/// calls.
fn known(latency: LatencyQuantiles, quantile: fn(LatencyQuantiles) -> u64) -> Option<u64> {
    (latency.count > 0).then(|| quantile(latency))
}

fn word(kind: SiteKind) -> &'static str {
    match kind {
        SiteKind::Task => "task",
        SiteKind::Fn => "fn",
        SiteKind::Block => "block",
        SiteKind::Await => "await",
        SiteKind::Impl => "impl",
        SiteKind::Sync => "sync",
        SiteKind::Traced => "traced",
        SiteKind::Other => "other",
    }
}

/// Quotes a text if RFC 4180 requires it. A text that begins with `=`, `+`, `-`, `@` or their wide
/// forms gets an apostrophe, because spreadsheets would evaluate it as a formula.
fn field(text: &str) -> String {
    let mut text = printable(text);
    if text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) {
        text.insert(0, '\'');
    }
    let must_quote = text.contains([',', '"', '\n', '\r', ';', '\t', '\'']);
    if must_quote { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn a_field_is_quoted_for_every_reader() {
        let fields = [
            ("handle", "handle"),
            ("Vec<a, b>", "\"Vec<a, b>\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""),
            ("@SUM(1)", "\"'@SUM(1)\""),
            ("-1+1", "\"'-1+1\""),
            ("\t=1", "\"'=1\""),
            ("＝1", "\"'＝1\""),
            ("a\r\n=b", "a =b"),
            ("", ""),
        ];
        for (text, expected) in fields {
            assert_eq!(field(text), expected, "{text:?}");
        }
    }
}
