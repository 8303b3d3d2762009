//! The first lines of the text report: which program, where, when, and how much was recorded.
//!
//! ```text
//! orders (pid 4711) on host web-3, 2026-11-22 08:14:03 UTC, build 1.4.2, recorded 5 min 12 s, 2 workers on 4 CPUs
//! 1,234 calls, 56,789 polls, 3.21 s busy on 4 threads, 1 of them ended
//! ```

use std::fmt::Write as _;

use crate::clean::printable;
use crate::export::footer::{process as named, totals};
use crate::model::Snapshot;
use crate::units::{counted, length};
use crate::wall_clock::Utc;

/// Returns the two lines, without unknown parts.
pub(crate) fn header(snapshot: &Snapshot) -> String {
    let process = &snapshot.process;
    let mut line = named(snapshot);
    if !process.host.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(line, " on host {}", printable(&process.host));
    }
    if snapshot.captured_unix_ms > 0 {
        let _ = write!(line, ", {}", Utc::from_unix_ms(snapshot.captured_unix_ms));
    }
    if !process.build.is_empty() {
        let _ = write!(line, ", build {}", printable(&process.build));
    }
    let _ = write!(line, ", recorded {}", length(snapshot.elapsed_ns));
    let workers = snapshot.runtimes.iter().map(|runtime| runtime.workers).fold(0, u64::saturating_add);
    if workers > 0 {
        let _ = write!(line, ", {}", counted(workers, "worker"));
        if let Some(cpus) = process.cpus {
            let _ = write!(line, " on {}", counted(cpus, "CPU"));
        }
    }
    if !snapshot.enabled {
        line += ", recording is off";
    }
    format!("{line}\n{}\n", totals(snapshot))
}
