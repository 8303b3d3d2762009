//! From facts to gates: a gate is open if what it stands for can still make progress.
//!
//! ```text
//! Task ── all ─┬─ Woken ── any ── Wait ── all ─┬─ Ahead ── all ── Leaves, of each before it in the queue
//!              └─ Workers                      └─ Units ── level ── Level ── sum ── Holding, Leaves of what is granted
//! Holding, Leaves ── any ── Task
//! ```
//! Nothing is taken apart below tasks: whether a branch is dropped when its sibling is done (`select!`) or not (`join!`) is not
//! known, so a task that can go on may let go of anything in it. What its task does not poll any more is no reason for it to
//! go on: that makes a futurelock come out as a circle.
//!
//! The same rules are solved up to three times, see [`Trust`]. Where more trust would make no difference, once is enough.

use super::graph::{Graph, NodeId};
use super::node::{Evidence, Node};
use super::shared_nodes::SharedNodes;
use crate::analysis::hangs::facts::Facts;

/// The gate of a task.
pub(crate) fn task_node(index: usize) -> NodeId {
    index
}

/// The gates of a snapshot.
#[derive(Debug)]
pub(crate) struct System<'a> {
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) evidence: Evidence,
    pub(crate) graph: Graph,
    /// What each gate stands for.
    pub(crate) nodes: Vec<Node>,
    pub(crate) shared: SharedNodes,
    /// Whether anything would be otherwise under [`Trust::Likely`].
    pub(crate) depends_on_evidence: bool,
}

impl<'a> System<'a> {
    pub(crate) fn new(facts: &'a Facts<'a>, evidence: Evidence) -> Self {
        let snapshot = facts.snapshot;
        let (tasks, waits) = (snapshot.tasks.len(), snapshot.waits.len());
        let nodes = (0..tasks).map(Node::Task).chain((0..waits).map(Node::Wait));
        let nodes: Vec<Node> = nodes.chain((0..waits).map(Node::WaitEnd)).collect();
        let mut graph = Graph::default();
        for _ in &nodes {
            graph.add_node(1);
        }
        let shared = SharedNodes::new(snapshot.resources.len());
        let mut system = Self { facts, evidence, graph, nodes, shared, depends_on_evidence: false };
        for (index, task) in snapshot.tasks.iter().enumerate() {
            system.add_task(index, task);
        }
        for index in 0..waits {
            system.add_wait(index);
            system.add_wait_end(index);
        }
        system
    }

    pub(crate) fn wait_node(&self, index: usize) -> NodeId {
        self.facts.snapshot.tasks.len() + index
    }

    pub(crate) fn wait_end_node(&self, index: usize) -> NodeId {
        self.facts.snapshot.tasks.len() + self.facts.snapshot.waits.len() + index
    }

    /// Whether what is only likely can go on; asked where that makes a difference.
    pub(crate) fn is_exact_only(&mut self) -> bool {
        self.depends_on_evidence |= self.evidence == Evidence::Exact;
        self.evidence == Evidence::Exact
    }

    /// Whether what is only suspect can go on; asked where that makes a difference.
    pub(crate) fn rejects_suspect(&mut self) -> bool {
        self.depends_on_evidence |= self.evidence != Evidence::Suspect;
        self.evidence != Evidence::Suspect
    }

    /// A new gate, closed until `needs` inputs are open.
    pub(crate) fn add_node(&mut self, stands_for: Node, needs: u64) -> NodeId {
        self.nodes.push(stands_for);
        self.graph.add_node(needs)
    }

    /// A new meter, at zero.
    pub(crate) fn add_counter(&mut self, stands_for: Node) -> NodeId {
        self.nodes.push(stands_for);
        self.graph.add_counter(0)
    }

    /// The gate is open.
    pub(crate) fn set_can_progress(&mut self, node: NodeId) {
        self.graph.set_needed(node, 0);
    }

    /// The gate opens with any of its inputs, this one too.
    pub(crate) fn add_alternative(&mut self, node: NodeId, input: NodeId) {
        self.graph.add_edge(input, node, 1);
    }
}
