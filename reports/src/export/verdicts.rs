//! Verdicts as text: a line that `grep` finds, the chain under it, and who waits behind it.
//!
//! ```text
//! verdict: proven cycle: task 2 `left` waits for Mutex#2 at src/main.rs:6 for 1.20 s, held by …
//!   task 2 left waits at src/main.rs:6 for 1.20 s
//!   resource 2 Mutex created at src/main.rs:12, 2.40 s ago
//!   task 3 right holds since src/main.rs:9, for 1.20 s
//!   2 tasks wait behind it: 4, 6
//! ```

use std::fmt::Write as _;

use crate::analysis::hangs::{Link, LinkNode, LinkRole, Verdict};
use crate::export::units::{count, time};
use crate::model::Snapshot;

/// So many verdicts are written out.
const MAX_VERDICTS: usize = 100;
/// So many links of a chain, and numbers of tasks behind it.
const MAX_LINKS: usize = 32;

/// Renders all verdicts; nothing if there are none.
pub(crate) fn render(snapshot: &Snapshot) -> String {
    let verdicts = snapshot.verdicts();
    let mut page = String::new();
    for verdict in verdicts.iter().take(MAX_VERDICTS) {
        write_verdict(&mut page, verdict);
    }
    if verdicts.len() > MAX_VERDICTS {
        let rest = count((verdicts.len() - MAX_VERDICTS) as u64);
        // Writing to a string cannot fail.
        let _ = writeln!(page, "… and {rest} verdicts more (the JSON report has everything)");
    }
    page
}

fn write_verdict(page: &mut String, verdict: &Verdict) {
    let detail = verdict.detail.map(|detail| format!(" ({detail})")).unwrap_or_default();
    let _ = writeln!(page, "verdict: {} {}{detail}: {}", verdict.confidence, verdict.kind, verdict.sentence);
    for link in verdict.chain.iter().take(MAX_LINKS) {
        let _ = writeln!(page, "  {}", words(link));
    }
    if verdict.chain.len() > MAX_LINKS {
        let _ = writeln!(page, "  … and {} more", count((verdict.chain.len() - MAX_LINKS) as u64));
    }
    if let Some(behind) = verdict.behind {
        let _ = writeln!(page, "  waiting behind #{}", behind + 1);
    }
    if !verdict.victims.is_empty() {
        let victims = &verdict.victims;
        let numbers: Vec<String> = victims.iter().take(MAX_LINKS).map(u64::to_string).collect();
        let more = if victims.len() > MAX_LINKS { ", …" } else { "" };
        let noun = if victims.len() == 1 { "task waits" } else { "tasks wait" };
        let numbers = numbers.join(", ");
        let _ = writeln!(page, "  {} {noun} behind it: {numbers}{more}", count(victims.len() as u64));
    }
}

/// `task 3 right holds, since src/main.rs:9, for 1.20 s`.
fn words(link: &Link) -> String {
    let mut line = format!("{} {}", link.node, link.id);
    if !link.name.is_empty() {
        let _ = write!(line, " {}", link.name);
    }
    let _ = write!(line, " {}", link.role);
    if !link.file.is_empty() {
        let _ = write!(line, " at {}:{}", link.file, link.line);
    }
    let since = time(link.since_ns);
    let _ = match (link.node, link.role) {
        (LinkNode::Resource, _) | (_, LinkRole::Created) => write!(line, ", {since} ago"),
        _ => write!(line, " for {since}"),
    };
    line
}
