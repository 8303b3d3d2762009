//! Verdicts as text: a line that `grep` finds, the chain below it, and the tasks behind it.
//!
//! ```text
//! verdict: proven cycle: task 2 `left` is waiting for `Mutex#2` at src/main.rs:6 (1.20 s); task 3 `right` has held it …
//!   task 2 left waits at src/main.rs:6 for 1.20 s
//!   resource 2 Mutex created at src/main.rs:12, 2.40 s ago
//!   task 3 right holds at src/main.rs:9 for 1.20 s
//!   2 tasks wait behind it: 4, 6
//!   fix: acquire locks in the same order everywhere, or release one before waiting for the other (docs/verdicts.md, cycle)
//!   2 more like it: tasks 7, 8, 9, 11
//! ```
//! Folded, verdicts that differ only in ids and times are one: such as a leak of each permit of a
//! pool, at one line.

use std::fmt::{self, Write as _};

use crate::analysis::hangs::{Link, LinkNode, LinkRole, Verdict, alike};
use crate::clean::printable;
use crate::model::{Snapshot, TaskId};
use crate::ordered::OrderedSet;
use crate::units::{count, counted, time};

/// How many verdicts are written out, and how many of them folded.
const MAX_VERDICTS: usize = 100;
const MAX_FOLDED: usize = 10;
/// How many links of a chain, and how many ids of tasks behind it, are written out.
const MAX_LINKS: usize = 32;

/// Renders all verdicts; empty without any.
pub(crate) fn render(snapshot: &Snapshot) -> String {
    let verdicts = snapshot.verdicts();
    lines(&verdicts.iter().map(|verdict| vec![verdict]).collect::<Vec<_>>(), MAX_VERDICTS)
}

/// Renders the verdicts under their heading. `is_full`: each of them, and not only the first few.
pub(crate) fn section(verdicts: &[Verdict], is_full: bool) -> String {
    if verdicts.is_empty() {
        return "VERDICTS none\n".to_owned();
    }
    let lines = if is_full {
        lines(&verdicts.iter().map(|verdict| vec![verdict]).collect::<Vec<_>>(), MAX_VERDICTS)
    } else {
        lines(&alike(verdicts.iter()), MAX_FOLDED)
    };
    format!("VERDICTS {}\n{lines}", count(verdicts.len() as u64))
}

/// Renders the first verdict of each group, with a line about the others.
fn lines(groups: &[Vec<&Verdict>], bound: usize) -> String {
    let mut page = String::new();
    for group in groups.iter().take(bound) {
        let Some((first, others)) = group.split_first() else { continue };
        // Writing to a string cannot fail.
        let _ = writeln!(page, "verdict: {first}");
        if !others.is_empty() {
            let _ = writeln!(page, "  {}", others_words(first, others));
        }
    }
    let rest: usize = groups.iter().skip(bound).map(Vec::len).sum();
    if rest > 0 {
        let noun = if rest == 1 { "verdict" } else { "verdicts" };
        let _ = writeln!(page, "… and {} more {noun} (the JSON report has everything)", count(rest as u64));
    }
    page
}

/// `2 more like it: tasks 7, 8; 3 tasks wait behind them`, with the tasks that the first verdict
/// does not name.
fn others_words(first: &Verdict, others: &[&Verdict]) -> String {
    let named: OrderedSet<TaskId> = first.chain.iter().filter_map(Link::task).collect();
    let mut tasks: OrderedSet<TaskId> = OrderedSet::new();
    let mut victims: OrderedSet<TaskId> = OrderedSet::new();
    for verdict in others {
        tasks.extend(verdict.chain.iter().filter_map(Link::task).filter(|task| !named.contains(task)));
        victims.extend(verdict.victims.iter().copied());
    }
    let tasks: Vec<TaskId> = tasks.into_iter().collect();
    let mut words = format!("{} more like it", count(others.len() as u64));
    if !tasks.is_empty() {
        let noun = if tasks.len() == 1 { "task" } else { "tasks" };
        let _ = write!(words, ": {noun} {}", numbers(&tasks));
    }
    if !victims.is_empty() {
        let verb = if victims.len() == 1 { "waits" } else { "wait" };
        let _ = write!(words, "; {} {verb} behind them", counted(victims.len() as u64, "task"));
    }
    words
}

/// The first ids of tasks.
fn numbers(tasks: &[TaskId]) -> String {
    let more = if tasks.len() > MAX_LINKS { ", …" } else { "" };
    let numbers: Vec<String> = tasks.iter().take(MAX_LINKS).map(TaskId::to_string).collect();
    format!("{}{more}", numbers.join(", "))
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
            let noun = if self.victims.len() == 1 { "task waits" } else { "tasks wait" };
            let (count, numbers) = (count(self.victims.len() as u64), numbers(&self.victims));
            write!(f, "\n  {count} {noun} behind it: {numbers}")?;
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
