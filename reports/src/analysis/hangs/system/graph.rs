//! The dependency graph, and its least fixed point: the nodes that can make progress.
//!
//! An edge goes from a dependency to the node that needs it.
//! ```text
//! node     can progress once the weights of the dependencies that can progress reach its need:
//!          1 for "any of them", their number for "all of them"
//! counter  never progresses itself. Its sum is an initial value plus the weights of its
//!          dependencies that can progress. The weight of each outgoing edge is a threshold on that sum
//! ```
//! Counters keep locks cheap: a thousand holders and a thousand waiters take two thousand edges,
//! not a million. Solving follows each edge once, so it is linear except for sorting thresholds.
//! Nodes only ever become able to progress, so the order of the worklist does not change the
//! result.
//!
//! This module does not know what its nodes mean.

use crate::analysis::hangs::facts::{IdMap, step};
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
    /// By edge number: the weight, if it is not 1.
    weights: IdMap<u32, u64>,
}

/// An edge between two nodes. It is small, because there may be many millions.
#[derive(Debug, Clone, Copy)]
struct Edge {
    /// The source node, in the bits below the flag [`WEIGHTED`].
    from: u32,
    /// The target node, in the bits below the flag [`HIDDEN`].
    to: u32,
}

/// The flag of an edge that has a weight other than 1.
const WEIGHTED: u32 = 1 << 31;
/// Marks an edge for a way to progress that no wait asks for, such as closing a channel. Such an
/// edge never explains why a node is stuck.
const HIDDEN: u32 = 1 << 31;

impl Edge {
    fn is_hidden(self) -> bool {
        self.to & HIDDEN != 0
    }

    fn from(self) -> NodeId {
        (self.from & !WEIGHTED) as NodeId
    }

    fn to(self) -> NodeId {
        (self.to & !HIDDEN) as NodeId
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
    /// Adds a node that can progress once its dependencies contribute a weight of `needs`. A node
    /// that needs zero can progress from the start.
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

    /// Sets the weight that a node needs.
    pub(crate) fn set_needed(&mut self, node: NodeId, needs: u64) {
        self.remaining[node] = needs;
    }

    /// Returns whether the node can progress from the start.
    pub(crate) fn needs_nothing(&self, node: NodeId) -> bool {
        self.remaining[node] == 0
    }

    /// Adds a dependency that the node requires in addition to its other needs.
    pub(crate) fn require(&mut self, node: NodeId, dependency: NodeId) {
        self.remaining[node] = self.remaining[node].saturating_add(1);
        self.add_edge(dependency, node, 1);
    }

    /// Adds an edge. Once `from` can progress, the edge adds `weight` to `to`. If `from` is a
    /// counter, the edge adds 1 once the sum of the counter reaches `weight`.
    pub(crate) fn add_edge(&mut self, from: NodeId, to: NodeId, weight: u64) {
        step();
        let edge = Edge { from: number(from), to: number(to) };
        if weight == 1 {
            self.edges.push(edge);
        } else {
            self.weights.insert(number(self.edges.len()), weight);
            self.edges.push(Edge { from: edge.from | WEIGHTED, ..edge });
        }
    }

    /// Adds an edge of weight 1 between two nodes that never explains why `to` is stuck.
    pub(crate) fn add_hidden_edge(&mut self, from: NodeId, to: NodeId) {
        step();
        self.edges.push(Edge { from: number(from), to: number(to) | HIDDEN });
    }

    /// The edge with this number, and its weight; for an edge that begins at a counter, its
    /// threshold.
    fn edge(&self, number: u32) -> (Edge, u64) {
        let edge = self.edges[number as usize];
        let weight = if edge.from & WEIGHTED == 0 { None } else { self.weights.get(&number) };
        (edge, weight.copied().unwrap_or(1))
    }

    /// The number of nodes and counters.
    pub(crate) fn len(&self) -> usize {
        self.remaining.len()
    }

    /// Returns, by node, whether it can make progress.
    pub(crate) fn can_progress(&self) -> Vec<bool> {
        Worklist::new(self).run()
    }

    /// Computes the least fixed point.
    pub(crate) fn solve(&self) -> FixedPoint {
        let can_progress = self.can_progress();
        let is_stuck =
            |edge: &&Edge| !can_progress[edge.from()] && !can_progress[edge.to()] && !edge.is_hidden();
        // A healthy program has no stuck edges, so no lists are allocated.
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

/// The number of a node or an edge, without the flag bit. It fits, because each record of a
/// snapshot has only a few nodes and edges.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX) & !(1 << 31)
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
    /// By node: the weight received so far; for a counter, the amount added so far. Most nodes
    /// receive nothing, so their memory is never touched.
    received: Vec<u64>,
    /// By source node: the numbers of its edges. The edges of a counter are sorted by threshold.
    dependents: Lists<u32>,
    /// By counter: how many of its thresholds are reached.
    reached: Vec<usize>,
    can_progress: Vec<bool>,
    queue: Vec<NodeId>,
}

impl<'a> Worklist<'a> {
    fn new(graph: &'a Graph) -> Self {
        let pairs = (0..).zip(&graph.edges).map(|(number, edge)| (edge.from(), number));
        let lists = if graph.edges.is_empty() { 0 } else { graph.len() };
        let mut dependents = Lists::new(lists, pairs);
        for counter in (0..graph.len()).filter(|&node| graph.is_counter[node]) {
            let range = dependents.range(counter);
            sort_by_key(&mut dependents.items[range], |&number| graph.edge(number).1);
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
                let (edge, weight) = self.graph.edge(self.dependents.items[index]);
                let to = edge.to();
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
            let (edge, weight) = self.graph.edge(number);
            if weight > sum {
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

#[cfg(test)]
mod tests {
    use super::{Edge, Graph};

    #[test]
    fn an_edge_is_small_and_has_a_weight_or_is_hidden() {
        assert_eq!(size_of::<Edge>(), 8, "there may be many million");
        let mut graph = Graph::default();
        let (free, counter) = (graph.add_node(0), graph.add_counter(0));
        let [enough, more, shown, hidden] = [0; 4].map(|_| graph.add_node(1));
        graph.add_edge(free, counter, 5);
        graph.add_edge(counter, enough, 5);
        graph.add_edge(counter, more, u64::MAX);
        graph.add_edge(more, shown, 1);
        graph.add_hidden_edge(more, hidden);
        let solved = graph.solve();
        let can_progress = [free, enough, more, shown, hidden].map(|node| solved.can_progress(node));
        assert_eq!(can_progress, [true, true, false, false, false]);
        assert_eq!((solved.dependencies.of(shown), solved.dependencies.of(hidden)), (&[more][..], &[][..]));
    }
}
