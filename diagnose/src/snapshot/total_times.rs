//! Adds to a node's times the polls that pass through it.
//!
//! The trees store such polls once, at the deepest span; a capture adds them to the ancestors. See
//! the head of [`tree/node_times.rs`](crate::tree).

use crate::clock;
use crate::tree::{BUCKETS, Node, PollSum, TimesCopy};

/// The poll totals that a node contributes to its ancestors.
#[derive(Debug, Clone)]
pub(super) struct PassedTotals {
    sum: PollSum,
    histogram: [u64; BUCKETS],
    /// The maximum over all descendants, whether they contribute to the ancestors or not: no poll
    /// is longer, or ends later, than the one around it.
    longest: u64,
    left: u64,
    /// End of the last poll that contributes.
    passed: u64,
}

/// The times of a node, in ticks, including polls of its descendants that passed through it.
#[derive(Debug, Clone)]
pub(super) struct TotalTimes {
    pub(super) busy: u64,
    pub(super) polls: u64,
    pub(super) histogram: [u64; BUCKETS],
    pub(super) longest: u64,
    pub(super) left: u64,
    pub(super) is_running: bool,
    /// Waits; see [`TimesCopy`].
    pub(super) own_idle: u64,
    pub(super) child_idle: u64,
    pub(super) pending: u64,
}

impl PassedTotals {
    pub(super) const NONE: Self =
        Self { sum: PollSum { busy: 0, polls: 0 }, histogram: [0; BUCKETS], longest: 0, left: 0, passed: 0 };

    pub(super) fn polls(&self) -> u64 {
        self.sum.polls
    }

    /// Adds the totals of a sibling.
    pub(super) fn add(&mut self, other: &Self) {
        self.sum.busy += other.sum.busy;
        self.sum.polls += other.sum.polls;
        for (sum, count) in self.histogram.iter_mut().zip(other.histogram) {
            *sum += count;
        }
        self.longest = self.longest.max(other.longest);
        self.left = self.left.max(other.left);
        self.passed = self.passed.max(other.passed);
    }

    /// Subtracts the polls that stop at `node`, because it added a poll of its own for them.
    fn without_stopped(mut self, node: &Node) -> Self {
        let Some(stopped) = node.stopped() else { return self };
        let (sum, histogram, at) = stopped.read();
        // A poll that is just ending may have been read in one place and not in the other.
        self.sum.busy = self.sum.busy.saturating_sub(sum.busy);
        self.sum.polls = self.sum.polls.saturating_sub(sum.polls);
        for (sum, count) in self.histogram.iter_mut().zip(histogram) {
            *sum = sum.saturating_sub(count);
        }
        if at >= self.passed {
            self.passed = 0;
        }
        self
    }
}

impl TotalTimes {
    /// Reads a node after its children. Returns its times, `None` if it is unreadable, and the
    /// totals for its ancestors.
    pub(super) fn read(node: &'static Node, below: PassedTotals, until: u64) -> (Option<Self>, PassedTotals) {
        let below = below.without_stopped(node);
        let Some(reading) = node.read(until, clock::now) else { return (None, below) };
        let [all, through] = node.histograms();
        let mut whole = Self {
            busy: reading.busy + below.sum.busy,
            polls: reading.polls + below.sum.polls,
            histogram: sum(all, &below.histogram),
            longest: node.longest().max(below.longest),
            left: reading.left.max(below.left),
            is_running: false,
            own_idle: reading.own_idle,
            // A poll that passed through lies between two waits for a child.
            child_idle: reading.child_idle.wrapping_sub(below.sum.busy),
            pending: reading.pending,
        };
        // A poll that was just added further down must not count as running too.
        if let Some((entered, length)) = reading.running.filter(|(entered, _)| below.passed <= *entered) {
            whole.is_running = true;
            whole.busy += length;
            whole.polls += 1;
            whole.longest = whole.longest.max(length);
            whole.left = entered + length;
        }
        let above = PassedTotals {
            sum: PollSum {
                busy: reading.through.busy + below.sum.busy,
                polls: reading.through.polls + below.sum.polls,
            },
            histogram: sum(through, &below.histogram),
            longest: whole.longest,
            left: whole.left,
            passed: reading.passed.max(below.passed),
        };
        (Some(whole), above)
    }

    /// Returns the times of an await that lasts as long as the span below it: all its waits are
    /// that span's.
    pub(super) fn of_await(&self) -> Self {
        Self { own_idle: 0, child_idle: self.own_idle.wrapping_add(self.child_idle), ..self.clone() }
    }
}

fn sum(mut histogram: [u64; BUCKETS], other: &[u64; BUCKETS]) -> [u64; BUCKETS] {
    for (sum, count) in histogram.iter_mut().zip(other) {
        *sum += count;
    }
    histogram
}

/// Returns whether a reading has never counted anything.
pub(super) fn is_nothing(reading: Option<TimesCopy>) -> bool {
    reading == Some(TimesCopy::default())
}
