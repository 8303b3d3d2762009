//! Builds the graph of a snapshot, with a node for everything that may make progress.
//!
//! ```text
//! Task ── all ─┬─ Woken ── any ── Wait ── all ─┬─ QueueAhead ── all ── WaitEnd, of each wait ahead
//!              └─ FreeWorker                   └─ EnoughUnits ── threshold ── FreeUnits ── sum ─┐
//!                                                   Holding, WaitEnd of granted waits ──────────┘
//! Holding, WaitEnd ── any ── Task
//! ```
//! A task is the smallest unit. The records do not say whether a branch is dropped when its sibling
//! completes (`select!`) or not (`join!`). So a task that can progress may release everything that
//! its futures hold. A future that its task no longer polls cannot help the task to progress. This
//! rule alone turns a futurelock into a cycle.
//!
//! The rules are solved once per level of [`Evidence`], until a weaker level would change nothing.
//! They are not solved at all if nothing is stuck under the weakest evidence.

use super::graph::{Graph, NodeId};
use super::node::{Evidence, Node};
use super::shared_nodes::SharedNodes;
use crate::analysis::hangs::facts::Facts;

/// The node of a task.
pub(crate) fn task_node(index: usize) -> NodeId {
    index
}

/// The graph of a snapshot under one level of evidence.
#[derive(Debug)]
pub(crate) struct System<'a> {
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) evidence: Evidence,
    pub(crate) graph: Graph,
    /// The meanings of all nodes that follow the nodes of tasks and waits; see [`Self::node`].
    pub(super) others: Vec<Node>,
    pub(crate) shared: SharedNodes,
    /// Whether weaker evidence would change the graph.
    pub(crate) depends_on_evidence: bool,
    /// Whether a node may progress in this graph although it is stuck under stronger evidence.
    /// Usually, everything that is stuck under strong evidence is also stuck under weaker evidence.
    pub(crate) has_exceptions: bool,
}

impl<'a> System<'a> {
    pub(crate) fn new(facts: &'a Facts<'a>, evidence: Evidence) -> Self {
        let snapshot = facts.snapshot;
        let (tasks, waits) = (snapshot.tasks.len(), snapshot.waits.len());
        let mut graph = Graph::default();
        for _ in 0..tasks + 2 * waits {
            graph.add_node(1);
        }
        let shared = SharedNodes::new(snapshot.resources.len());
        let mut system = Self {
            facts,
            evidence,
            graph,
            others: Vec::new(),
            shared,
            depends_on_evidence: false,
            has_exceptions: false,
        };
        for (index, task) in snapshot.tasks.iter().enumerate() {
            system.add_task(index, task);
        }
        for index in 0..waits {
            system.add_wait(index);
            system.add_wait_end(index);
        }
        system
    }

    /// The meaning of a node. For tasks and waits it is computed from the number, because there may
    /// be millions of them.
    pub(crate) fn node(&self, node: NodeId) -> Node {
        let (tasks, waits) = (self.facts.snapshot.tasks.len(), self.facts.snapshot.waits.len());
        match node.checked_sub(tasks + 2 * waits) {
            Some(other) => self.others[other],
            None if node < tasks => Node::Task(node),
            None if node < tasks + waits => Node::Wait(node - tasks),
            None => Node::WaitEnd(node - tasks - waits),
        }
    }

    pub(crate) fn wait_node(&self, index: usize) -> NodeId {
        self.facts.snapshot.tasks.len() + index
    }

    pub(crate) fn wait_end_node(&self, index: usize) -> NodeId {
        self.facts.snapshot.tasks.len() + self.facts.snapshot.waits.len() + index
    }

    /// Returns whether only exact facts count. Only call this where the answer changes the graph.
    pub(crate) fn is_exact_only(&mut self) -> bool {
        self.depends_on_evidence |= self.evidence == Evidence::Exact;
        self.evidence == Evidence::Exact
    }

    /// Returns whether suspicions do not count. Only call this where the answer changes the graph.
    pub(crate) fn rejects_suspect(&mut self) -> bool {
        self.depends_on_evidence |= self.evidence != Evidence::Suspect;
        self.evidence != Evidence::Suspect
    }

    /// Adds a node that can progress once `needs` of its dependencies can.
    pub(crate) fn add_node(&mut self, stands_for: Node, needs: u64) -> NodeId {
        self.others.push(stands_for);
        self.graph.add_node(needs)
    }

    /// Adds a counter with sum zero.
    pub(crate) fn add_counter(&mut self, stands_for: Node) -> NodeId {
        self.others.push(stands_for);
        self.graph.add_counter(0)
    }

    /// Makes the node able to progress unconditionally.
    pub(crate) fn set_can_progress(&mut self, node: NodeId) {
        self.graph.set_needed(node, 0);
    }

    /// Adds a dependency. Any one of a node's alternatives is enough.
    pub(crate) fn add_alternative(&mut self, node: NodeId, input: NodeId) {
        self.graph.add_edge(input, node, 1);
    }
}
