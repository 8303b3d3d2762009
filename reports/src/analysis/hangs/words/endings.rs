//! The ends of sentences: the consequence of a chain, and facts outside of it.

use std::fmt::Write as _;

use super::chain::Chain;
use super::names::{at, link, resource_words, units_words};
use crate::analysis::hangs::facts::{Facts, waits_for_event};
use crate::analysis::hangs::system::{Evidence, Node};
use crate::analysis::hangs::verdict::{Hang, LinkNode, LinkRole, VerdictDetail, VerdictKind};
use crate::model::{LastEvent, ResourceKind, Role, TaskId, Wait};
use crate::ordered::OrderedSet;
use crate::units::{counted, time};

/// The consequence of the chain, in words.
pub(crate) fn ending(facts: &Facts<'_>, hang: &Hang, evidence: Evidence) -> String {
    let resource = units_resource(facts, hang);
    if let Some(words) = suspected_ending(facts, hang).filter(|_| evidence == Evidence::Suspect) {
        return words;
    }
    match (hang.kind, hang.detail) {
        (VerdictKind::Cycle, Some(VerdictDetail::Knot)) => ": each of them is waiting for more".to_owned(),
        (VerdictKind::Cycle, _) => ": none of them can continue".to_owned(),
        (VerdictKind::SelfWait, _) => ": the task waits for itself".to_owned(),
        (VerdictKind::Futurelock, _) if matches!(hang.path.last(), Some(Node::WaitEnd(_))) => {
            ": no other task has polled that future since".to_owned()
        }
        (VerdictKind::Futurelock, Some(VerdictDetail::Unpolled)) => {
            ": only this task has it, and is stuck here: it would receive later, or owns a receiving future that it has never polled".to_owned()
        }
        (VerdictKind::Futurelock, _) if hang.path.iter().any(|it| matches!(it, Node::JoinArm(_))) => {
            ": only this arm of the join! can poll that future, and this arm is stuck here".to_owned()
        }
        (VerdictKind::Futurelock, _) => {
            ": only this task can poll that future, and this task is stuck here".to_owned()
        }
        (VerdictKind::Leak, _) => leak(facts, hang, resource, evidence),
        (VerdictKind::LostWaker, _) => {
            ": it returned Pending and no clone of its waker is left, so nothing can wake it".to_owned()
        }
        (VerdictKind::Starved, _) if matches!(hang.path.last(), Some(Node::Holding(..))) => {
            format!(", and {} could add more", nothing_else(evidence))
        }
        (VerdictKind::Starved, _) => match resource.map(|index| &facts.snapshot.resources[index]) {
            Some(it) => match it.capacity {
                Some(units) => {
                    format!(": {} has only {} in total", resource_words(it), units_words(it, units))
                }
                None => format!(": {} never has that many", resource_words(it)),
            },
            None => missing_notifier(facts, hang, evidence),
        },
        (VerdictKind::MissedNotify, _) => format!("; {} could notify it", nothing_else(evidence)),
        (VerdictKind::BlockedWorker, _) if hang.path.iter().any(|it| matches!(it, Node::FreeWorker(_))) => {
            ": no worker is free to run the task that would wake it".to_owned()
        }
        (VerdictKind::BlockedWorker, _) => {
            ": the code that would wake the blocked thread has to run on that thread".to_owned()
        }
        (VerdictKind::PoolExhausted, _) => {
            ": all blocking threads wait for blocking work that is queued behind them".to_owned()
        }
        _ => String::new(),
    }
}

