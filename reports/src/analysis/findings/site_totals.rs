//! Sums over the nodes of each site, made once: rules ask for them for each of many calls.

use super::facts::ended;
use crate::model::{Node, Snapshot};

/// Sums over all nodes of a site.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SiteTotals {
    pub(super) calls: u64,
    /// Calls that have ended.
    pub(super) ended: u64,
    /// Calls that do not wait there now.
    pub(super) passed: u64,
    /// The longest completed call, in ns.
    pub(super) longest_ns: u64,
    /// The first node with most of the waiting.
    pub(super) most_idle: Option<usize>,
    most_idle_ns: u64,
}

impl SiteTotals {
    /// The sums of each site.
    pub(super) fn of_sites(snapshot: &Snapshot) -> Vec<Self> {
        let mut totals = vec![Self::default(); snapshot.sites.len()];
        for (index, node) in snapshot.nodes.iter().enumerate() {
            if let Some(site) = totals.get_mut(node.site.get()) {
                site.add(index, node);
            }
        }
        totals
    }

    fn add(&mut self, index: usize, node: &Node) {
        self.calls = self.calls.saturating_add(node.calls);
        self.ended = self.ended.saturating_add(ended(node));
        self.passed = self.passed.saturating_add(node.calls.saturating_sub(node.pending));
        self.longest_ns = self.longest_ns.max(node.latency.completed.longest_ns);
        if self.most_idle.is_none() || node.idle_ns > self.most_idle_ns {
            (self.most_idle, self.most_idle_ns) = (Some(index), node.idle_ns);
        }
    }

    /// Returns whether at least `least` calls have ended, and a tenth of all. An overloaded service
    /// has more calls in flight than have ended.
    pub(super) fn is_served(&self, least: u64) -> bool {
        self.ended >= least && self.ended >= self.calls / 10
    }

    /// Returns whether most calls end: requests, not loops.
    pub(super) fn has_ends(&self) -> bool {
        self.ended > 0 && self.ended >= self.calls / 2
    }
}
