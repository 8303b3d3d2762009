//! The dependency graph, and its least fixed point: the nodes that can make progress.
//!
//! An edge goes from a dependency to the node that needs it.
//! ```text
//! node     can progress once the weights of the dependencies that can progress reach its need:
//!          1 for "any of them", their number for "all of them"
//! counter  never progresses itself. Its sum is an initial value plus the weights of its
//!          dependencies that can progress. The weight of each outgoing edge is a threshold on that sum
//! ```
//! Counters are there for locks: a thousand holders and a thousand waiters take two thousand edges,
//! not a million. Solving follows each edge once, so it is linear except for sorting thresholds.
//! Nodes only ever become able to progress, so the order of the worklist does not change the
//! result.
//!
//! The meaning of a node is not known here.

use crate::analysis::hangs::facts::step;
use crate::lists::Lists;
use crate::sort::sort_by_key;

/// Index of a node or counter.
pub(crate) type NodeId = usize;

/// Nodes, counters, and the edges between them.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// The amount that each node still needs; the initial sum of a counter.
    remaining: Vec<u64>,
    is_counter: Vec<bool>,
    edges: Vec<Edge>,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    /// The weight below the flag [`HIDDEN`]: there may be many million edges.
    weight: u64,
}

/// The flag of an edge that is a way out that no wait asks for. It never explains why a node is
/// stuck.
const HIDDEN: u64 = 1 << 63;

impl Edge {
    /// The amount that the edge adds at its end; the threshold if it begins at a counter.
    fn weight(&self) -> u64 {
        self.weight & !HIDDEN
    }

    fn is_hidden(&self) -> bool {
        self.weight & HIDDEN != 0
    }

    fn from(&self) -> NodeId {
        self.from as NodeId
    }

    fn to(&self) -> NodeId {
        self.to as NodeId
    }
}

/// Which nodes can progress, and the edges between those that cannot.
#[derive(Debug)]
pub(crate) struct FixedPoint {
    can_progress: Vec<bool>,
    /// By node: its stuck dependencies. Hidden edges are left out.
    pub(crate) dependencies: Lists,
    /// By node: the stuck nodes that depend on it. Hidden edges are left out.
    pub(crate) dependents: Lists,
}

impl Graph {
    /// Adds a node that needs weights of `needs`. With zero it can progress from the start.
    pub(crate) fn add_node(&mut self, needs: u64) -> NodeId {
        self.remaining.push(needs);
        self.is_counter.push(false);
        self.remaining.len() - 1
    }

    /// Adds a counter with an initial sum.
    pub(crate) fn add_counter(&mut self, initial: u64) -> NodeId {
        self.remaining.push(initial);
        self.is_counter.push(true);
        self.remaining.len() - 1
    }

    /// Replaces what a node needs.
    pub(crate) fn set_needed(&mut self, node: NodeId, needs: u64) {
        self.remaining[node] = needs;
    }

    /// Returns whether the node can progress from the start.
    pub(crate) fn needs_nothing(&self, node: NodeId) -> bool {
        self.remaining[node] == 0
    }

    /// Adds a dependency that the node needs in addition to all others.
    pub(crate) fn require(&mut self, node: NodeId, dependency: NodeId) {
        self.remaining[node] = self.remaining[node].saturating_add(1);
        self.add_edge(dependency, node, 1);
    }

    /// Adds an edge: once `from` can progress, it adds `weight` to `to`. If `from` is a counter, it
    /// adds 1 once its sum reaches `weight`.
    pub(crate) fn add_edge(&mut self, from: NodeId, to: NodeId, weight: u64) {
        step();
        self.push(from, to, weight.min(!HIDDEN));
    }

    /// Adds an edge of weight 1 between two nodes that never explains why `to` is stuck.
    pub(crate) fn add_hidden_edge(&mut self, from: NodeId, to: NodeId) {
        step();
        self.push(from, to, 1 | HIDDEN);
    }

    fn push(&mut self, from: NodeId, to: NodeId, weight: u64) {
        // There are no more than a few nodes for each record of a snapshot.
        let [from, to] = [from, to].map(|node| u32::try_from(node).unwrap_or(u32::MAX));
        self.edges.push(Edge { from, to, weight });
    }

