//! How sentences end: what follows from the chain, and what a chain cannot show.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::chain::Chain;
use super::names::{at, link, resource_name};
use crate::analysis::hangs::facts::Facts;
use crate::analysis::hangs::system::{Node, waits_for_event};
use crate::analysis::hangs::verdict::{Finding, LinkNode, LinkRole, VerdictDetail, VerdictKind};
use crate::model::{LastEvent, ResourceKind, Wait};
use crate::units::time;

/// What follows from the chain.
pub(crate) fn ending(facts: &Facts<'_>, finding: &Finding) -> String {
    let resource = units_resource(facts, finding);
    match (finding.kind, finding.detail) {
        (VerdictKind::Cycle, Some(VerdictDetail::Knot)) => ": all of them wait for more".to_owned(),
        (VerdictKind::Cycle, _) => ": none of them can go on".to_owned(),
        (VerdictKind::SelfWait, _) => ": it waits for itself".to_owned(),
        (VerdictKind::Futurelock, Some(VerdictDetail::Unpolled)) => {
            ": what receives there was never polled, and is with this task, which waits here".to_owned()
        }
        (VerdictKind::Futurelock, _) if finding.path.iter().any(|it| matches!(it, Node::JoinArm(_))) => {
            ": that future is only polled by this arm of the join!, which is stuck here".to_owned()
        }
        (VerdictKind::Futurelock, _) => {
            ": that future is only polled by this task, which is stuck here".to_owned()
        }
        (VerdictKind::Leak, _) => leak(facts, finding, resource),
        (VerdictKind::LostWaker, _) => {
            ": it returned Pending, no clone of its waker is kept, and nobody can wake it".to_owned()
        }
        (VerdictKind::Starved, _) => match resource.map(|index| &facts.snapshot.resources[index]) {
            Some(it) => format!(
                ": {} can never have so many, of {} in all",
                resource_name(it),
                it.capacity.map_or_else(|| "no known number".to_owned(), |units| units.to_string())
            ),
            None => missing_notifier(facts, finding),
        },
        (VerdictKind::MissedNotify, _) => "; nothing else is alive that could tell it".to_owned(),
        (VerdictKind::BlockedWorker, _)
            if finding.path.iter().any(|it| matches!(it, Node::FreeWorker(_))) =>
        {
            ": no worker is left to run what would wake it".to_owned()
        }
        (VerdictKind::BlockedWorker, _) => ": what would wake the blocked thread has to run on it".to_owned(),
        (VerdictKind::PoolExhausted, _) => {
            ": all threads for blocking work wait for blocking work that is queued behind them".to_owned()
        }
        _ => String::new(),
    }
}

/// The resource whose units the path ends with.
fn units_resource(facts: &Facts<'_>, finding: &Finding) -> Option<usize> {
    let resource = finding.path.iter().rev().find_map(|node| match node {
        Node::FreeUnits(resource) | Node::AnyNotifier(resource) => Some(*resource),
        _ => None,
    });
    let has_units = |index: &usize| !waits_for_event(facts.snapshot.resources[*index].kind);
    resource.filter(has_units)
}

fn leak(facts: &Facts<'_>, finding: &Finding, resource: Option<usize>) -> String {
    match resource.map(|index| &facts.snapshot.resources[index]) {
        Some(it) if it.forgotten > 0 => format!(
            ": {} taken out of {} for ever by forget(){}, and nobody is left who would give one back",
            if it.forgotten == 1 {
                "1 permit was".to_owned()
            } else {
                format!("{} permits were", it.forgotten)
            },
            resource_name(it),
            it.last_forgotten.as_ref().map(|forgot| last_forget_words(facts, forgot)).unwrap_or_default(),
        ),
        _ if matches!(finding.path.last(), Some(Node::Holding(..))) => ": it was never given back".to_owned(),
        _ => ": it waits for what only it could send, or let go of".to_owned(),
    }
}

fn last_forget_words(facts: &Facts<'_>, forgot: &LastEvent) -> String {
    let who = forgot.task.map(|id| format!(" by {}", facts.task_words(id))).unwrap_or_default();
    format!(", last{who}{} {} ago", at(forgot.place.as_ref()), time(forgot.ago_ns.unwrap_or(0)))
}

