//! The rule `stuck.*`: every verdict that no other verdict explains, and hazards as `parked`.
//!
//! A verdict behind another one ends with its cause, so it is not reported again.

use std::fmt::Write as _;

use super::facts::Facts;
use super::finding::{Finding, MAX_IDS, Severity};
use super::rule::Rule;
use crate::analysis::hangs::{Confidence, Link, Verdict, VerdictKind};
use crate::index::TasksById;
use crate::model::{Place, ResourceId, Snapshot, TaskId};
use crate::ordered::OrderedSet;
use crate::units::counted;

pub(super) fn find(facts: &mut Facts<'_>, verdicts: &[Verdict]) -> Vec<Finding> {
    let tasks = TasksById::new(&facts.snapshot.tasks);
    let mut findings = Vec::new();
    for (number, verdict) in verdicts.iter().enumerate().filter(|(_, verdict)| is_sure(verdict)) {
        facts.stuck_tasks.extend(verdict.chain.iter().filter_map(Link::task));
        facts.stuck_tasks.extend(verdict.victims.iter().copied());
        facts.stuck_resources.extend(verdict.chain.iter().filter_map(Link::resource));
        if verdict.root_cause {
            findings.push(of_verdict(facts.snapshot, number, verdict, &tasks));
        }
    }
    findings
}

/// Whether a verdict is a finding. A suspicion is one only if it follows from a chain of waits, and
/// is weak merely because unrecorded code could drop one of them: handlers in a connection of a
/// library. The others rest on the age of a wait, and healthy services have old waits.
fn is_sure(verdict: &Verdict) -> bool {
    let has_chain = matches!(
        verdict.kind,
        VerdictKind::Cycle | VerdictKind::SelfWait | VerdictKind::Futurelock | VerdictKind::Hazard
    );
    verdict.confidence != Confidence::Suspect || has_chain
}

fn of_verdict(snapshot: &Snapshot, number: usize, verdict: &Verdict, tasks: &TasksById<'_>) -> Finding {
    let mut sentence = format!("{} {}: {}", verdict.confidence, verdict.kind, verdict.sentence);
    if !verdict.victims.is_empty() {
        let verb = if verdict.victims.len() == 1 { "waits" } else { "wait" };
        // Writing to a string cannot fail.
        let _ = write!(sentence, "; {} {verb} behind", counted(verdict.victims.len() as u64, "task"));
    }
    let (rule, severity) = match verdict.kind {
        // Nothing is stuck yet.
        VerdictKind::Hazard => (Rule::Parked, Severity::Risk),
        kind if verdict.confidence == Confidence::Suspect && !is_in_handlers(verdict, tasks) => {
            (Rule::Stuck(kind), Severity::Risk)
        }
        kind => (Rule::Stuck(kind), Severity::Stuck),
    };
    let mut finding = Finding::new(rule, severity, &sentence, verdict.remedy());
    finding.place = place(snapshot, verdict);
    let chained = verdict.chain.iter().filter_map(Link::task);
    let ids: OrderedSet<TaskId> = chained.chain(verdict.victims.iter().copied()).collect();
    let since_ns = ids.iter().filter_map(|&id| tasks.get(id)).map(|task| task.since_ns);
    finding.explains_ns = since_ns.fold(0, u64::saturating_add);
    finding.evidence.tasks = ids.into_iter().take(MAX_IDS).collect();
    let mut resources: Vec<ResourceId> = Vec::new();
    for id in verdict.chain.iter().filter_map(Link::resource) {
        if resources.len() < MAX_IDS && !resources.contains(&id) {
            resources.push(id);
        }
    }
    finding.evidence.resources = resources;
    finding.evidence.verdict = Some(number);
    finding
}

/// Whether all tasks of the chain are roots in unrecorded tasks, as handlers are. Code that drops
/// them is a library's, which seldom does; other code is the program's own, which may well do.
fn is_in_handlers(verdict: &Verdict, tasks: &TasksById<'_>) -> bool {
    let chained = verdict.chain.iter().filter_map(Link::task).filter_map(|id| tasks.get(id));
    chained.into_iter().all(|task| task.is_unspawned)
}

/// The first line of the chain, with the column of a wait there.
fn place(snapshot: &Snapshot, verdict: &Verdict) -> Option<Place> {
    let link = verdict.chain.iter().find(|link| !link.file.is_empty())?;
    let places = snapshot.waits.iter().filter_map(|wait| wait.place.as_ref());
    let own = places.filter(|place| place.line == link.line && place.file == link.file.as_str()).min();
    Some(own.cloned().unwrap_or_else(|| Place {
        file: link.file.as_str().into(),
        line: link.line,
        column: 1,
    }))
}
