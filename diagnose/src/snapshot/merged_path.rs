//! One path of sites, with the sums of its nodes in all trees, in ticks.

use super::total_times::TotalTimes;
use crate::label::Label;
use crate::site::{Site, SiteKind};
use crate::sync::{AtomicU64, Ordering};
use crate::tree::{BUCKETS, DurationsCopy, Node};

/// One path of sites.
#[derive(Debug, Clone)]
pub(super) struct MergedPath {
    pub(super) parent: Option<usize>,
    pub(super) site: &'static Site,
    pub(super) label: Label,
    pub(super) is_unspawned: bool,
    pub(super) sums: PathSums,
    /// Number of running polls.
    pub(super) running: u64,
    /// Number of open waits; wraps while trees are added.
    pub(super) pending: u64,
    pub(super) longest: u64,
    /// `u64::MAX` until a node was read.
    pub(super) first_seen: u64,
    pub(super) last_seen: u64,
}

/// Counters that only grow, so a reset can subtract them.
#[derive(Debug, Clone)]
pub(super) struct PathSums {
    pub(super) calls: u64,
    pub(super) polls: u64,
    pub(super) completed: u64,
    pub(super) cancelled: u64,
    pub(super) panicked: u64,
    pub(super) never_polled: u64,
    /// Wrapping counter.
    moved: u64,
    pub(super) busy: u64,
    /// Busy time of tasks that a nested executor polled under this path.
    pub(super) nested: u64,
    pub(super) own_idle: u64,
    pub(super) child_idle: u64,
    pub(super) unpolled: u64,
    pub(super) queued: u64,
    pub(super) wall: u64,
    pub(super) histogram: [u64; BUCKETS],
    /// Durations of calls; none for awaits.
    pub(super) completed_calls: DurationsCopy,
    pub(super) cancelled_calls: DurationsCopy,
}

impl MergedPath {
    pub(super) fn new(parent: Option<usize>, site: &'static Site, label: Label) -> Self {
        let sums = PathSums {
            calls: 0,
            polls: 0,
            completed: 0,
            cancelled: 0,
            panicked: 0,
            never_polled: 0,
            moved: 0,
            busy: 0,
            nested: 0,
            own_idle: 0,
            child_idle: 0,
            unpolled: 0,
            queued: 0,
            wall: 0,
            histogram: [0; BUCKETS],
            completed_calls: DurationsCopy::default(),
            cancelled_calls: DurationsCopy::default(),
        };
        Self {
            parent,
            site,
            label,
            sums,
            running: 0,
            pending: 0,
            longest: 0,
            first_seen: u64::MAX,
            is_unspawned: false,
            last_seen: 0,
        }
    }

    pub(super) fn add(&mut self, node: &Node, whole: &TotalTimes) {
        let value = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let sums = &mut self.sums;
        sums.polls += whole.polls;
        // Ends are read before beginnings, so that no more calls have ended than begun.
        let completed_calls = node.completed_calls.read(&node.completed);
        let cancelled_calls = node.cancelled_calls.read(&node.cancelled);
        sums.completed += completed_calls.calls;
        sums.cancelled += cancelled_calls.calls;
        // The await of a span ends with the span, whose node has the durations.
        if self.site.kind != SiteKind::Await {
            sums.completed_calls.add(&completed_calls);
            sums.cancelled_calls.add(&cancelled_calls);
        }
        sums.panicked += value(&node.panicked);
        sums.calls += value(&node.calls);
        sums.never_polled += value(&node.never_polled);
        sums.moved = sums.moved.wrapping_add(value(&node.moved));
        sums.busy += whole.busy;
        sums.own_idle = sums.own_idle.wrapping_add(whole.own_idle);
        sums.child_idle = sums.child_idle.wrapping_add(whole.child_idle);
        for (sum, count) in sums.histogram.iter_mut().zip(whole.histogram) {
            *sum += count;
        }
        self.is_unspawned |= node.is_unspawned();
        self.running += u64::from(whole.is_running);
        self.pending = self.pending.wrapping_add(whole.pending);
        self.longest = self.longest.max(whole.longest);
        self.first_seen = self.first_seen.min(node.first_seen);
        self.last_seen = self.last_seen.max(whole.left);
    }

