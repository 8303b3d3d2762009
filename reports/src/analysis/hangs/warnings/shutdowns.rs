//! Runtimes that shut down while blocking work does not end.

use super::warning::{SUSPECT_NS, warning};
use crate::analysis::hangs::facts::Facts;
use crate::analysis::hangs::verdict::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictKind};
use crate::analysis::hangs::words::{at, link};
use crate::model::{TaskId, Wait, WaitMode};
use crate::ordered::OrderedSet;
use crate::units::time;

/// Blocking work that waits only for a computation on another thread most likely takes less time.
const SLOW_JOB_NS: u64 = 10_000_000_000;

/// A runtime that shuts down while blocking work does not end. If the work is stuck for a reason
/// that is only suspected, a likely shutdown verdict is still reported.
pub(super) fn shutdown(
    facts: &Facts<'_>,
    stuck: &OrderedSet<usize>,
    verdicts: &[Verdict],
    wait: &Wait,
) -> Option<Verdict> {
    let (mut tasks, known) = (wait.tasks.iter(), |id: &TaskId| facts.task(*id));
    if wait.mode != WaitMode::Shutdown || wait.is_unstable {
        return None;
    }
    let is_suspect = wait.tasks.iter().filter_map(known).any(|task| stuck.contains(&task));
    let is_likely = |verdict: &Verdict| {
        let mut mentioned = verdict.chain.iter().filter_map(Link::task);
        verdict.confidence < Confidence::Suspect && mentioned.any(|task| wait.tasks.contains(&task))
    };
    if is_suspect && verdicts.iter().any(is_likely) {
        return None;
    }
    let job = tasks.find_map(known)?;
    let it = &facts.snapshot.tasks[job];
    // A sleep with a time limit ends. A call that waits for another process may end.
    let confidence = match it.waits_for_thread {
        Some(true) if wait.since_ns.min(it.since_ns) >= SLOW_JOB_NS => Confidence::Likely,
        _ if wait.since_ns >= SUSPECT_NS && !is_suspect => Confidence::Suspect,
        _ => return None,
    };
    let place = facts.place_of(wait);
    let waiter = match facts.task_of(wait) {
        Some(task) => facts.task_link(task, place.as_ref(), LinkRole::Blocked, wait.since_ns),
        None => link(
            LinkNode::Thread,
            wait.thread_id.unwrap_or(wait.id.get()),
            String::new(),
            place.as_ref(),
            LinkRole::Blocked,
            wait.since_ns,
        ),
    };
    let spawned = facts.place_of_site(it.site);
    let link = facts.task_link(job, spawned.as_ref(), LinkRole::Running, it.since_ns);
    let sentence = format!(
        "the runtime built{} has been shutting down for {}; it is waiting for blocking {}, which has run for {}",
        at(place.as_ref()),
        time(wait.since_ns),
        facts.task_words(it.id),
        time(it.since_ns)
    );
    Some(warning(VerdictKind::Shutdown, confidence, vec![waiter, link], sentence))
}