/// The consequence of a chain that is only suspected, since other code may end one of its waits.
fn suspected_ending(facts: &Facts<'_>, hang: &Hang) -> Option<String> {
    let owner = hang.path.windows(2).find_map(|pair| match *pair {
        [Node::Holding(..) | Node::WaitEnd(_), Node::Task(task)] => Some(facts.snapshot.tasks[task].id),
        _ => None,
    });
    let owner = owner.map_or_else(|| "this task".to_owned(), |task| facts.task_words(task));
    let words = match (hang.kind, hang.detail) {
        (VerdictKind::Cycle, Some(VerdictDetail::Knot)) => return None,
        (VerdictKind::Cycle, _) => ": none of them can continue, unless other code ends one of these waits",
        (VerdictKind::SelfWait, _) => ": the task waits for itself, unless other code ends this wait",
        (VerdictKind::Futurelock, _) if matches!(hang.path.last(), Some(Node::WaitEnd(_))) => return None,
        (VerdictKind::Futurelock, Some(VerdictDetail::Unpolled)) => {
            return Some(format!(": if {owner} still has it, only that task can receive"));
        }
        (VerdictKind::Futurelock, _) => {
            return Some(format!(": if {owner} still owns that future, only that task can poll it"));
        }
        (VerdictKind::BlockedWorker, _) if hang.path.iter().any(|it| matches!(it, Node::FreeWorker(_))) => {
            ": no worker is free to run a task that could wake it"
        }
        (VerdictKind::BlockedWorker, _) => {
            ": known code that could wake the blocked thread has to run on that thread"
        }
        _ => return None,
    };
    Some(words.to_owned())
}

/// The resource of the last units on the path, unless its waits are for events.
fn units_resource(facts: &Facts<'_>, hang: &Hang) -> Option<usize> {
    let resource = hang.path.iter().rev().find_map(|node| match node {
        Node::FreeUnits(resource) | Node::AnyNotifier(resource) => Some(*resource),
        _ => None,
    });
    let has_units = |index: &usize| !waits_for_event(&facts.snapshot.resources[*index]);
    resource.filter(has_units)
}

/// The subject of clauses such as "could add one". A suspicion does not rule out other code.
fn nothing_else(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Exact | Evidence::Likely => "nothing else alive",
        Evidence::Suspect => "nothing known to have it",
    }
}

fn leak(facts: &Facts<'_>, hang: &Hang, resource: Option<usize>, evidence: Evidence) -> String {
    match resource.map(|index| &facts.snapshot.resources[index]) {
        Some(it) if it.forgotten > 0 => format!(
            ": forget() removed {} from {}{}{}, and {} could add one",
            counted(it.forgotten, "permit"),
            resource_words(it),
            if evidence == Evidence::Suspect { "" } else { " for good" },
            it.last_forgotten.as_ref().map(|forgot| last_forget_words(facts, forgot)).unwrap_or_default(),
            nothing_else(evidence),
        ),
        _ => match hang.path.last() {
            Some(&Node::Holding(resource, number)) => {
                let is_held = facts.snapshot.resources[resource].holdings[number].role == Role::Holds;
                format!(": it was never {}", if is_held { "released" } else { "dropped" })
            }
            _ if evidence == Evidence::Suspect => ": no other task is known to have the sender".to_owned(),
            _ => ": only this task could send a message or drop the sender".to_owned(),
        },
    }
}

fn last_forget_words(facts: &Facts<'_>, forgot: &LastEvent) -> String {
    let who = forgot.task.map(|id| format!(" by {}", facts.task_words(id))).unwrap_or_default();
    format!(", last{who}{} ({} ago)", at(forgot.place.as_ref()), time(forgot.ago_ns.unwrap_or(0)))
}

fn missing_notifier(facts: &Facts<'_>, hang: &Hang, evidence: Evidence) -> String {
    let index = hang.path.iter().find_map(|node| match node {
        Node::Wait(wait) => Some(facts.resource_of(&facts.snapshot.waits[*wait])?),
        _ => None,
    });
    match index.map(|index| &facts.snapshot.resources[index]) {
        Some(it) if it.kind == ResourceKind::Barrier => format!(
            "; {} of {} have arrived, and {} could arrive",
            it.filled,
            it.capacity.unwrap_or(0),
            nothing_else(evidence)
        ),
        Some(it) if it.kind == ResourceKind::Cancellation => {
            format!("; {} could cancel it", nothing_else(evidence))
        }
        Some(it) if it.kind == ResourceKind::TaskTracker => {
            format!("; {} could close it", nothing_else(evidence))
        }
        Some(it) if it.kind == ResourceKind::OnceCell => {
            format!("; {} could set it", nothing_else(evidence))
        }
        _ => format!("; {} could notify it", nothing_else(evidence)),
    }
}