fn missing_notifier(facts: &Facts<'_>, finding: &Finding) -> String {
    let it = finding.path.iter().find_map(|node| match node {
        Node::Wait(wait) => facts.snapshot.resources.get(facts.snapshot.waits[*wait].resource?),
        _ => None,
    });
    match it {
        Some(it) if it.kind == ResourceKind::Barrier => format!(
            "; {} of {} have arrived, and nothing else is alive that could come",
            it.filled,
            it.capacity.unwrap_or(0)
        ),
        Some(it) if it.kind == ResourceKind::Cancellation => {
            "; nothing else is alive that could cancel it".to_owned()
        }
        _ => "; nothing else is alive that could tell it".to_owned(),
    }
}

/// How many holders of a knot are named.
const MAX_HOLDERS: usize = 16;

/// Adds the other holders of a knot.
pub(crate) fn push_knot(chain: &mut Chain<'_>, facts: &Facts<'_>, index: usize, held: &[(usize, u64)]) {
    let it = &facts.snapshot.resources[index];
    let mut named: BTreeSet<u64> = BTreeSet::new();
    for &(number, id) in held {
        let holding = &it.holdings[number];
        if named.len() == MAX_HOLDERS {
            break;
        }
        let is_there = || chain.links.iter().any(|link| link.role == LinkRole::Holds && link.id == id);
        if named.insert(id) && !is_there() {
            if let Some(task) = facts.task(id) {
                let place = holding.place.as_ref();
                chain.links.push(facts.task_link(task, place, LinkRole::Holds, holding.since_ns));
            }
        }
    }
    let tasks: Vec<String> = named.iter().map(|id| facts.task_words(*id)).collect();
    let units =
        held.iter().fold(0_u64, |sum, &(number, _)| sum.saturating_add(it.holdings[number].units.max(1)));
    let _ =
        write!(chain.words, "; {units} permits of {} are held by {}", resource_name(it), tasks.join(", "));
}

/// Adds the task that forgot permits last.
pub(crate) fn push_last_forget(chain: &mut Chain<'_>, facts: &Facts<'_>, finding: &Finding) {
    let Some(forgot) = units_resource(facts, finding)
        .and_then(|index| facts.snapshot.resources[index].last_forgotten.as_ref())
    else {
        return;
    };
    let task = forgot.task.and_then(|id| facts.task(id)).map(|index| &facts.snapshot.tasks[index]);
    let name = task.map_or_else(String::new, |task| facts.task_name(task));
    let node = if forgot.task.is_some() { LinkNode::Task } else { LinkNode::Thread };
    let (id, place) = (forgot.task.unwrap_or(0), forgot.place.as_ref());
    chain.links.push(link(node, id, name, place, LinkRole::Holds, forgot.ago_ns.unwrap_or(0)));
}

/// Adds the last notification of the resource.
pub(crate) fn push_last_notify(chain: &mut Chain<'_>, facts: &Facts<'_>, wait: &Wait) {
    let Some(it) = wait.resource.and_then(|index| facts.snapshot.resources.get(index)) else { return };
    let Some(last) = &it.last_notified else { return };
    if let Some(id) = last.task {
        let name =
            facts.task(id).map_or_else(String::new, |index| facts.task_name(&facts.snapshot.tasks[index]));
        let node = LinkNode::Task;
        chain.links.push(link(node, id, name, last.place.as_ref(), LinkRole::Owns, last.ago_ns.unwrap_or(0)));
    }
    let who = last.task.map(|id| format!(" by {}", facts.task_words(id))).unwrap_or_default();
    let what = match (last.waiters, last.is_broadcast) {
        (0, _) => "when nobody waited".to_owned(),
        (waiting, true) => format!("and so were all {waiting} who waited then"),
        (1, false) => "and so was the one who waited then".to_owned(),
        (waiting, false) => format!("and so was one of the {waiting} who waited then"),
    };
    let _ = write!(
        chain.words,
        "; it was told last {} ago{who}{}, {what}",
        time(last.ago_ns.unwrap_or(0)),
        at(last.place.as_ref())
    );
}
