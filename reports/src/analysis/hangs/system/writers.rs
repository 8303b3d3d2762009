//! Waits for a lock without a fair queue that a waiting writer or an upgrade keeps out.

use super::build::System;
use super::graph::NodeId;
use super::node::Node;
use crate::analysis::hangs::facts::step;
use crate::model::{Holding, ResourceKind, Role, WaitMode};

/// The units that a writer of a lock without a fair queue asks for. An upgrade asks for one less.
const ALL: u64 = u32::MAX as u64;

impl System<'_> {
    /// The node for "the upgrade ends", if there is one and the wait is not that of the upgrade
    /// itself. From the call on, whether it is polled or not, an upgrade keeps out readers and
    /// writers until it releases the lock.
    pub(super) fn upgrade_ends(&mut self, index: usize, resource: usize) -> Option<NodeId> {
        let facts = self.facts;
        let (it, wait) = (&facts.snapshot.resources[resource], &facts.snapshot.waits[index]);
        let is_kept_out = wait.mode == WaitMode::Read || wait.mode == WaitMode::Write && wait.units >= ALL;
        if it.kind != ResourceKind::RwLock || !is_kept_out {
            return None;
        }
        if let Some(&known) = self.shared.upgrade_ends.get(&resource) {
            return known;
        }
        // The upgrading reader has no units, so that it does not wait for itself.
        let is_upgrade = |holding: &Holding| holding.role == Role::Holds && holding.units == 0;
        let holdings = it.holdings.iter().inspect(|_| step()).enumerate();
        let upgrades: Vec<usize> =
            holdings.filter(|(_, it)| is_upgrade(it)).map(|(number, _)| number).collect();
        let node = (!upgrades.is_empty()).then(|| self.add_node(Node::EnoughUnits(resource), 0));
        self.shared.upgrade_ends.insert(resource, node);
        for number in upgrades {
            let holding = self.holding_node(resource, number);
            node.inspect(|&node| self.graph.require(node, holding));
        }
        node
    }

    /// Returns whether a writer that waits too keeps the reader out. That is not always the first
    /// one, as an upgrade overtakes it.
    pub(super) fn is_kept_out_by_writer(&mut self, index: usize, resource: usize) -> bool {
        let snapshot = self.facts.snapshot;
        let Some(writer) = self.first_writer_ahead(index, resource) else { return false };
        if snapshot.resources[resource].library == *"async-lock" {
            // Its writers wait for each other first, and keep nobody out meanwhile. The one that
            // waits for readers keeps out new ones, whether it was woken or not. If a reader was
            // woken too, the last writer may have woken both: it has just released the lock.
            let is_woken = snapshot.waits[writer].woken_ns.is_some();
            return self.admits_readers(resource) && !(is_woken && self.has_woken_reader(resource));
        }
        // A woken writer keeps them out again once it is polled.
        snapshot.waits[writer].woken_ns.is_none()
    }

    fn has_woken_reader(&mut self, resource: usize) -> bool {
        let facts = self.facts;
        *self.shared.has_woken_reader.entry(resource).or_insert_with(|| {
            facts.waits_of_resource[resource].iter().inspect(|_| step()).any(|&wait| {
                let it = &facts.snapshot.waits[wait];
                // Whether a thread was woken is not recorded.
                (it.woken_ns.is_some() || it.thread_id.is_some()) && it.mode == WaitMode::Read
            })
        })
    }

    /// The first waiting writer, if it is ahead of the wait with this index.
    fn first_writer_ahead(&mut self, index: usize, resource: usize) -> Option<usize> {
        let facts = self.facts;
        let queue = facts.queue(resource, 0);
        let first = self.shared.first_writer.get(resource).unwrap_or_else(|| {
            let is_writer = |wait: usize| facts.snapshot.waits[wait].mode == WaitMode::Write;
            queue.iter().inspect(|_| step()).position(|&wait| is_writer(wait)).unwrap_or(queue.len())
        });
        self.shared.first_writer.set(resource, first);
        queue.get(first).copied().filter(|_| first < facts.waits_ahead[index])
    }
}
