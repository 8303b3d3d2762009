//! Finished polls of a node. See [`node_times`](super::node_times) for polls that count for its
//! ancestors too.

use super::histogram::{BUCKETS, Histogram};
use super::node::Node;
use crate::sync::{AtomicU64, Ordering, add};

/// Finished polls of a node, in two parts.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct PollTotals {
    /// Polls that count for this node only.
    pub(super) alone: PollTotalsPart,
    /// Polls that count for the ancestors too, up to the first that has `stopped` them.
    pub(super) through: PollTotalsPart,
    /// Tick of the end of the last poll in `through`.
    pub(super) passed: AtomicU64,
    /// Length of the longest finished poll, in ticks. A reset may store zero from another thread: a
    /// poll that ends at that moment may be kept or lost, and either is right.
    longest: AtomicU64,
}

#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct PollTotalsPart {
    busy: AtomicU64,
    polls: AtomicU64,
}

/// Polls of children that stop counting at a node, because its own poll was longer than theirs.
#[derive(Debug, Default)]
pub(crate) struct PassedPolls {
    part: PollTotalsPart,
    histogram: Histogram,
    /// Tick of the end of the last of them.
    at: AtomicU64,
}

/// The ancestors whose polls pass through to the running one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassingChain {
    /// Whether there are any: ancestors that were entered with the same clock reading and have run
    /// nothing of their own since.
    pub(crate) is_through: bool,
    /// The node above those ancestors, which has run code of its own; `None` if it is the tree's
    /// root.
    pub(crate) stopper: Option<&'static Node>,
}

impl PassingChain {
    /// No ancestors.
    pub(crate) const NONE: Self = Self { is_through: false, stopper: None };

    /// At least one ancestor, below `stopper`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn through(stopper: Option<&'static Node>) -> Self {
        Self { is_through: true, stopper }
    }
}

/// A number of polls, and their total length in ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PollSum {
    pub(crate) busy: u64,
    pub(crate) polls: u64,
}

impl PollTotalsPart {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add(&self, length: u64) {
        add(&self.busy, length);
        add(&self.polls, 1);
    }

    #[cfg(feature = "tracing-layer")]
    pub(super) fn forget_poll(&self, length: u64) {
        crate::sync::sub(&self.busy, length);
        crate::sync::sub(&self.polls, 1);
    }

    pub(super) fn read(&self) -> PollSum {
        PollSum { busy: self.busy.load(Ordering::Relaxed), polls: self.polls.load(Ordering::Relaxed) }
    }
}

impl PollTotals {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn note_longest(&self, length: u64) {
        if length > self.longest.load(Ordering::Relaxed) {
            self.longest.store(length, Ordering::Relaxed);
        }
    }

    pub(super) fn longest(&self) -> u64 {
        self.longest.load(Ordering::Relaxed)
    }

    pub(super) fn forget_longest(&self) {
        self.longest.store(0, Ordering::Relaxed);
    }
}

impl PassedPolls {
    /// Records a poll of `length` ticks, ending at `now`, that counts for no node further up.
    pub(super) fn add(&self, length: u64, now: u64) {
        self.part.add(length);
        self.histogram.count(length);
        self.at.store(now, Ordering::Relaxed);
    }

    /// Their sum, their histogram, and the tick of the last end.
    pub(crate) fn read(&self) -> (PollSum, [u64; BUCKETS], u64) {
        (self.part.read(), self.histogram.counts(), self.at.load(Ordering::Relaxed))
    }
}
