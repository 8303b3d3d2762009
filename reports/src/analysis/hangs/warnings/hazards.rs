//! Hazards that may become a hang: unpolled futures that were woken or hold locks.

use super::warning::{SUSPECT_NS, warning};
use crate::analysis::hangs::facts::{Facts, IdMap};
use crate::analysis::hangs::system::Node;
use crate::analysis::hangs::verdict::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictKind};
use crate::analysis::hangs::words::{NamedCallers, acquired_words, at, link, resource_words};
use crate::model::{Holding, Resource, ResourceKind, TaskId, Wait};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::sort::sort_by_key;
use crate::units::{count, time};

/// Maximum number of futures shown per task, and per resource.
const MAX_FUTURES: usize = 8;

/// The hazards of tasks that are not stuck.
pub(crate) fn hazards(
    facts: &Facts<'_>,
    stuck: &OrderedSet<usize>,
    verdict_of_node: &IdMap<Node, usize>,
) -> Vec<Verdict> {
    let mut hazards = ignored_wakes(facts, stuck, verdict_of_node);
    for (index, it) in facts.snapshot.resources.iter().enumerate() {
        let waits = facts.waits_of_resource[index].iter().map(|&wait| &facts.snapshot.waits[wait]);
        let waiting: Vec<&Wait> =
            waits.filter(|wait| !wait.is_granted && wait.since_ns >= SUSPECT_NS).collect();
        if waiting.is_empty() {
            continue;
        }
        let holdings = it.holdings.iter().enumerate();
        let holdings =
            holdings.filter(|(number, _)| !verdict_of_node.contains_key(&Node::Holding(index, *number)));
        let holders = holdings.map(|(_, holding)| holding).filter(|holding| {
            let is_set_aside = facts.is_set_aside(holding) && !facts.is_in_awaited_group(holding);
            holding.since_ns >= SUSPECT_NS && is_set_aside
        });
        let unpolled =
            holders.filter_map(|holder| unpolled_holder(facts, stuck, (index, it), holder, &waiting));
        hazards.extend(unpolled.take(MAX_FUTURES));
    }
    hazards
}

/// Futures that were woken, while their task continues without polling them: they were granted
/// something that others wait for, or are still alive. An arm of a `select!` ends with it, and what
/// it waited for, such as `&mut stop`, is polled by the next one.
fn ignored_wakes(
    facts: &Facts<'_>,
    stuck: &OrderedSet<usize>,
    verdict_of_node: &IdMap<Node, usize>,
) -> Vec<Verdict> {
    let mut by_task: OrderedMap<usize, Vec<&Wait>> = OrderedMap::new();
    let waits = facts.snapshot.waits.iter().enumerate();
    for (_, wait) in waits.filter(|(index, _)| !verdict_of_node.contains_key(&Node::WaitEnd(*index))) {
        let is_alive = || facts.span(wait.span).is_some_and(|index| facts.snapshot.spans[index].is_set_aside);
        let is_old = wait.is_wake_ignored
            && wait.woken_ns.is_some_and(|woken_ns| woken_ns >= SUSPECT_NS)
            && (wait.is_granted || is_alive());
        if let Some(task) =
            facts.task_of(wait).filter(|task| is_old && !wait.is_unstable && !stuck.contains(task))
        {
            by_task.entry(task).or_default().push(wait);
        }
    }
    let verdict = |(task, mut waits): (usize, Vec<&Wait>)| {
        sort_by_key(&mut waits, |wait| (std::cmp::Reverse(wait.woken_ns), wait.id));
        let it = &facts.snapshot.tasks[task];
        let place = facts.place_of_task(it);
        let first = waits.first()?;
        let behind = behind(facts, first);
        let longest = behind.iter().max_by_key(|wait| wait.since_ns).and_then(|&wait| {
            let task = facts.task_of(wait)?;
            Some(facts.task_link(task, facts.place_of(wait).as_ref(), LinkRole::Waits, wait.since_ns))
        });
        let owner = facts.task_link(task, place.as_ref(), LinkRole::Waits, it.since_ns);
        let (mut chain, last) = match longest {
            Some(longest) => (vec![longest], Some(owner)),
            None => (vec![owner], None),
        };
        for wait in waits.iter().take(MAX_FUTURES) {
            chain.extend(facts.resource_of(wait).and_then(|index| facts.resource_link(index)));
            chain.push(future(facts, wait));
        }
        chain.extend(last);
        let (who, woken_ns) = (facts.task_words(it.id), first.woken_ns.unwrap_or(0));
        let futures = match waits.len() {
            1 => String::new(),
            many => format!("{} woken futures; the first is ", count(many as u64)),
        };
        let sentence = format!(
            "{who} stopped polling {futures}{}{} (woken {} ago); the task is waiting{} ({}){}",
            facts.future_words(first),
            at(facts.place_of(first).as_ref()),
            time(woken_ns),
            at(place.as_ref()),
            time(it.since_ns),
            behind_words(facts, first, &behind),
        );
        let mut verdict = warning(VerdictKind::Hazard, Confidence::Suspect, chain, sentence);
        verdict.victims = victims(&behind, &verdict.chain);
        Some(verdict)
    };
    by_task.into_iter().filter_map(verdict).collect()
}

