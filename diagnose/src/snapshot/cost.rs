//! Estimates the cost of recording: operation counts times their cost on this machine.

use diagnose_reports::model::{Activity, Cost};

use super::calibrate::{self, BATCH, Ticks};
use super::total_times::TotalTimes;
use crate::context::ThreadCounts;
use crate::site::SiteKind;
use crate::sync::Ordering::Relaxed;
use crate::tree::Node;

/// Counts of recorded operations. They only grow; a reset subtracts its baseline.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RecordedWork {
    root_calls: u64,
    calls: u64,
    awaits: u64,
    polls: u64,
    polls_below: u64,
    passed: u64,
    wakes: u64,
    listed_roots: u64,
    listed: u64,
    arm_polls: u64,
    listed_arms: u64,
    dropped_roots: u64,
    dropped: u64,
    spawns: u64,
    uses: u64,
    waits: u64,
}

impl RecordedWork {
    /// Adds a node. `passed` counts its polls that only passed through the node above.
    pub(super) fn add(&mut self, node: &Node, whole: &TotalTimes, passed: u64) {
        let calls = node.calls.load(Relaxed);
        let later = whole.polls.saturating_sub(calls);
        // A call with a pending poll has waited. The number of such calls is not recorded, so this
        // is an upper bound.
        let waited = whole.polls.saturating_sub(node.completed.load(Relaxed)).min(calls);
        if node.site.kind == SiteKind::Await {
            self.awaits += calls;
            // An arm has polls of its own; any other await is polled with its body.
            if !node.site.is_direct {
                self.arm_polls += later;
                self.listed_arms += waited;
            }
            return;
        }
        let dropped = node.cancelled.load(Relaxed);
        if node.parent.is_some_and(Node::is_root) {
            self.root_calls += calls;
            self.polls += later;
            // A root is polled again because it was woken.
            self.wakes += later;
            self.listed_roots += waited;
            self.dropped_roots += dropped;
        } else {
            let passed = passed.min(later);
            self.calls += calls;
            self.polls_below += later - passed;
            self.passed += passed;
            self.listed += waited;
            self.dropped += dropped;
        }
    }

    /// Adds a thread's counts.
    pub(super) fn add_thread(&mut self, counts: &ThreadCounts) {
        self.spawns += counts.spawns.load(Relaxed);
        self.uses += counts.uses.load(Relaxed);
        self.waits += counts.waits.load(Relaxed);
    }

    pub(super) fn subtract(&mut self, old: &Self) {
        let pairs = [
            (&mut self.root_calls, old.root_calls),
            (&mut self.calls, old.calls),
            (&mut self.awaits, old.awaits),
            (&mut self.polls, old.polls),
            (&mut self.polls_below, old.polls_below),
            (&mut self.passed, old.passed),
            (&mut self.wakes, old.wakes),
            (&mut self.listed_roots, old.listed_roots),
            (&mut self.listed, old.listed),
            (&mut self.arm_polls, old.arm_polls),
            (&mut self.listed_arms, old.listed_arms),
            (&mut self.dropped_roots, old.dropped_roots),
            (&mut self.dropped, old.dropped),
            (&mut self.spawns, old.spawns),
            (&mut self.uses, old.uses),
            (&mut self.waits, old.waits),
        ];
        for (now, then) in pairs {
            *now = now.saturating_sub(then);
        }
    }

    /// Returns the cost of each [`Activity`], in that order; empty if it cannot be measured.
    pub(super) fn costs(&self, ns: impl Fn(u64) -> u64) -> Vec<Cost> {
        calibrate::ticks().map(|each| self.times(&each, ns)).unwrap_or_default()
    }

    fn times(&self, each: &Ticks, ns: impl Fn(u64) -> u64) -> Vec<Cost> {
        let all = [
            (Activity::Calls, vec![(self.root_calls, each.root_call), (self.calls, each.call)]),
            (Activity::Awaits, vec![(self.awaits, each.awaits)]),
            (
                Activity::Polls,
                vec![
                    (self.polls, each.poll),
                    (self.polls_below, each.poll_below),
                    (self.arm_polls, each.awaits),
                ],
            ),
            (Activity::Passed, vec![(self.passed, each.passed)]),
            (Activity::Wakes, vec![(self.wakes, each.wake)]),
            (
                Activity::Listed,
                vec![
                    (self.listed_roots, each.listed_root),
                    (self.listed, each.listed),
                    (self.listed_arms, each.listed_arm),
                ],
            ),
            (Activity::Dropped, vec![(self.dropped_roots, each.dropped_root), (self.dropped, each.dropped)]),
            (Activity::Spawns, vec![(self.spawns, each.spawn)]),
            (Activity::Uses, vec![(self.uses, each.used)]),
            (Activity::Waits, vec![(self.waits, each.wait)]),
        ];
        let cost = |(work, parts): (Activity, Vec<(u64, u64)>)| {
            let ticks: u128 = parts.iter().map(|&(count, each)| u128::from(count) * u128::from(each)).sum();
            let mut cost = Cost::default();
            cost.activity = work;
            cost.count = parts.iter().fold(0, |sum, (count, _)| sum.saturating_add(*count));
            cost.ns = ns(u64::try_from(ticks / u128::from(BATCH)).unwrap_or(u64::MAX));
            cost
        };
        all.into_iter().map(cost).filter(|cost| cost.count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use diagnose_reports::model::Activity;

    use super::{BATCH, RecordedWork, Ticks};

    #[test]
    fn each_count_is_multiplied_by_what_one_takes() {
        let recorded = RecordedWork { root_calls: 3, calls: 10, wakes: 7, ..RecordedWork::default() };
        let each = Ticks { root_call: 100 * BATCH, call: 20 * BATCH, wake: BATCH / 2, ..Ticks::default() };
        let costs = recorded.times(&each, |ticks| 2 * ticks);
        let costs: Vec<_> = costs.iter().map(|cost| (cost.activity, cost.count, cost.ns)).collect();
        assert_eq!(costs, [(Activity::Calls, 13, 2 * (300 + 200)), (Activity::Wakes, 7, 2 * 3)]);
    }
}
