//! Verdicts as text: a line that `grep` finds, the chain below it, and the tasks behind it.
//!
//! ```text
//! verdict: proven cycle: task 2 `left` is waiting for `Mutex#2` at src/main.rs:6 (1.20 s); task 3 `right` has held it …
//!   task 2 left waits at src/main.rs:6 for 1.20 s
//!   resource 2 Mutex created at src/main.rs:12, on record for 2.40 s
//!   task 3 right holds at src/main.rs:9 for 1.20 s
//!   2 tasks wait behind it: 4, 6
//!   fix: acquire locks in the same order everywhere, or release one before waiting for the other (docs/verdicts.md, cycle)
//!   2 more like it: tasks 7, 8, 9, 11
//! ```
//! In the text report, the finding above it has the sentence:
//! `verdict: proven cycle: see finding 1`.
//!
//! The folded report shows one of several verdicts that differ only in ids and times, such as leaks
//! of all permits of a pool on one line.

use std::fmt::{self, Write as _};

use crate::analysis::findings::Finding;
use crate::analysis::hangs::{Link, LinkNode, LinkRole, Verdict, alike};
use crate::clean::printable;
use crate::model::{Snapshot, TaskId};
use crate::ordered::OrderedSet;
use crate::units::{count, counted, time};

/// Maximum number of verdicts in the full and in the folded report.
const MAX_VERDICTS: usize = 100;
const MAX_FOLDED: usize = 10;
/// Maximum number of links of a chain, and of ids of tasks behind it, that are written.
const MAX_LINKS: usize = 32;

/// Renders all verdicts. The text is empty if there are none.
pub(crate) fn render(snapshot: &Snapshot) -> String {
    let verdicts = snapshot.verdicts();
    lines(&verdicts, &each(&verdicts), MAX_VERDICTS, |_| None)
}

/// Renders the verdicts with their heading. A verdict whose sentence is in the `findings` above
/// refers to that finding. `is_full` renders every verdict, not only the first few.
pub(crate) fn section(verdicts: &[Verdict], findings: &[Finding], is_full: bool) -> String {
    if verdicts.is_empty() {
        return "VERDICTS none\n".to_owned();
    }
    let finding = |verdict: &Verdict| {
        let is_it = |finding: &Finding| {
            let reported = finding.evidence.verdict.and_then(|number| verdicts.get(number));
            reported.is_some_and(|reported| std::ptr::eq(reported, verdict))
        };
        findings.iter().position(is_it).map(|index| index + 1)
    };
    let lines = if is_full {
        lines(verdicts, &each(verdicts), MAX_VERDICTS, finding)
    } else {
        lines(verdicts, &alike(verdicts.iter()), MAX_FOLDED, finding)
    };
    format!("VERDICTS {}\n{lines}", count(verdicts.len() as u64))
}

/// Groups of one verdict each.
fn each(verdicts: &[Verdict]) -> Vec<Vec<&Verdict>> {
    verdicts.iter().map(|verdict| vec![verdict]).collect()
}

/// Renders the first verdict of each group, with a line about the others. `finding` returns the
/// number of the finding with the same sentence.
fn lines(
    all: &[Verdict],
    groups: &[Vec<&Verdict>],
    bound: usize,
    finding: impl Fn(&Verdict) -> Option<usize>,
) -> String {
    let mut page = String::new();
    for group in groups.iter().take(bound) {
        let Some((first, others)) = group.split_first() else { continue };
        let sentence = match finding(first) {
            Some(number) => format!("see finding {number}"),
            None => printable(&first.sentence),
        };
        let behind = first.behind.and_then(|index| all.get(index));
        // Writing to a string cannot fail.
        let _ = writeln!(page, "verdict: {}", Said { verdict: first, sentence: &sentence, behind });
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
        Said { verdict: self, sentence: &printable(&self.sentence), behind: None }.fmt(f)
    }
}

/// A verdict, with the text that replaces its sentence.
struct Said<'a> {
    verdict: &'a Verdict,
    sentence: &'a str,
    /// The verdict to resolve first, if known.
    behind: Option<&'a Verdict>,
}

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verdict: it, sentence, behind } = self;
        let detail = it.detail.map(|detail| format!(" ({detail})")).unwrap_or_default();
        write!(f, "{} {}{detail}: {sentence}", it.confidence, it.kind)?;
        for link in it.chain.iter().take(MAX_LINKS) {
            write!(f, "\n  {}", words(link))?;
        }
        if it.chain.len() > MAX_LINKS {
            write!(f, "\n  … and {} more", count((it.chain.len() - MAX_LINKS) as u64))?;
        }
        if it.behind.is_some() {
            f.write_str("\n  waiting behind another verdict")?;
        }
        if let Some(behind) = behind {
            write!(f, ": {} {}", behind.confidence, behind.kind)?;
            if let Some(link) = behind.chain.first() {
                write!(f, " of {}", named(link))?;
            }
        }
        if !it.victims.is_empty() {
            let noun = if it.victims.len() == 1 { "task waits" } else { "tasks wait" };
            let (count, numbers) = (count(it.victims.len() as u64), numbers(&it.victims));
            write!(f, "\n  {count} {noun} behind it: {numbers}")?;
        }
        write!(f, "\n  fix: {} (docs/verdicts.md, {})", it.remedy(), it.kind)
    }
}

/// `task 3 right holds at src/main.rs:9 for 1.20 s`.
fn words(link: &Link) -> String {
    let mut line = named(link);
    // The role `created` is shown only with a place.
    if link.role != LinkRole::Created || !link.file.is_empty() {
        let _ = write!(line, " {}", link.role);
    }
    if !link.file.is_empty() {
        let _ = write!(line, " at {}:{}", printable(&link.file), link.line);
    }
    let since = time(link.since_ns);
    let _ = match (link.node, link.role) {
        // A resource is on record only since its first use.
        (LinkNode::Resource, _) | (_, LinkRole::Created) => write!(line, ", on record for {since}"),
        (_, LinkRole::Granted) => write!(line, ", {since} ago"),
        _ => write!(line, " for {since}"),
    };
    line
}

/// `task 3 right`.
fn named(link: &Link) -> String {
    let mut name = format!("{} {}", link.node, link.id);
    if !link.name.is_empty() {
        let _ = write!(name, " {}", printable(&link.name));
    }
    name
}
