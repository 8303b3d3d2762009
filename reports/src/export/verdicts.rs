//! Verdicts as text: a line that `grep` finds, the chain below it, and the tasks behind it.
//!
//! ```text
//! verdict: proven cycle: task 2 `left` is waiting for `Mutex#2` at src/main.rs:6 (1.20 s); task 3 `right` has held it …
//!   task 2 left waits at src/main.rs:6 for 1.20 s
//!   resource 2 Mutex created at src/main.rs:12, 2.40 s ago
//!   task 3 right holds at src/main.rs:9 for 1.20 s
//!   2 tasks wait behind it: 4, 6
//!   fix: acquire locks in the same order everywhere, or release one before waiting for the other (docs/verdicts.md, cycle)
//! ```

use std::fmt::{self, Write as _};

use crate::analysis::hangs::{Link, LinkNode, LinkRole, Verdict};
use crate::clean::printable;
use crate::model::{Snapshot, TaskId};
use crate::units::{count, time};

/// How many verdicts are written out, and how many of them folded.
const MAX_VERDICTS: usize = 100;
const MAX_FOLDED: usize = 10;
/// How many links of a chain, and how many ids of tasks behind it, are written out.
const MAX_LINKS: usize = 32;

/// Renders all verdicts; empty without any.
pub(crate) fn render(snapshot: &Snapshot) -> String {
    lines(&snapshot.verdicts(), MAX_VERDICTS)
}

/// Renders the verdicts under their heading. `is_full`: not only the first few.
pub(crate) fn section(verdicts: &[Verdict], is_full: bool) -> String {
    if verdicts.is_empty() {
        return "VERDICTS none\n".to_owned();
    }
    let bound = if is_full { MAX_VERDICTS } else { MAX_FOLDED };
    format!("VERDICTS {}\n{}", count(verdicts.len() as u64), lines(verdicts, bound))
}

fn lines(verdicts: &[Verdict], bound: usize) -> String {
    let mut page = String::new();
    for verdict in verdicts.iter().take(bound) {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "verdict: {verdict}");
    }
    if verdicts.len() > bound {
        let rest = count((verdicts.len() - bound) as u64);
        let _ = writeln!(page, "… and {rest} more verdicts (the JSON report has everything)");
    }
    page
}

/// `proven cycle: task 2 …`, then one line each, indented by two, for the links of the chain, the
/// tasks behind it, and the remedy. No line break at the end. A long chain shows its first 32
/// links.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let detail = self.detail.map(|detail| format!(" ({detail})")).unwrap_or_default();
        write!(f, "{} {}{detail}: {}", self.confidence, self.kind, printable(&self.sentence))?;
        for link in self.chain.iter().take(MAX_LINKS) {
            write!(f, "\n  {}", words(link))?;
        }
        if self.chain.len() > MAX_LINKS {
            write!(f, "\n  … and {} more", count((self.chain.len() - MAX_LINKS) as u64))?;
        }
        if let Some(behind) = self.behind {
            write!(f, "\n  waiting behind #{}", behind + 1)?;
        }
        if !self.victims.is_empty() {
            let numbers: Vec<String> = self.victims.iter().take(MAX_LINKS).map(TaskId::to_string).collect();
            let more = if self.victims.len() > MAX_LINKS { ", …" } else { "" };
            let noun = if self.victims.len() == 1 { "task waits" } else { "tasks wait" };
            let (count, numbers) = (count(self.victims.len() as u64), numbers.join(", "));
            write!(f, "\n  {count} {noun} behind it: {numbers}{more}")?;
        }
        write!(f, "\n  fix: {} (docs/verdicts.md, {})", self.remedy(), self.kind)
    }
}

/// `task 3 right holds at src/main.rs:9 for 1.20 s`.
fn words(link: &Link) -> String {
    let mut line = format!("{} {}", link.node, link.id);
    if !link.name.is_empty() {
        let _ = write!(line, " {}", printable(&link.name));
    }
    let _ = write!(line, " {}", link.role);
    if !link.file.is_empty() {
        let _ = write!(line, " at {}:{}", printable(&link.file), link.line);
    }
    let since = time(link.since_ns);
    let _ = match (link.node, link.role) {
        (LinkNode::Resource, _) | (_, LinkRole::Created | LinkRole::Granted) => write!(line, ", {since} ago"),
        _ => write!(line, " for {since}"),
    };
    line
}
