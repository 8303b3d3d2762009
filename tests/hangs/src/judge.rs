//! Judges the outcome and the verdicts of a program against its row.

use crate::look::{Link, Look, Verdict};
use crate::row::{Finding, Flavor, Row};
use crate::source::{Marks, file_name};

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The program ended.
    Ended,
    /// The program did not end.
    GoesOn,
    /// The program panicked, or the process hung as a whole.
    Failed,
}

/// Describes what is wrong with the outcome; `None` if it is right.
#[must_use]
pub fn outcome(row: &Row, flavor: Flavor, outcome: Outcome) -> Option<String> {
    match (outcome, row.ends_on(flavor)) {
        (Outcome::Ended, true) | (Outcome::GoesOn, false) => None,
        (Outcome::Ended, false) => Some("ended".to_owned()),
        (Outcome::GoesOn, true) => Some("did not end".to_owned()),
        (Outcome::Failed, _) => Some("failed".to_owned()),
    }
}

/// Whether a look has a proven verdict: that of a program that ends is false.
#[must_use]
pub fn is_proven(looks: &[Look]) -> bool {
    let verdicts = looks.iter().filter_map(|look| look.verdicts.as_ref()).flatten();
    verdicts.into_iter().any(|verdict| verdict.confidence == "proven")
}

/// Describes what is wrong with the verdicts of the looks; `None` if they are right.
#[must_use]
pub fn looks(row: &Row, flavor: Flavor, marks: &Marks, looks: &[Look]) -> Option<String> {
    if looks.iter().any(|look| look.verdicts.is_none()) {
        return Some("no list of verdicts in the dump".to_owned());
    }
    if looks.iter().any(|look| !look.is_same_when_read) {
        return Some("the saved snapshot says something else when it is read".to_owned());
    }
    let findings = row.findings(flavor);
    // A hang may be found before it has its final detail: the first future in a queue may be
    // granted the lock only later.
    let forms: Vec<Finding> = findings.iter().map(|finding| Finding { detail: None, ..*finding }).collect();
    for (number, look) in (1..).zip(looks) {
        let allowed = if number == looks.len() { &findings } else { &forms };
        let verdicts = look.verdicts.as_deref().unwrap_or_default();
        let is_control = findings.is_empty();
        let is_wrong = |verdict: &&Verdict| match verdict.confidence.as_str() {
            "proven" => !is_right(verdicts, verdict, row, allowed, marks),
            "likely" => is_control && row.seeming().all(|seems| seems.kind != verdict.kind),
            _ => false,
        };
        if let Some(verdict) = verdicts.iter().find(is_wrong) {
            return Some(format!("at {} ms {}", look.at_ms, shown(verdict)));
        }
        // A suspicion is true: it says that code which is not on record may help. It need be no
        // finding.
        let is_judged = is_control && row.is_healthy;
        let is_false = |rule: &&String| is_judged && !row.seeming().any(|seems| seems.is_rule(rule));
        if let Some(rule) = look.findings.iter().find(is_false) {
            return Some(format!("at {} ms the finding {rule}", look.at_ms));
        }
    }
    if findings.is_empty() {
        return None;
    }
    let Some(last) = looks.last() else { return Some("there was no look".to_owned()) };
    if is_said(row, flavor, marks, last) {
        return None;
    }
    let verdicts = last.verdicts.as_deref().unwrap_or_default();
    let near = |verdict: &&Verdict| findings.iter().any(|finding| finding.kind == verdict.kind);
    Some(match verdicts.iter().find(near).or(verdicts.first()) {
        None => format!("no {} at {} ms, in {} looks", findings[0].kind, last.at_ms, looks.len()),
        Some(verdict) => {
            let why = findings.iter().find_map(|finding| mismatch(verdict, *finding, marks));
            format!("{}: {}", why.unwrap_or_default(), shown(verdict))
        }
    })
}

/// Whether a look has the verdict that is expected in the end. A control needs none.
#[must_use]
pub fn is_said(row: &Row, flavor: Flavor, marks: &Marks, look: &Look) -> bool {
    let findings = row.findings(flavor);
    let is_it = |it: &Verdict| findings.iter().any(|finding| mismatch(it, *finding, marks).is_none());
    findings.is_empty() || look.verdicts.as_deref().unwrap_or_default().iter().any(is_it)
}