/// Maximum number of holders of a knot that are named.
const MAX_HOLDERS: usize = 16;

/// Adds the other holders of a knot.
pub(crate) fn push_knot(chain: &mut Chain<'_>, facts: &Facts<'_>, index: usize, held: &[(usize, TaskId)]) {
    let it = &facts.snapshot.resources[index];
    let mut named: OrderedSet<TaskId> = OrderedSet::new();
    for &(number, id) in held {
        let holding = &it.holdings[number];
        if named.len() == MAX_HOLDERS {
            break;
        }
        let is_there = || chain.links.iter().any(|link| link.role == LinkRole::Holds && link.id == id.get());
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
    let _ = write!(
        chain.words,
        "; {} {} {} of {}",
        tasks.join(", "),
        if tasks.len() == 1 { "holds" } else { "hold" },
        counted(units, "permit"),
        resource_words(it)
    );
}

/// Adds a link for the task that last forgot permits.
pub(crate) fn push_last_forget(chain: &mut Chain<'_>, facts: &Facts<'_>, hang: &Hang) {
    let Some(forgot) =
        units_resource(facts, hang).and_then(|index| facts.snapshot.resources[index].last_forgotten.as_ref())
    else {
        return;
    };
    let task = forgot.task.and_then(|id| facts.task(id)).map(|index| &facts.snapshot.tasks[index]);
    let name = task.map_or_else(String::new, |task| facts.task_name(task));
    let node = if forgot.task.is_some() { LinkNode::Task } else { LinkNode::Thread };
    let (id, place) = (forgot.task.unwrap_or_default(), forgot.place.as_ref());
    chain.links.push(link(node, id, name, place, LinkRole::Holds, forgot.ago_ns.unwrap_or(0)));
}

/// Adds the last notification of the resource.
pub(crate) fn push_last_notify(chain: &mut Chain<'_>, facts: &Facts<'_>, wait: &Wait) {
    let Some(index) = facts.resource_of(wait) else { return };
    let it = &facts.snapshot.resources[index];
    // For a cancellation, the last event may concern another token of the tree.
    let Some(last) = it.last_notified.as_ref().filter(|_| it.kind != ResourceKind::Cancellation) else {
        return;
    };
    if let Some(id) = last.task {
        let name =
            facts.task(id).map_or_else(String::new, |index| facts.task_name(&facts.snapshot.tasks[index]));
        let node = LinkNode::Task;
        chain.links.push(link(node, id, name, last.place.as_ref(), LinkRole::Owns, last.ago_ns.unwrap_or(0)));
    }
    let event = match last.task {
        Some(id) => format!("{} last notified it", facts.task_words(id)),
        None => "its last notification came".to_owned(),
    };
    let _ = write!(
        chain.words,
        "; {event}{} ({} ago), {}",
        at(last.place.as_ref()),
        time(last.ago_ns.unwrap_or(0)),
        notified_words(last)
    );
}

/// Describes the waiters that a notification reached: `when it had no waiters`.
pub(crate) fn notified_words(notification: &LastEvent) -> String {
    match (notification.waiters, notification.is_broadcast) {
        (0, _) => "when it had no waiters".to_owned(),
        (1, _) => "which reached its only waiter".to_owned(),
        (waiters, true) => format!("which reached all {waiters} waiters"),
        (waiters, false) => format!("which reached 1 of {waiters} waiters"),
    }
}
