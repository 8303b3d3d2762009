//! Folded stacks, which most flame graph tools read: frames, a space, nanoseconds.
//!
//! ```text
//! handle;[busy] 7000
//! handle;read;[busy] 3000
//! handle;read;[idle] 50000
//! # diagnose: server (pid 4711): …
//! ```
//! Lines are sorted by bytes. Lines of the footer begin with `# ` and do not end in a number. So
//! inferno's `flamegraph` reads them as comments, while inferno's `diff-folded` and speedscope skip
//! lines without a count.

use std::fmt::Write;
use std::io;

use crate::analysis::fold::fold;
use crate::export::{empty, footer::footer};
use crate::model::Snapshot;
use crate::view::View;

/// Renders the stacks, or the reason why there are none, and the footer.
#[allow(clippy::unnecessary_wraps, reason = "all formats share one signature")]
pub(crate) fn render(snapshot: &Snapshot, view: View) -> io::Result<String> {
    let mut page = String::new();
    let stacks = fold(snapshot, view);
    // Writing to a string cannot fail.
    for stack in &stacks {
        let _ = writeln!(page, "{} {}", stack.frames.join(";"), stack.value_ns);
    }
    let reason = if stacks.is_empty() { empty::lines(snapshot, view) } else { Vec::new() };
    for line in reason.iter().chain(&footer(snapshot)) {
        let _ = writeln!(page, "# diagnose: {line}");
    }
    Ok(page)
}
