//! What may become a hang: futures that were woken and are not polled, and locks that such futures hold.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::Facts;
use super::remarks::{SUSPECT_NS, remark};
use super::verdict::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictKind};
use super::words::{at, link, resource};
use crate::export::units::{counted, time};
use crate::model::{Resource, Stake, Wait};

/// So many futures of one task are shown.
const MAX_FUTURES: usize = 8;

/// The hazards of tasks that are not stuck.
pub(super) fn hazards(facts: &Facts<'_>, stuck: &BTreeSet<usize>) -> Vec<Verdict> {
    let mut hazards = snoozed(facts, stuck);
    for (index, it) in facts.snapshot.resources.iter().enumerate() {
        let waits = facts.queues[index].iter().map(|&wait| &facts.snapshot.waits[wait]);
        let waiting: Vec<&Wait> =
            waits.filter(|wait| !wait.is_granted && wait.since_ns >= SUSPECT_NS).collect();
        if waiting.is_empty() {
            continue;
        }
        let holders =
            it.stakes.iter().filter(|stake| stake.since_ns >= SUSPECT_NS && facts.is_set_aside(stake));
        hazards.extend(holders.filter_map(|holder| held(facts, stuck, (index, it), holder, &waiting)));
    }
    hazards
}

/// Futures that were woken, while their task goes on without them.
fn snoozed(facts: &Facts<'_>, stuck: &BTreeSet<usize>) -> Vec<Verdict> {
    let mut by_task: BTreeMap<usize, Vec<&Wait>> = BTreeMap::new();
    for wait in &facts.snapshot.waits {
        let is_old = wait.is_snoozed && wait.woken_ns.is_some_and(|woken_ns| woken_ns >= SUSPECT_NS);
        if let Some(task) =
            facts.task_of(wait).filter(|task| is_old && !wait.is_unstable && !stuck.contains(task))
        {
            by_task.entry(task).or_default().push(wait);
        }
    }
    let verdict = |(task, mut waits): (usize, Vec<&Wait>)| {
        waits.sort_by_key(|wait| (std::cmp::Reverse(wait.woken_ns), wait.id));
        let it = &facts.snapshot.tasks[task];
        let place = facts.place_of_task(it);
        let mut chain = vec![facts.task_link(task, place.as_ref(), LinkRole::Waits, it.since_ns)];
        for wait in waits.iter().take(MAX_FUTURES) {
            chain.extend(wait.resource.and_then(|index| facts.resource_link(index)));
            chain.push(future(facts, wait));
        }
        let first = waits.first()?;
        let sentence = format!(
            "{} of {} woken up to {} ago and not polled since, the first is `{}`{}; the task waits{} for {}",
            counted(waits.len() as u64, "future"),
            facts.task_words(it.id),
            time(first.woken_ns.unwrap_or(0)),
            facts.future_name(first),
            at(facts.place_of(first).as_ref()),
            at(place.as_ref()),
            time(it.since_ns),
        );
        Some(remark(VerdictKind::Hazard, Confidence::Suspect, chain, sentence))
    };
    by_task.into_iter().filter_map(verdict).collect()
}

fn future(facts: &Facts<'_>, wait: &Wait) -> Link {
    let role = if wait.is_granted { LinkRole::Granted } else { LinkRole::Waits };
    let since_ns = wait.woken_ns.unwrap_or(wait.since_ns);
    link(LinkNode::Future, wait.id, facts.future_name(wait), facts.place_of(wait).as_ref(), role, since_ns)
}

/// A lock that is held by a future which its task does not poll.
fn held(
    facts: &Facts<'_>,
    stuck: &BTreeSet<usize>,
    (index, it): (usize, &Resource),
    stake: &Stake,
    waiting: &[&Wait],
) -> Option<Verdict> {
    let task = facts.task(stake.task?).filter(|task| !stuck.contains(task))?;
    let task = &facts.snapshot.tasks[task];
    let name = facts.span_name(stake.span)?;
    let longest = waiting.iter().max_by_key(|wait| wait.since_ns)?;
    let waiter = facts.task_of(longest).map(|task| {
        facts.task_link(task, facts.place_of(longest).as_ref(), LinkRole::Waits, longest.since_ns)
    });
    let holder = link(
        LinkNode::Future,
        stake.span?,
        name.clone(),
        stake.place.as_ref(),
        LinkRole::Holds,
        stake.since_ns,
    );
    let chain = waiter.into_iter().chain(facts.resource_link(index)).chain([holder]).collect();
    let sentence = format!(
        "{} is held for {} by future `{name}` of {}, alive but not polled{}; {} for it, the longest for {}",
        resource(it),
        time(stake.since_ns),
        facts.task_words(task.id),
        at(stake.place.as_ref()),
        if waiting.len() == 1 { "one waits".to_owned() } else { format!("{} wait", waiting.len()) },
        time(longest.since_ns),
    );
    let mut verdict = remark(VerdictKind::Hazard, Confidence::Suspect, chain, sentence);
    let victims: BTreeSet<u64> = waiting.iter().filter_map(|wait| wait.task).collect();
    verdict.victims = victims.into_iter().filter(|id| Some(*id) != longest.task).collect();
    Some(verdict)
}
