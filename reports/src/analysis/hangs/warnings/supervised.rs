//! Cycles of locks in futures whose tasks continue, as under a supervisor or a heartbeat.
//!
//! ```text
//! select! ─┬ arm: works   has lock A ── waits for lock B ─▶ held in such an arm of another task,
//!          └ arm: ticks   a timer: the task goes on             which waits for lock A
//! ```
//! A task that continues may drop the arm, so nothing is stuck for certain. But the task has
//! continued again and again during the wait, and has kept the arm; or its other arms wait only for
//! signals, as for a shutdown. A timer that is about as old as the wait may be a time limit.

use super::warning::{SUSPECT_NS, warning};
use crate::analysis::hangs::facts::{Facts, IdMap, IdSet, asks_for_signal, is_active, step};
use crate::analysis::hangs::verdict::{Confidence, LinkRole, Verdict, VerdictKind};
use crate::analysis::hangs::words::{NamedCallers, acquired_words, resource_words};
use crate::model::{Attribution, Holding, ResourceKind, Role, Wait, WaitMode};
use crate::ordered::OrderedSet;

/// Maximum number of locks of a cycle. Longer cycles are not reported.
const MAX_LOCKS: usize = 8;
/// A wait has to be this many times as old as the last poll of its task, and as each timer of its
/// task.
const MIN_RATIO: u64 = 4;

/// A future that holds a lock, and waits for another.
#[derive(Debug, Clone, Copy)]
struct NestedWait<'a> {
    holding: &'a Holding,
    wait: &'a Wait,
    /// The index of the lock that it waits for.
    to: usize,
    /// Whether its task does not go on, and waits for signals beside it.
    is_beside_signals: bool,
}

/// Returns one verdict per cycle, except for cycles of stuck tasks.
pub(crate) fn supervised(facts: &Facts<'_>, stuck: &OrderedSet<usize>) -> Vec<Verdict> {
    let steps = steps(facts, stuck);
    // Each lock leads to at most one other lock, so each lock is visited once.
    let (mut visited, mut verdicts) = (IdSet::default(), Vec::new());
    for start in 0..facts.snapshot.resources.len() {
        let (mut path, mut next) = (Vec::new(), start);
        while let Some(it) = steps.get(&next).filter(|_| visited.insert(next)) {
            path.push((next, *it));
            next = it.to;
        }
        let first = path.iter().position(|&(lock, _)| lock == next);
        if let Some(cycle) = first.and_then(|first| path.get(first..)).filter(|it| it.len() <= MAX_LOCKS) {
            verdicts.extend(verdict(facts, cycle));
        }
    }
    verdicts
}

/// By lock index: the future that holds the lock, and waits only for one other lock.
fn steps<'a>(facts: &Facts<'a>, stuck: &OrderedSet<usize>) -> IdMap<usize, NestedWait<'a>> {
    let snapshot = facts.snapshot;
    let waits = || snapshot.waits.iter().inspect(|_| step());
    let is_waiting = |wait: &&Wait| {
        is_old(wait) && is_active(wait) && facts.task_of(wait).is_some_and(|it| !stuck.contains(&it))
    };
    let held = held_by_span(facts);
    if held.is_empty() || !waits().any(|wait| is_waiting(&wait)) {
        return IdMap::default();
    }
    let mut children = vec![0_u32; snapshot.spans.len()];
    let polled = (0..snapshot.spans.len()).filter(|&index| !snapshot.spans[index].is_set_aside);
    for parent in polled.filter_map(|index| facts.parent_of(index)) {
        children[parent] += 1;
    }
    let mut oldest_timers: IdMap<usize, u64> = IdMap::default();
    for (task, wait) in waits().filter_map(|wait| Some((facts.task_of(wait)?, wait))) {
        if wait.mode == WaitMode::Timer {
            let oldest = oldest_timers.entry(task).or_default();
            *oldest = wait.since_ns.max(*oldest);
        }
    }
    let mut steps: IdMap<usize, NestedWait<'a>> = IdMap::default();
    for wait in waits().filter(is_waiting) {
        let Some((task, to)) = facts.task_of(wait).zip(facts.resource_of(wait)) else { continue };
        let recent_ns = wait.since_ns / MIN_RATIO;
        let it = &snapshot.tasks[task];
        // A signal, as to shut down, is no time limit.
        let others = facts.waits_of_task[task].iter().map(|&other| &snapshot.waits[other]);
        let is_signal = |other: &Wait| {
            asks_for_signal(other) && other.mode != WaitMode::Custom && other.span != wait.span
        };
        let waits_alone =
            it.opaque_wakers == Some(0) && others.filter(|other| other.id != wait.id).all(is_signal);
        let has_limit = oldest_timers.get(&task).is_some_and(|&oldest_ns| oldest_ns > recent_ns);
        if has_limit || !(it.since_ns <= recent_ns || waits_alone) {
            continue;
        }
        let is_beside_signals = facts.waits_of_task[task].len() > 1 && it.since_ns > recent_ns;
        // Up to the next branch, each enclosing future waits only for this lock.
        let mut span = facts.span(wait.span);
        while let Some(index) = span {
            for &(lock, holding) in held.get(&index).into_iter().flatten() {
                if holding.task == wait.task {
                    steps.insert(lock, NestedWait { holding, wait, to, is_beside_signals });
                }
            }
            span = facts.parent_of(index).filter(|&parent| children[parent] == 1);
        }
    }
    steps
}

