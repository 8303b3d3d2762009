//! When to ask what hangs, and which of the answers are new.
//!
//! ```text
//! late, and not yet when it was asked last   ask after the threshold
//! late, as when it was asked last            ask after twice as long as before, up to 10 s: what hangs need not begin with
//!                                            a wait, for whoever would have ended one can go away
//! in any case                                not before a hundred times what it took has passed
//! ```
//! A verdict is known by its kind and the tasks, threads and resources of its chain, and said once.

use std::collections::HashSet;
use std::time::Duration;

use diagnose_reports::{Confidence, Link, LinkNode, LinkRole, Snapshot, Verdict, VerdictKind};

use super::late::Late;

/// What is late for long is asked about so often at least.
const LONGEST: Duration = Duration::from_secs(10);
/// Asking takes at most one of so many parts of a processor.
const SHARE: u32 = 100;
/// So many verdicts are said at once, and the others counted.
const MAX_SAID: usize = 16;

/// What a verdict is known by.
type Key = (VerdictKind, Vec<(LinkNode, u64)>);

/// What was said, and when it was asked.
#[derive(Debug, Default)]
pub(super) struct Hangs {
    said: HashSet<Key>,
    /// How often in a row there was nothing new.
    quiet: u32,
    /// What it took the last time.
    took: Duration,
}

impl Hangs {
    /// Whether to ask now, `since` the last time.
    pub(super) fn is_due(&self, late: Late, since: Duration, threshold: Duration) -> bool {
        let quiet = if late.is_new { 0 } else { self.quiet.min(16) };
        let pause = threshold.saturating_mul(1 << quiet).min(LONGEST.max(threshold));
        late.anything && since >= pause.max(self.took.saturating_mul(SHARE))
    }

    /// It was asked: what is to be said of the answer. `late` is what it was asked for, `took` how long that was.
    pub(super) fn hear(
        &mut self,
        snapshot: &Snapshot,
        verdicts: Vec<Verdict>,
        late: Late,
        took: Duration,
        threshold_ns: u64,
    ) -> Vec<String> {
        let mut texts = Vec::new();
        let mut more = 0_usize;
        for mut verdict in verdicts {
            if verdict.confidence > Confidence::Likely || youngest_ns(&verdict) < threshold_ns {
                continue;
            }
            if !self.said.insert(key(&verdict)) {
                continue;
            }
            if texts.len() == MAX_SAID {
                more += 1;
                continue;
            }
            // The number of a place in a list that is not there.
            verdict.behind = None;
            texts.push(verdict.to_string());
        }
        if more > 0 {
            texts.push(format!("{more} verdicts more, which stand in the reports"));
        }
        self.quiet = if late.is_new || !texts.is_empty() { 0 } else { self.quiet + 1 };
        self.took = took;
        self.forget(snapshot);
        texts
    }

    /// Forgets what cannot come again: numbers of tasks are not used twice.
    fn forget(&mut self, snapshot: &Snapshot) {
        if self.said.is_empty() {
            return;
        }
        let tasks: HashSet<u64> = snapshot.tasks.iter().map(|task| task.id).collect();
        let resources: HashSet<u64> = snapshot.resources.iter().map(|it| it.id).collect();
        self.said.retain(|(_, links)| {
            let has = |wanted| links.iter().any(|(node, _)| *node == wanted);
            let is_alive =
                |node, alive: &HashSet<u64>| links.iter().any(|(it, id)| *it == node && alive.contains(id));
            match (has(LinkNode::Task), has(LinkNode::Resource)) {
                (true, _) => is_alive(LinkNode::Task, &tasks),
                (false, true) => is_alive(LinkNode::Resource, &resources),
                (false, false) => true,
            }
        });
    }
}

/// For how long it has been so: the youngest of the waits in the chain.
fn youngest_ns(verdict: &Verdict) -> u64 {
    let waits = |link: &&Link| matches!(link.role, LinkRole::Waits | LinkRole::Queued | LinkRole::Blocked);
    verdict.chain.iter().filter(waits).map(|link| link.since_ns).min().unwrap_or(u64::MAX)
}

fn key(verdict: &Verdict) -> Key {
    let known = verdict.chain.iter().filter(|link| link.node != LinkNode::Future);
    let mut links: Vec<(LinkNode, u64)> = known.map(|link| (link.node, link.id)).collect();
    links.sort_unstable();
    links.dedup();
    (verdict.kind, links)
}

#[cfg(test)]
mod tests;
