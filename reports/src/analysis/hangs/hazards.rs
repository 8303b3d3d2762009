//! What may become a hang: futures that were woken and are not polled, and locks that such futures hold.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::Facts;
use super::remarks::{SUSPECT_NS, remark};
use super::verdict::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictKind};
use super::words::{at, link, place, resource};
use crate::export::units::time;
use crate::model::{Resource, Stake, Wait};

/// So many futures of one task are shown, and of one resource.
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
        let held = holders.filter_map(|holder| held(facts, stuck, (index, it), holder, &waiting));
        hazards.extend(held.take(MAX_FUTURES));
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
        let (who, woken_ns) = (facts.task_words(it.id), first.woken_ns.unwrap_or(0));
        let futures = match waits.len() {
            1 => format!("a future of {who} was woken {} ago and not polled since:", time(woken_ns)),
            many => format!(
                "{many} futures of {who} were woken up to {} ago and not polled since, first",
                time(woken_ns)
            ),
        };
        let sentence = format!(
            "{futures} {}{}; the task waits{} for {}",
            facts.future_words(first),
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
    link(
        LinkNode::Future,
        wait.id,
        facts.span_name(wait.span).unwrap_or_default(),
        facts.place_of(wait).as_ref(),
        role,
        since_ns,
    )
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
        "{} is held for {} by future `{name}` of {}{}, which is alive and not polled; {} for {}",
        resource(it),
        time(stake.since_ns),
        facts.task_words(task.id),
        place(stake.place.as_ref()).map(|it| format!(" (taken at {it})")).unwrap_or_default(),
        match waiting.len() {
            1 => "one waits for it".to_owned(),
            many => format!("{many} wait for it, the longest"),
        },
        time(longest.since_ns),
    );
    let mut verdict = remark(VerdictKind::Hazard, Confidence::Suspect, chain, sentence);
    let victims: BTreeSet<u64> = waiting.iter().filter_map(|wait| wait.task).collect();
    verdict.victims = victims.into_iter().filter(|id| Some(*id) != longest.task).collect();
    Some(verdict)
}