/// Returns whether the wait is for a lock, has lasted for at least [`SUSPECT_NS`], and still lasts.
/// Unstable waits count, too: the ticks of a heartbeat may coincide with each snapshot, so that the
/// task always polls the wait during the capture.
fn is_old(wait: &Wait) -> bool {
    matches!(wait.mode, WaitMode::Lock | WaitMode::Read | WaitMode::Write)
        && wait.since_ns >= SUSPECT_NS
        && wait.woken_ns.is_none()
        && !(wait.is_granted || wait.is_forced)
}

/// By span index: the locks that only this future holds, and others wait for.
fn held_by_span<'a>(facts: &Facts<'a>) -> IdMap<usize, Vec<(usize, &'a Holding)>> {
    let mut held: IdMap<usize, Vec<(usize, &Holding)>> = IdMap::default();
    for (index, it) in facts.snapshot.resources.iter().enumerate() {
        let is_lock = matches!(it.kind, ResourceKind::Mutex | ResourceKind::RwLock);
        if !is_lock || facts.waits_of_resource[index].is_empty() {
            continue;
        }
        let mut holders = it.holdings.iter().inspect(|_| step()).filter(|it| it.role == Role::Holds);
        let (Some(holding), None) = (holders.next(), holders.next()) else { continue };
        let stays = !holding.is_movable
            && !holding.may_have_moved
            && holding.attribution <= Attribution::Unmoved
            && holding.since_ns >= SUSPECT_NS;
        if let Some(span) = facts.span(holding.span).filter(|_| stays && !facts.is_set_aside(holding)) {
            held.entry(span).or_default().push((index, holding));
        }
    }
    held
}

fn verdict(facts: &Facts<'_>, cycle: &[(usize, NestedWait<'_>)]) -> Option<Verdict> {
    let (mut chain, mut parts, mut callers) = (Vec::new(), Vec::new(), NamedCallers::default());
    for (number, &(lock, it)) in cycle.iter().enumerate() {
        let task = facts.task_of(it.wait)?;
        let (_, next) = cycle[(number + 1) % cycle.len()];
        let next_task = facts.task_of(next.wait)?;
        parts.push(format!(
            "{} of {} holds {}{} and {}",
            facts.future_words(it.wait),
            facts.waiter_words(it.wait),
            resource_words(&facts.snapshot.resources[lock]),
            acquired_words("acquired", it.holding, &mut callers),
            facts.waits_words(it.wait, &mut callers),
        ));
        chain.push(facts.task_link(
            task,
            facts.place_of(it.wait).as_ref(),
            LinkRole::Waits,
            it.wait.since_ns,
        ));
        chain.extend(facts.resource_link(it.to));
        let (place, since_ns) = (next.holding.place.as_ref(), next.holding.since_ns);
        chain.push(facts.task_link(next_task, place, LinkRole::Holds, since_ns));
    }
    let is_beside_signals = cycle.iter().any(|(_, it)| it.is_beside_signals);
    let (kind, end) = match cycle {
        [_] if is_beside_signals => {
            (VerdictKind::SelfWait, "this future waits for itself, until a signal ends it")
        }
        _ if is_beside_signals => {
            (VerdictKind::Cycle, "these futures wait for each other, until a signal ends one of them")
        }
        [_] => (VerdictKind::SelfWait, "its task goes on beside this future, which waits for itself"),
        _ => (VerdictKind::Cycle, "their tasks go on beside these futures, which wait for each other"),
    };
    Some(warning(kind, Confidence::Suspect, chain, format!("{}: {end}", parts.join("; "))))
}
