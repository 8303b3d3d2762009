//! The findings in the text report, which say what to look at first.
//!
//! ```text
//! FINDINGS 2, most urgent first (diagnose explain ID says more)
//!  1 slow   `Cache.rows` (RwLock, store/src/lib.rs:12) delays `get_order`: 61 % of its time, p99 wait 242 ms.
//!           Next: do not hold it across the query. (contended)
//!  2 waste  `sign` (orders/src/main.rs:88) takes 71 % of the CPU …
//! ```

use crate::analysis::findings::Finding;
use crate::clean::printable;
use crate::export::wrap::wrap_line;
use crate::model::Snapshot;
use crate::units::length;

/// The width of number and severity.
const INDENT: &str = "          ";

/// Returns the findings, or one line that says that there are none. If there is an earlier
/// snapshot, growth is measured over the last `over_ns`.
pub(crate) fn findings(snapshot: &Snapshot, findings: &[Finding], over_ns: Option<u64>) -> String {
    let over = over_ns.map(|ns| format!(", over {}", length(ns))).unwrap_or_default();
    if findings.is_empty() {
        // In a dump at exit, no task is left.
        let has_ended = snapshot.tasks.is_empty() && !snapshot.nodes.is_empty();
        let ended = if snapshot.merged > 0 {
            "; live tasks are left out of a merged snapshot, and so are hangs and full channels"
        } else if has_ended {
            "; no recorded task is alive, and hangs and full channels show only while tasks wait"
        } else {
            ""
        };
        return format!("FINDINGS none{over}{ended}\n");
    }
    let mut page =
        format!("FINDINGS {}{over}, most urgent first (diagnose explain ID says more)\n", findings.len());
    for (number, finding) in findings.iter().enumerate() {
        let line = format!("{:>2} {:6} {}", number + 1, finding.severity, printable(&finding.to_string()));
        wrap_line(&mut page, &line, INDENT);
    }
    page
}