    /// Adds another path.
    pub(super) fn add_all(&mut self, other: &Self) {
        self.sums.add(&other.sums);
        self.is_unspawned |= other.is_unspawned;
        self.running += other.running;
        self.pending += other.pending;
        self.longest = self.longest.max(other.longest);
        self.first_seen = self.first_seen.min(other.first_seen);
        self.last_seen = self.last_seen.max(other.last_seen);
    }

    /// Ends the summation over all trees, after which wrapped sums are exact. A wait that was read
    /// between its two updates may leave a small negative remainder, which counts as zero.
    pub(super) fn settle(&mut self) {
        for wrapped in [&mut self.pending, &mut self.sums.own_idle, &mut self.sums.child_idle] {
            *wrapped = if *wrapped > u64::MAX / 2 { 0 } else { *wrapped };
        }
    }

    /// Returns whether none of its calls is alive.
    pub(super) fn is_at_rest(&self) -> bool {
        let PathSums { calls, moved, completed, cancelled, panicked, .. } = self.sums;
        let ended = completed.wrapping_add(cancelled).wrapping_add(panicked);
        self.pending == 0 && self.running == 0 && calls.wrapping_add(moved) == ended
    }

    /// Starts new maxima.
    pub(super) fn forget_longest(&mut self) {
        self.longest = 0;
        self.sums.completed_calls.longest = 0;
        self.sums.cancelled_calls.longest = 0;
    }

    /// Returns whether this path itself recorded nothing.
    pub(super) fn is_empty(&self) -> bool {
        let sums = &self.sums;
        sums.polls == 0
            && sums.busy == 0
            && sums.nested == 0
            && sums.completed == 0
            && sums.panicked == 0
            && sums.calls == 0
            && sums.cancelled == 0
            && sums.never_polled == 0
            && sums.own_idle == 0
            && sums.child_idle == 0
            && self.pending == 0
            && self.running == 0
    }
}

impl PathSums {
    /// Returns the counters that are added and subtracted unchanged, each with its counterpart in
    /// `other`.
    fn with(&mut self, other: &Self) -> [(&mut u64, u64); 12] {
        [
            (&mut self.polls, other.polls),
            (&mut self.completed, other.completed),
            (&mut self.cancelled, other.cancelled),
            (&mut self.panicked, other.panicked),
            (&mut self.never_polled, other.never_polled),
            (&mut self.busy, other.busy),
            (&mut self.nested, other.nested),
            (&mut self.own_idle, other.own_idle),
            (&mut self.child_idle, other.child_idle),
            (&mut self.unpolled, other.unpolled),
            (&mut self.queued, other.queued),
            (&mut self.wall, other.wall),
        ]
    }

    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.moved = self.moved.wrapping_add(other.moved);
        for (sum, added) in self.with(other) {
            *sum += added;
        }
        for (sum, added) in self.histogram.iter_mut().zip(other.histogram) {
            *sum += added;
        }
        self.completed_calls.add(&other.completed_calls);
        self.cancelled_calls.add(&other.cancelled_calls);
    }

    pub(super) fn subtract(&mut self, old: &Self) {
        // A call that is open at the reset counts after it, on the path where it is then.
        let left =
            self.calls.wrapping_add(old.moved).wrapping_sub(old.completed + old.cancelled + old.panicked);
        self.calls = if left > u64::MAX / 2 { 0 } else { left };
        self.moved = self.moved.wrapping_sub(old.moved);
        for (now, then) in self.with(old) {
            *now = now.saturating_sub(then);
        }
        for (now, then) in self.histogram.iter_mut().zip(old.histogram) {
            *now = now.saturating_sub(then);
        }
        self.completed_calls.subtract(&old.completed_calls);
        self.cancelled_calls.subtract(&old.cancelled_calls);
    }
}