/// The waits for the resource that was granted to this wait; empty if none was granted.
fn behind<'a>(facts: &Facts<'a>, granted: &Wait) -> Vec<&'a Wait> {
    let resource = facts.resource_of(granted).filter(|_| granted.is_granted);
    let queue = resource.map(|index| &facts.waits_of_resource[index]);
    let waits = queue.into_iter().flatten().map(|&wait| &facts.snapshot.waits[wait]);
    waits.filter(|wait| !wait.is_granted && wait.id != granted.id && facts.task_of(wait).is_some()).collect()
}

fn behind_words(facts: &Facts<'_>, granted: &Wait, behind: &[&Wait]) -> String {
    let it = facts.resource_of(granted).map(|index| &facts.snapshot.resources[index]);
    let Some(it) = it.filter(|_| !behind.is_empty()) else { return String::new() };
    format!("; {} was granted to that future, and {}", resource_words(it), waiters_words(facts, behind))
}

/// ``task 2 `left` is waiting for it (1.20 s)``, or `3 waiters are waiting for it (longest 1.20
/// s)`.
fn waiters_words(facts: &Facts<'_>, waits: &[&Wait]) -> String {
    let longest = time(waits.iter().map(|wait| wait.since_ns).max().unwrap_or(0));
    match waits {
        [wait] => format!("{} is waiting for it ({longest})", facts.waiter_words(wait)),
        _ => format!("{} waiters are waiting for it (longest {longest})", count(waits.len() as u64)),
    }
}

/// The waiting tasks that the chain does not show.
fn victims(behind: &[&Wait], chain: &[Link]) -> Vec<TaskId> {
    let is_shown = |id: &TaskId| chain.iter().any(|link| link.task() == Some(*id));
    let victims: OrderedSet<TaskId> = behind.iter().filter_map(|wait| wait.task).collect();
    victims.into_iter().filter(|id| !is_shown(id)).collect()
}

fn future(facts: &Facts<'_>, wait: &Wait) -> Link {
    let role = if wait.is_granted { LinkRole::Granted } else { LinkRole::Waits };
    let since_ns = wait.woken_ns.unwrap_or(wait.since_ns);
    link(
        LinkNode::Future,
        wait.id,
        facts.span_name(wait.span).unwrap_or_default(),
        facts.place_of(wait).as_ref(),
        role,
        since_ns,
    )
}

/// The verdict for a lock that an unpolled future holds.
fn unpolled_holder(
    facts: &Facts<'_>,
    stuck: &OrderedSet<usize>,
    (index, it): (usize, &Resource),
    holding: &Holding,
    waiting: &[&Wait],
) -> Option<Verdict> {
    let task = facts.task(holding.task?).filter(|task| !stuck.contains(task))?;
    let task = &facts.snapshot.tasks[task];
    let name = facts.span_name(holding.span)?;
    let longest = waiting.iter().max_by_key(|wait| wait.since_ns)?;
    let waiter = facts.task_of(longest).map(|task| {
        facts.task_link(task, facts.place_of(longest).as_ref(), LinkRole::Waits, longest.since_ns)
    });
    let holder = link(
        LinkNode::Future,
        holding.span?,
        name.clone(),
        holding.place.as_ref(),
        LinkRole::Holds,
        holding.since_ns,
    );
    let chain = waiter.into_iter().chain(facts.resource_link(index)).chain([holder]).collect();
    let (part, verb) = match it.kind {
        ResourceKind::Mpsc => ("a reserved slot of ", "reserved"),
        _ => ("", "acquired"),
    };
    let sentence = format!(
        "future `{name}` of {} has held {part}{} for {}{}, but its task stopped polling it; {}",
        facts.task_words(task.id),
        resource_words(it),
        time(holding.since_ns),
        acquired_words(verb, holding, &mut NamedCallers::default()),
        waiters_words(facts, waiting).replacen(
            "waiting for it",
            &format!("waiting for {}", resource_words(it)),
            1
        ),
    );
    let mut verdict = warning(VerdictKind::Hazard, Confidence::Suspect, chain, sentence);
    let victims: OrderedSet<TaskId> = waiting.iter().filter_map(|wait| wait.task).collect();
    verdict.victims = victims.into_iter().filter(|id| Some(*id) != longest.task).collect();
    Some(verdict)
}