    /// The number of nodes and counters.
    pub(crate) fn len(&self) -> usize {
        self.remaining.len()
    }

    /// Computes the least fixed point.
    pub(crate) fn solve(&self) -> FixedPoint {
        let can_progress = Worklist::new(self).run();
        let is_stuck =
            |edge: &&Edge| !can_progress[edge.from()] && !can_progress[edge.to()] && !edge.is_hidden();
        // Without stuck edges, as in a healthy program, no lists are allocated.
        let lists = if self.edges.iter().any(|edge| is_stuck(&edge)) { self.len() } else { 0 };
        let dependencies = Lists::new(
            lists,
            self.edges.iter().filter(is_stuck).inspect(|_| step()).map(|edge| (edge.to(), edge.from())),
        );
        let dependents = Lists::new(
            lists,
            self.edges.iter().filter(is_stuck).inspect(|_| step()).map(|edge| (edge.from(), edge.to())),
        );
        FixedPoint { can_progress, dependencies, dependents }
    }
}

impl FixedPoint {
    /// Returns whether the node can make progress.
    pub(crate) fn can_progress(&self, node: NodeId) -> bool {
        self.can_progress.get(node).copied().unwrap_or(true)
    }
}

/// The state of one run.
struct Worklist<'a> {
    graph: &'a Graph,
    /// The amount that each node has received so far; the amount added to a counter. Most nodes get
    /// nothing, so their memory is never touched.
    received: Vec<u64>,
    /// Edge numbers by source node; those of a counter sorted by threshold.
    dependents: Lists,
    /// By counter: how many of its thresholds are reached.
    reached: Vec<usize>,
    can_progress: Vec<bool>,
    queue: Vec<NodeId>,
}

impl<'a> Worklist<'a> {
    fn new(graph: &'a Graph) -> Self {
        let pairs = graph.edges.iter().enumerate().map(|(number, edge)| (edge.from(), number));
        let lists = if graph.edges.is_empty() { 0 } else { graph.len() };
        let mut dependents = Lists::new(lists, pairs);
        for counter in (0..graph.len()).filter(|&node| graph.is_counter[node]) {
            let range = dependents.range(counter);
            sort_by_key(&mut dependents.items[range], |&number| graph.edges[number].weight());
        }
        Self {
            graph,
            received: vec![0; graph.len()],
            dependents,
            reached: vec![0; graph.len()],
            can_progress: vec![false; graph.len()],
            queue: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<bool> {
        for node in 0..self.graph.len() {
            if self.graph.is_counter[node] {
                self.add_to_counter(node, 0);
            } else if self.graph.remaining[node] == 0 {
                self.mark(node);
            }
            self.follow();
        }
        self.can_progress
    }

    /// Follows the edges of all nodes that were marked.
    fn follow(&mut self) {
        while let Some(node) = self.queue.pop() {
            for index in self.dependents.range(node) {
                step();
                let edge = self.graph.edges[self.dependents.items[index]];
                let (to, weight) = (edge.to(), edge.weight());
                if self.graph.is_counter[to] {
                    self.add_to_counter(to, weight);
                } else {
                    self.fulfill(to, weight);
                }
            }
        }
    }

    /// Adds to the sum of a counter, and follows the edges whose thresholds it reaches.
    fn add_to_counter(&mut self, counter: NodeId, weight: u64) {
        self.received[counter] = self.received[counter].saturating_add(weight);
        let sum = self.graph.remaining[counter].saturating_add(self.received[counter]);
        while let Some(&number) = self.dependents.of(counter).get(self.reached[counter]) {
            let edge = self.graph.edges[number];
            if edge.weight() > sum {
                break;
            }
            step();
            self.reached[counter] += 1;
            self.fulfill(edge.to(), 1);
        }
    }

    fn fulfill(&mut self, node: NodeId, weight: u64) {
        self.received[node] = self.received[node].saturating_add(weight);
        if self.received[node] >= self.graph.remaining[node] {
            self.mark(node);
        }
    }

    fn mark(&mut self, node: NodeId) {
        if !self.can_progress[node] {
            self.can_progress[node] = true;
            self.queue.push(node);
        }
    }
}