/// Whether an alarm is about the expected kind of hang. Its details may not be known so early.
#[must_use]
pub fn is_alarmed(row: &Row, flavor: Flavor, alarm: &str) -> bool {
    let is_it = |finding: &Finding| {
        let words = alarm.strip_prefix("proven ").or_else(|| alarm.strip_prefix("likely "));
        words
            .and_then(|words| words.strip_prefix(finding.kind))
            .is_some_and(|rest| rest.starts_with([':', ' ']))
    };
    row.findings(flavor).iter().any(is_it)
}

/// The expected verdict of the last look, in the words of the table, and its sentence; `None` if
/// the look has none.
#[must_use]
pub fn said(row: &Row, flavor: Flavor, marks: &Marks, looks: &[Look]) -> Option<(String, String)> {
    let findings = row.findings(flavor);
    let is_it = |it: &&Verdict| findings.iter().any(|finding| mismatch(it, *finding, marks).is_none());
    let verdict = looks.last()?.verdicts.as_ref()?.iter().find(is_it)?;
    let detail = verdict.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
    let said = format!("{} {}{detail}", verdict.confidence, verdict.kind);
    let sentence = format!("{said}: {}", verdict.sentence);
    Some((said, sentence))
}

/// Whether a proven verdict is right: it is expected, or of the kind that is true beside the
/// expected one, or it waits behind an expected one.
fn is_right(all: &[Verdict], verdict: &Verdict, row: &Row, findings: &[Finding], marks: &Marks) -> bool {
    let is_said = findings.iter().any(|finding| mismatch(verdict, *finding, marks).is_none());
    let is_beside = !findings.is_empty() && row.beside == Some(verdict.kind.as_str());
    let is_behind = || {
        let cause = verdict.behind.filter(|_| !verdict.root_cause).and_then(|index| all.get(index));
        // The cause must be a root cause: a chain of two causes would be wrong.
        cause.is_some_and(|cause| {
            cause.root_cause && findings.iter().any(|finding| mismatch(cause, *finding, marks).is_none())
        })
    };
    is_said || is_beside || is_behind()
}

/// The place and the message of the first panic that was written to stderr, on a line.
#[must_use]
pub fn panic_in(errors: &str) -> Option<String> {
    let (_, rest) = errors.split_once(" panicked at ")?;
    let mut lines = rest.lines();
    Some(format!("{} {}", lines.next()?, lines.next().unwrap_or_default()))
}

/// Describes how a verdict differs from the expected one; `None` if it does not.
fn mismatch(verdict: &Verdict, finding: Finding, marks: &Marks) -> Option<String> {
    if verdict.kind != finding.kind {
        return Some(format!("no {}", finding.kind));
    }
    if finding.detail.is_some() && verdict.detail.as_deref() != finding.detail {
        return Some(format!("not {}", finding.detail.unwrap_or_default()));
    }
    if verdict.confidence != finding.confidence {
        return Some(format!("not {}", finding.confidence));
    }
    let waits = ["waits", "queued", "blocked", "running"];
    if !verdict.chain.iter().any(|link| is_at(link, &waits, &marks.waits, marks)) {
        return Some(format!("nothing waits at {:?}", marks.waits));
    }
    let holds = ["granted", "holds", "owns", "queued", "running", "blocked", "created"];
    let is_held =
        marks.holds.is_empty() || verdict.chain.iter().any(|link| is_at(link, &holds, &marks.holds, marks));
    if !is_held {
        return Some(format!("nothing holds at {:?}", marks.holds));
    }
    let is_there = |line: &&u64| verdict.chain.iter().any(|link| stands_at(link, &[**line], marks));
    let missing: Vec<u64> = marks.shown.iter().filter(|line| !is_there(line)).copied().collect();
    (!missing.is_empty()).then(|| format!("{missing:?} are not shown"))
}

fn is_at(link: &Link, roles: &[&str], lines: &[u64], marks: &Marks) -> bool {
    roles.contains(&link.role.as_str()) && stands_at(link, lines, marks)
}

/// Whether the link, or one of its callers, is on one of these lines.
fn stands_at(link: &Link, lines: &[u64], marks: &Marks) -> bool {
    let is_it = |file: &str, line: u64| lines.contains(&line) && file_name(file) == marks.file;
    is_it(&link.file, link.line) || link.callers.iter().any(|(file, line)| is_it(file, *line))
}

fn shown(verdict: &Verdict) -> String {
    let detail = verdict.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
    let chain: Vec<String> = verdict
        .chain
        .iter()
        .map(|link| format!("{} {} {}:{}", link.name, link.role, file_name(&link.file), link.line))
        .collect();
    format!("{} {}{detail}: {} [{}]", verdict.confidence, verdict.kind, verdict.sentence, chain.join(" → "))
}
