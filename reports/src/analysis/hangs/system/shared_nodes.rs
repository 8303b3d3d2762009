//! Nodes of resources that many other nodes depend on. Each is created on first use.

use std::ops::Range;

use super::build::System;
use super::graph::NodeId;
use super::node::Node;
use super::queues::Queue;
use super::threads::RuntimeWorkers;
use crate::analysis::hangs::facts::{IdMap, NumberOf, buffers_messages, queue_side, step, units_asked};
use crate::model::{Holding, ResourceKind, Role, WaitMode};

/// The nodes that exist so far.
#[derive(Debug, Default)]
pub(crate) struct SharedNodes {
    pub(crate) threads: IdMap<u64, NodeId>,
    pub(super) block_ons: IdMap<u64, NodeId>,
    pub(crate) workers: IdMap<u64, NodeId>,
    pub(crate) runtime_workers: IdMap<u64, RuntimeWorkers>,
    pub(crate) pools: IdMap<u64, NodeId>,
    pub(super) last_woken_by: IdMap<u64, Option<u64>>,
    /// By span index.
    pub(crate) arms: IdMap<usize, NodeId>,
    pub(super) notifiers: IdMap<usize, NodeId>,
    /// By task index.
    pub(super) later_tasks: Vec<NodeId>,
    /// By resource index.
    free_units: NumberOf,
    /// By four times the resource index, plus the role.
    any_holding: NumberOf,
    all_senders_gone: NumberOf,
    /// By twice the resource index, plus the side of the queue.
    woken_waits_end: NumberOf,
    woken_readers_end: IdMap<usize, NodeId>,
    any_writer_ends: IdMap<usize, NodeId>,
    exclusive_access_ends: IdMap<usize, NodeId>,
    pub(super) upgrade_ends: IdMap<usize, Option<NodeId>>,
    turn_ends: IdMap<usize, NodeId>,
    all_units_back: NumberOf,
    /// By resource index: whether a reader never waits for the holders; the queue position of the
    /// first writer, or the length of the queue if no writer waits.
    pub(crate) admits_readers: IdMap<usize, bool>,
    pub(super) has_woken_reader: IdMap<usize, bool>,
    pub(crate) first_writer: NumberOf,
    /// By resource index: the node of its first holding. The nodes of its other holdings follow it.
    first_holding: NumberOf,
    /// By resource and number of units.
    enough_units: IdMap<(usize, u64), NodeId>,
    /// By resource, queue side, number of waits counted, and units asked for.
    pub(crate) enough_beside: IdMap<(usize, usize, usize, u64), NodeId>,
    /// By resource and queue side.
    pub(crate) queues: IdMap<(usize, usize), Queue>,
    pub(super) any_task: Option<NodeId>,
}

impl SharedNodes {
    pub(crate) fn new(resources: usize) -> Self {
        let none = || NumberOf::new(resources);
        Self {
            free_units: none(),
            any_holding: NumberOf::new(4 * resources),
            all_senders_gone: none(),
            woken_waits_end: NumberOf::new(2 * resources),
            all_units_back: none(),
            first_writer: none(),
            first_holding: none(),
            ..Self::default()
        }
    }

    /// The nodes of all holdings of a resource, if they exist.
    pub(crate) fn holdings(&self, resource: usize, count: usize) -> Range<NodeId> {
        self.first_holding.get(resource).map_or(0..0, |first| first..first + count)
    }
}

