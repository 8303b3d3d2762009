//! Waits without a wake, although their event may have happened long ago.

use super::warning::{LONG_POLL_NS, SUSPECT_NS, warning};
use crate::analysis::hangs::facts::{Facts, is_active, is_blocked};
use crate::analysis::hangs::stuck::has_to_end;
use crate::analysis::hangs::verdict::{Confidence, LinkRole, Verdict, VerdictKind};
use crate::analysis::hangs::words::at;
use crate::model::{RunState, SiteIndex, Wait, WaitMode};
use crate::ordered::OrderedSet;
use crate::units::{count, time};

/// A future without coop budget that is polled this often inside one poll keeps its thread busy.
const MANY_POLLS: u64 = 1_000;

/// A thread that sleeps although the task that it joins is done: a `block_on` inside a task without
/// coop budget.
pub(crate) fn sleep_after_join(facts: &Facts<'_>, wait: &Wait) -> Option<Verdict> {
    let task = facts.task_of(wait)?;
    let it = &facts.snapshot.tasks[task];
    let is_done = !wait.tasks.is_empty() && wait.tasks.iter().all(|id| facts.task(*id).is_none());
    let is_long = wait.since_ns.min(it.since_ns) > LONG_POLL_NS;
    let is_inside = wait.is_indirect || wait.thread_id.is_some();
    let is_it = wait.mode == WaitMode::Join && is_done && is_inside && is_blocked(it) && is_long;
    if !is_it || wait.woken_ns.is_some() || wait.is_unstable || wait.is_forced {
        return None;
    }
    let place = facts.place_of(wait);
    let sentence = format!(
        "{} is sleeping inside a poll{} ({}): its `block_on` joins {}, and nothing woke the `block_on`",
        facts.task_words(it.id),
        at(place.as_ref()),
        time(wait.since_ns),
        if wait.tasks.len() == 1 { "a task that is done" } else { "tasks that are done" }
    );
    let link = facts.task_link(task, place.as_ref(), LinkRole::Blocked, wait.since_ns);
    Some(warning(VerdictKind::BlockedWorker, Confidence::Likely, vec![link], sentence))
}

/// A `block_on` inside a task that has used up its coop budget. Everything that the `block_on`
/// polls is deferred to the next poll of the task, which cannot begin before the `block_on`
/// returns. The `block_on` sleeps if its runtime holds back deferred wakes until then. Otherwise it
/// polls again and again.
pub(crate) fn out_of_budget(facts: &Facts<'_>, wait: &Wait) -> Option<Verdict> {
    let task = facts.task_of(wait).filter(|_| wait.is_forced && wait.is_indirect)?;
    let it = &facts.snapshot.tasks[task];
    let is_long = wait.since_ns.min(it.since_ns) > LONG_POLL_NS;
    if it.state != RunState::Running || !is_long || it.is_unstable {
        return None;
    }
    let (place, who) = (facts.place_of(wait), facts.task_words(it.id));
    let (here, since) = (at(place.as_ref()), time(wait.since_ns));
    let (kind, role, subject) = if it.is_asleep? {
        let subject = format!("{who} is sleeping inside a poll{here} ({since})");
        (VerdictKind::BlockedWorker, LinkRole::Blocked, subject)
    } else if wait.polls >= MANY_POLLS {
        let polls = count(wait.polls);
        let subject =
            format!("{who} has polled the same future {polls} times inside one poll{here} ({since})");
        (VerdictKind::Spin, LinkRole::Running, subject)
    } else {
        return None;
    };
    let sentence = format!(
        "{subject}: the task has no coop budget left, and gets a new one only after its `block_on` returns"
    );
    let link = facts.task_link(task, place.as_ref(), role, wait.since_ns);
    Some(warning(kind, Confidence::Suspect, vec![link], sentence))
}

/// Hand-written futures that keep their waker and were not woken. An unrecorded thread may still
/// wake them, so there are no verdicts while such a thread exists.
pub(crate) fn unused_wakers(facts: &Facts<'_>, stuck: &OrderedSet<usize>) -> Vec<Verdict> {
    let snapshot = facts.snapshot;
    let mut has_children = vec![false; snapshot.spans.len()];
    for parent in snapshot.spans.iter().filter_map(|span| span.parent) {
        if let Some(has_children) = has_children.get_mut(parent.get()) {
            *has_children = true;
        }
    }
    let is_hand_written = |site: SiteIndex| snapshot.site(site).is_some_and(|site| site.is_hand_written);
    let deepest = snapshot.spans.iter().zip(has_children).filter(|(span, has_children)| {
        let is_old = span.state == RunState::Waiting && span.since_ns >= SUSPECT_NS;
        is_hand_written(span.site) && is_old && !has_children && !span.is_set_aside && !span.is_detached
    });
    let verdict = |span: &crate::model::Span| -> Option<Verdict> {
        let task = facts.task(span.task?).filter(|task| !stuck.contains(task))?;
        let it = &snapshot.tasks[task];
        let waits = facts.waits_of_task[task].iter().any(|&wait| is_active(&snapshot.waits[wait]));
        let is_it =
            it.state == RunState::Waiting && !waits && it.opaque_wakers.is_some_and(|wakers| wakers > 0);
        if !is_it || it.is_unstable || snapshot.foreign_threads > 0 || !has_to_end(facts, task) {
            return None;
        }
        let place = facts.place_of_site(span.at.unwrap_or(span.site));
        let link = facts.task_link(task, place.as_ref(), LinkRole::Waits, span.since_ns);
        let sentence = format!(
            "{} is waiting in hand-written future `{}`{} ({}), whose waker was never used: an event that came before \
             the future stored its waker wakes nothing",
            facts.task_words(it.id),
            facts.name(span.site, span.label.as_deref()),
            at(place.as_ref()),
            time(span.since_ns),
        );
        Some(warning(VerdictKind::LostWaker, Confidence::Suspect, vec![link], sentence))
    };
    deepest.filter_map(|(span, _)| verdict(span)).collect()
}
