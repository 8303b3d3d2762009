//! The rule `stuck.*`: every verdict that no other verdict explains, and hazards as `set_aside`.
//!
//! A verdict behind another one ends with its cause, so it is not reported again. If verdicts
//! differ only in ids and times, the first is reported, with the number of the others.

use std::fmt::Write as _;

use super::facts::Facts;
use super::finding::{Finding, MAX_IDS, Severity};
use super::rule::Rule;
use super::suspicion::{StoppedRequests, is_evident};
use crate::analysis::hangs::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictKind, alike};
use crate::model::{Attribution, Holding, Place, ResourceId, ResourceKind, Role, Snapshot, TaskId};
use crate::ordered::OrderedSet;
use crate::units::{count, counted};

pub(super) fn find(facts: &mut Facts<'_>, verdicts: &[Verdict]) -> Vec<Finding> {
    let stopped = StoppedRequests::new(facts);
    let verdicts_found: Vec<&Verdict> =
        verdicts.iter().filter(|verdict| is_finding(facts, &stopped, verdict)).collect();
    for verdict in &verdicts_found {
        facts.stuck_tasks.extend(verdict.chain.iter().filter_map(Link::task));
        facts.stuck_tasks.extend(verdict.victims.iter().copied());
        facts.stuck_resources.extend(verdict.chain.iter().filter_map(Link::resource));
    }
    let facts = &*facts;
    let causes = verdicts_found.into_iter().filter(|verdict| verdict.root_cause);
    let finding = |group: Vec<&Verdict>| {
        let (first, others) = group.split_first()?;
        let number = verdicts.iter().position(|verdict| std::ptr::eq(verdict, *first))?;
        Some(of_verdicts(facts, number, first, others))
    };
    alike(causes).into_iter().filter_map(finding).collect()
}

/// Returns whether a verdict is a finding. A suspicion is one if it follows from a chain of waits,
/// and is weak merely because unrecorded code could drop one of them: handlers in a connection of a
/// library. The others rest on the age of a wait, or on a guess, and need evidence of their own.
fn is_finding(facts: &Facts<'_>, stopped: &StoppedRequests, verdict: &Verdict) -> bool {
    let has_chain = matches!(
        verdict.kind,
        VerdictKind::Cycle | VerdictKind::SelfWait | VerdictKind::Futurelock | VerdictKind::Hazard
    );
    verdict.confidence != Confidence::Suspect
        || has_chain && !is_guessed(facts.snapshot, verdict)
        || is_evident(facts, stopped, verdict)
}

/// Returns whether a link of the chain is a guard, a permit or a channel end that can move, so that
/// code which is not on record may have it: a permit for the work of a thread, or a sender that was
/// forwarded in a message. The guard of a lock, and anything in a cycle of tasks that each wait, is
/// with its task unless something shows that it may not be.
fn is_guessed(snapshot: &Snapshot, verdict: &Verdict) -> bool {
    let is_cycle = verdict.kind == VerdictKind::Cycle;
    let mut resource = None;
    verdict.chain.iter().any(|link| {
        resource = link.resource().and_then(|id| snapshot.resource(id)).or(resource);
        let is_it = |holding: &&Holding| match link.role {
            LinkRole::Holds => holding.role == Role::Holds && holding.since_ns == link.since_ns,
            LinkRole::Owns => holding.role != Role::Holds && holding.since_ns == link.since_ns,
            _ => false,
        };
        resource.is_some_and(|it| {
            let is_lock = matches!(it.kind, ResourceKind::Mutex | ResourceKind::RwLock);
            let is_seen = |holding: &Holding| holding.attribution <= Attribution::Unmoved;
            // A future that its task has set aside is with that task, unless it is in a box.
            let is_pinned = |holding: &Holding| link.node == LinkNode::Future && !holding.may_have_moved;
            let is_guess = |holding: &Holding| {
                let is_known = is_pinned(holding) || is_seen(holding) && (is_cycle || is_lock);
                holding.is_movable && !is_known
            };
            it.holdings.iter().filter(is_it).any(is_guess)
        })
    })
}

fn of_verdicts(facts: &Facts<'_>, number: usize, verdict: &Verdict, others: &[&Verdict]) -> Finding {
    let mut sentence = format!("{} {}: {}", verdict.confidence, verdict.kind, verdict.sentence);
    if !verdict.victims.is_empty() {
        let verb = if verdict.victims.len() == 1 { "waits" } else { "wait" };
        // Writing to a string cannot fail.
        let _ = write!(sentence, "; {} {verb} behind", counted(verdict.victims.len() as u64, "task"));
    }
    if !others.is_empty() {
        let _ = write!(sentence, "; {} more like it", count(others.len() as u64));
    }
    let (rule, severity) = match verdict.kind {
        // Nothing is stuck yet.
        VerdictKind::Hazard => (Rule::SetAside, Severity::Risk),
        kind if verdict.confidence == Confidence::Suspect && !is_in_handlers(verdict, facts) => {
            (Rule::Stuck(kind), Severity::Risk)
        }
        kind => (Rule::Stuck(kind), Severity::Stuck),
    };
    let mut finding = Finding::new(rule, severity, &sentence, verdict.remedy());
    finding.place = place(facts.snapshot, verdict);
    let mut ids: OrderedSet<TaskId> = OrderedSet::new();
    for it in std::iter::once(&verdict).chain(others) {
        ids.extend(it.chain.iter().filter_map(Link::task));
        ids.extend(it.victims.iter().copied());
    }
    let since_ns = ids.iter().filter_map(|&id| facts.task(id)).map(|task| task.since_ns);
    finding.explains_ns = since_ns.fold(0, u64::saturating_add);
    finding.evidence.set_tasks(ids);
    let mut resources: Vec<ResourceId> = Vec::new();
    let chains = std::iter::once(&verdict).chain(others).flat_map(|it| &it.chain);
    for id in chains.filter_map(Link::resource) {
        if resources.len() < MAX_IDS && !resources.contains(&id) {
            resources.push(id);
        }
    }
    finding.evidence.resources = resources;
    finding.evidence.verdict = Some(number);
    finding
}

/// Returns whether all tasks of the chain are roots in unrecorded tasks, as handlers are. Code that
/// drops them is a library's, which seldom does; other code is the program's own, which may well
/// do.
fn is_in_handlers(verdict: &Verdict, facts: &Facts<'_>) -> bool {
    let chained = verdict.chain.iter().filter_map(Link::task).filter_map(|id| facts.task(id));
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