impl System<'_> {
    /// The counter of units that can become free: the units that are free now, and the units that a
    /// task that can progress holds or was granted.
    pub(crate) fn free_units(&mut self, resource: usize) -> NodeId {
        if let Some(node) = self.shared.free_units.get(resource) {
            return node;
        }
        let facts = self.facts;
        let it = &facts.snapshot.resources[resource];
        self.others.push(Node::FreeUnits(resource));
        let mut holders = it.holdings.iter().filter(|holding| holding.role == Role::Holds);
        let is_taken_whole = it.capacity.is_none() && holders.any(|holding| holding.units > 1);
        let counter = self.graph.add_counter(if is_taken_whole { 0 } else { it.free });
        self.shared.free_units.set(resource, counter);
        for (number, holding) in it.holdings.iter().enumerate() {
            if holding.role == Role::Holds {
                let node = self.holding_node(resource, number);
                self.graph.add_edge(node, counter, holding.units.max(1));
            }
        }
        for &wait in &facts.waits_of_resource[resource] {
            let granted = &facts.snapshot.waits[wait];
            if granted.is_granted {
                self.graph.add_edge(self.wait_end_node(wait), counter, units_asked(granted));
            }
        }
        // An mpmc receiver records a message after it has removed it, so `filled` is only an
        // estimate.
        let filled = if it.kind == ResourceKind::Mpmc { u64::MAX } else { it.filled };
        if filled > 0 && buffers_messages(it.kind) {
            let receivers = self.any_receiver(resource);
            self.graph.add_edge(receivers, counter, filled);
        }
        if it.is_refilled {
            let users = self.any_refill(resource);
            self.graph.add_edge(users, counter, u64::MAX);
        }
        counter
    }

    /// The node for "this many units become free".
    pub(crate) fn enough_units(&mut self, resource: usize, units: u64) -> NodeId {
        if let Some(&node) = self.shared.enough_units.get(&(resource, units)) {
            return node;
        }
        let counter = self.free_units(resource);
        let node = self.add_node(Node::EnoughUnits(resource), 1);
        self.shared.enough_units.insert((resource, units), node);
        self.graph.add_edge(counter, node, units);
        node
    }

    /// The node for "the woken waits of an unfair lock leave", or the woken waits on one side of a
    /// channel. Until they leave, no other wait is woken. The exception is a read-write lock: its
    /// woken readers do not delay a writer.
    pub(crate) fn woken_waits_end(&mut self, resource: usize, mode: WaitMode) -> NodeId {
        let side = queue_side(mode);
        if let Some(node) = self.shared.woken_waits_end.get(2 * resource + side) {
            return node;
        }
        let node = self.add_node(Node::WokenWaitsEnd(resource), 0);
        self.shared.woken_waits_end.set(2 * resource + side, node);
        let facts = self.facts;
        let is_lock = facts.snapshot.resources[resource].kind == ResourceKind::RwLock;
        for &wait in &facts.waits_of_resource[resource] {
            let it = &facts.snapshot.waits[wait];
            let is_beside = it.woken_ns.is_some() && queue_side(it.mode) == side;
            if is_beside && !(is_lock && it.mode == WaitMode::Read) {
                self.graph.require(node, self.wait_end_node(wait));
            }
        }
        node
    }

    /// The node for "the woken readers of an unfair lock leave".
    pub(crate) fn woken_readers_end(&mut self, resource: usize) -> NodeId {
        if let Some(&node) = self.shared.woken_readers_end.get(&resource) {
            return node;
        }
        let node = self.add_node(Node::WokenWaitsEnd(resource), 0);
        self.shared.woken_readers_end.insert(resource, node);
        let facts = self.facts;
        for &wait in &facts.waits_of_resource[resource] {
            let it = &facts.snapshot.waits[wait];
            if it.woken_ns.is_some() && it.mode == WaitMode::Read {
                self.graph.require(node, self.wait_end_node(wait));
            }
        }
        node
    }

    /// Returns whether a reader never waits for the holders of the lock, because they are readers
    /// too. A fair lock may limit the number of readers.
    pub(super) fn admits_readers(&mut self, resource: usize) -> bool {
        let it = &self.facts.snapshot.resources[resource];
        if it.is_fair {
            return it.free > 0;
        }
        *self.shared.admits_readers.entry(resource).or_insert_with(|| {
            let holders =
                it.holdings.iter().inspect(|_| step()).filter(|holding| holding.role == Role::Holds);
            let (mut has_any, mut are_readers) = (false, true);
            for holder in holders {
                (has_any, are_readers) = (true, are_readers && holder.units <= 1);
            }
            it.free > 0 || (has_any && are_readers)
        })
    }

    /// Returns whether readers hold the lock. Then a writer that began to wait after another writer
    /// was woken may wait only for those readers.
    pub(super) fn is_read(&mut self, resource: usize) -> bool {
        let it = &self.facts.snapshot.resources[resource];
        // An upgrade has a holding without units, and waits itself.
        let is_held = it.holdings.iter().any(|holding| holding.role == Role::Holds && holding.units > 0);
        it.kind == ResourceKind::RwLock && is_held && self.admits_readers(resource)
    }

    /// The node for "any waiting writer of an unfair lock leaves".
    pub(crate) fn any_writer_ends(&mut self, resource: usize) -> NodeId {
        if let Some(&node) = self.shared.any_writer_ends.get(&resource) {
            return node;
        }
        let node = self.add_node(Node::QueueAhead(resource), 1);
        self.shared.any_writer_ends.insert(resource, node);
        let facts = self.facts;
        for &wait in &facts.waits_of_resource[resource] {
            if facts.snapshot.waits[wait].mode == WaitMode::Write {
                self.add_alternative(node, self.wait_end_node(wait));
            }
        }
        let it = &facts.snapshot.resources[resource];
        let is_held = it.holdings.iter().any(|holding| holding.role == Role::Holds);
        if it.library == *"async-lock" && is_held && self.is_exact_only() {
            // A holder may upgrade, and then lets in the readers that wait when it releases the
            // lock.
            let holders = self.any_holder(resource);
            self.graph.add_hidden_edge(holders, node);
        }
        node
    }

    /// The node for "an unfair lock admits an upgradable reader". One holder or waiting writer
    /// blocks it. The records do not say which one, because they do not distinguish readers.
    pub(crate) fn exclusive_access_ends(&mut self, resource: usize) -> NodeId {
        if let Some(&node) = self.shared.exclusive_access_ends.get(&resource) {
            return node;
        }
        let facts = self.facts;
        let node = self.add_node(Node::EnoughUnits(resource), 1);
        self.shared.exclusive_access_ends.insert(resource, node);
        let is_held =
            facts.snapshot.resources[resource].holdings.iter().any(|holding| holding.role == Role::Holds);
        let is_writer = |&wait: &usize| facts.snapshot.waits[wait].mode == WaitMode::Write;
        let has_writer = facts.waits_of_resource[resource].iter().any(is_writer);
        if has_writer {
            let writer = self.any_writer_ends(resource);
            self.add_alternative(node, writer);
        }
        if is_held || !has_writer {
            let holder = self.any_holder(resource);
            self.add_alternative(node, holder);
        }
        node
    }

    /// The node for "the call that initializes the cell ends, or the waiting call that was woken to
    /// initialize it". After a failure, one waiting call gets its turn. If no call was woken, any
    /// code that can reach the cell may set it. If the cell is not fair, a later call of any task
    /// may initialize it first.
    pub(crate) fn turn_ends(&mut self, resource: usize) -> NodeId {
        if let Some(&node) = self.shared.turn_ends.get(&resource) {
            return node;
        }
        let facts = self.facts;
        let is_woken = |&wait: &usize| facts.snapshot.waits[wait].woken_ns.is_some();
        let mut woken = facts.waits_of_resource[resource].iter().copied().filter(is_woken).peekable();
        let mut holdings = facts.snapshot.resources[resource].holdings.iter();
        let is_running = holdings.any(|holding| holding.role == Role::Holds);
        let node = if is_running {
            self.any_holder(resource)
        } else if woken.peek().is_none() {
            let setters = self.any_notifier(resource);
            if !self.rejects_suspect() {
                // The records do not say which task has set a cell, or may set it.
                self.set_can_progress(setters);
                self.has_exceptions = true;
            }
            setters
        } else {
            let node = self.add_node(Node::WokenWaitsEnd(resource), 1);
            if !facts.snapshot.resources[resource].is_fair && self.rejects_suspect() {
                let others = self.any_task();
                self.graph.add_hidden_edge(others, node);
            }
            node
        };
        self.shared.turn_ends.insert(resource, node);
        for wait in woken {
            self.add_alternative(node, self.wait_end_node(wait));
        }
        node
    }

    /// The node for "any receiver receives". It can progress if no receiver is known.
    pub(crate) fn any_receiver(&mut self, resource: usize) -> NodeId {
        self.any_holding(resource, Role::Receives, Node::AnyReceiver(resource))
    }

    /// The node for "any sender sends, or the last one is dropped".
    pub(crate) fn any_sender(&mut self, resource: usize) -> NodeId {
        self.any_holding(resource, Role::Sends, Node::AnySender(resource))
    }

    /// The node for "any holder releases its units". It can progress if no holder is known.
    pub(crate) fn any_holder(&mut self, resource: usize) -> NodeId {
        self.any_holding(resource, Role::Holds, Node::EnoughUnits(resource))
    }

    /// The node for "any task that has added units adds more".
    pub(super) fn any_refill(&mut self, resource: usize) -> NodeId {
        let node = self.any_holding(resource, Role::Uses, Node::AnyRefill(resource));
        if self.is_exact_only() {
            self.set_can_progress(node);
        }
        node
    }

    /// The node that has each holding of the role as an alternative. If there is none, it can
    /// progress.
    fn any_holding(&mut self, resource: usize, role: Role, meaning: Node) -> NodeId {
        let position = 4 * resource + role as usize;
        if let Some(node) = self.shared.any_holding.get(position) {
            return node;
        }
        let node = self.add_node(meaning, 1);
        self.shared.any_holding.set(position, node);
        let holdings = &self.facts.snapshot.resources[resource].holdings;
        let mut numbers = (0..holdings.len()).filter(|&number| holdings[number].role == role).peekable();
        if numbers.peek().is_none() {
            self.set_can_progress(node);
        }
        for number in numbers {
            let holding = self.holding_node(resource, number);
            self.add_alternative(node, holding);
        }
        node
    }

    /// The node for "all senders are dropped". Senders that wait in the queue have to leave first.
    pub(crate) fn all_senders_gone(&mut self, resource: usize) -> NodeId {
        if let Some(node) = self.shared.all_senders_gone.get(resource) {
            return node;
        }
        let node = self.add_node(Node::AllSendersGone(resource), 0);
        self.shared.all_senders_gone.set(resource, node);
        let facts = self.facts;
        if let Some(line) = self.queue_ahead(resource, 0, facts.queue(resource, 0).len()) {
            self.graph.require(node, line);
        }
        for (number, holding) in facts.snapshot.resources[resource].holdings.iter().enumerate() {
            if holding.role == Role::Sends {
                let holding = self.holding_node(resource, number);
                self.graph.require(node, holding);
            }
        }
        node
    }

    /// The node for "all held and granted units are returned".
    pub(crate) fn all_units_back(&mut self, resource: usize) -> NodeId {
        if let Some(node) = self.shared.all_units_back.get(resource) {
            return node;
        }
        let node = self.add_node(Node::EnoughUnits(resource), 0);
        self.shared.all_units_back.set(resource, node);
        let facts = self.facts;
        let it = &facts.snapshot.resources[resource];
        // A reader that upgrades holds no units, and waits for all other readers. Other writers
        // wait for `upgrade_ends`, too.
        let is_upgrading = |holding: &Holding| it.kind == ResourceKind::RwLock && holding.units == 0;
        for (number, holding) in it.holdings.iter().enumerate() {
            if holding.role == Role::Holds && !is_upgrading(holding) {
                let holding = self.holding_node(resource, number);
                self.graph.require(node, holding);
            }
        }
        for &wait in &facts.waits_of_resource[resource] {
            if facts.snapshot.waits[wait].is_granted {
                self.graph.require(node, self.wait_end_node(wait));
            }
        }
        node
    }

    /// The node of a holding.
    pub(crate) fn holding_node(&mut self, resource: usize, number: usize) -> NodeId {
        if let Some(first) = self.shared.first_holding.get(resource) {
            return first + number;
        }
        let first = self.graph.len();
        self.shared.first_holding.set(resource, first);
        let count = self.facts.snapshot.resources[resource].holdings.len();
        for number in 0..count {
            self.add_node(Node::Holding(resource, number), 1);
        }
        for number in 0..count {
            self.add_holding(first + number, resource, number);
        }
        first + number
    }
}
