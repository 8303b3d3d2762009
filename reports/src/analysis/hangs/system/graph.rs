//! A least fixed point over gates: what opens, if nothing opens without a reason.
//!
//! ```text
//! gate    opens once the weights of its open inputs add up to what it needs: 1 for "any of them", their number for "all"
//! meter   never opens; its level is what it starts with and the weights of its open inputs, and each of its outputs is a gate
//!         that opens at a level of its own
//! ```
//! Meters are there for locks: a thousand holders and a thousand waiters are two thousand wires and not a million. A wire is
//! looked at once, when the gate at its beginning opens, so all of it is linear, but for the sorting of levels. Gates only
//! ever open: what is left closed is the complement of the least fixed point, in whatever order they are looked at.

use crate::analysis::hangs::facts::step;
use crate::lists::Lists;

/// Index of a gate or meter.
pub(crate) type NodeId = usize;

/// Gates, meters, and what they are wired to.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// What a gate still needs; of a meter, its level.
    remaining: Vec<u64>,
    is_counter: Vec<bool>,
    edges: Vec<Edge>,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    from: NodeId,
    to: NodeId,
    /// What it adds to a gate or meter at its end; if it begins at a meter, the level at which the gate opens.
    weight: u64,
    /// It is a way out that nobody waits for: what stays closed is not explained by it.
    is_hidden: bool,
}

/// What has opened, and the wires between what has not.
#[derive(Debug)]
pub(crate) struct FixedPoint {
    can_progress: Vec<bool>,
    /// The closed inputs of each closed gate and meter, but for those aside.
    pub(crate) dependencies: Lists,
    /// The closed outputs of each closed gate and meter, but for those aside.
    pub(crate) dependents: Lists,
}

impl Graph {
    /// A gate that opens at `needs`; at zero it is open from the beginning.
    pub(crate) fn add_node(&mut self, needs: u64) -> NodeId {
        self.remaining.push(needs);
        self.is_counter.push(false);
        self.remaining.len() - 1
    }

    /// A meter with a level to start with.
    pub(crate) fn add_counter(&mut self, initial: u64) -> NodeId {
        self.remaining.push(initial);
        self.is_counter.push(true);
        self.remaining.len() - 1
    }

    /// Changes what a gate needs.
    pub(crate) fn set_needed(&mut self, node: NodeId, needs: u64) {
        self.remaining[node] = needs;
    }

    /// Adds one to what a gate needs, and a wire that gives it: one more of "all".
    pub(crate) fn require(&mut self, node: NodeId, dependency: NodeId) {
        self.remaining[node] = self.remaining[node].saturating_add(1);
        self.add_edge(dependency, node, 1);
    }

    /// `from`, once open, gives `weight` to `to`; from a meter, `to` gets 1 at the level `weight`.
    pub(crate) fn add_edge(&mut self, from: NodeId, to: NodeId, weight: u64) {
        step();
        self.edges.push(Edge { from, to, weight, is_hidden: false });
    }

    /// The same between gates, but it is not listed among what a closed gate waits for.
    pub(crate) fn add_hidden_edge(&mut self, from: NodeId, to: NodeId) {
        step();
        self.edges.push(Edge { from, to, weight: 1, is_hidden: true });
    }

    /// The same, and the gate needs nothing else then.
    pub(crate) fn add_hidden_override(&mut self, from: NodeId, to: NodeId) {
        step();
        self.edges.push(Edge { from, to, weight: u64::MAX, is_hidden: true });
    }

    /// How many gates and meters there are.
    pub(crate) fn len(&self) -> usize {
        self.remaining.len()
    }

    /// Opens what can open.
    pub(crate) fn solve(&self) -> FixedPoint {
        let can_progress = Worklist::new(self).run();
        let is_stuck = |edge: &&Edge| !can_progress[edge.from] && !can_progress[edge.to] && !edge.is_hidden;
        let dependencies = Lists::new(
            self.len(),
            self.edges.iter().filter(is_stuck).inspect(|_| step()).map(|edge| (edge.to, edge.from)),
        );
        let dependents = Lists::new(
            self.len(),
            self.edges.iter().filter(is_stuck).inspect(|_| step()).map(|edge| (edge.from, edge.to)),
        );
        FixedPoint { can_progress, dependencies, dependents }
    }
}

impl FixedPoint {
    /// Whether the gate has opened.
    pub(crate) fn can_progress(&self, node: NodeId) -> bool {
        self.can_progress.get(node).copied().unwrap_or(true)
    }
}

/// The worklist.
struct Worklist<'a> {
    graph: &'a Graph,
    remaining: Vec<u64>,
    /// Wires by their beginning; those of a meter by their level.
    dependents: Lists,
    /// How many outputs of a meter have had their level.
    reached: Vec<usize>,
    can_progress: Vec<bool>,
    queue: Vec<NodeId>,
}

impl<'a> Worklist<'a> {
    fn new(graph: &'a Graph) -> Self {
        let pairs = graph.edges.iter().enumerate().map(|(number, edge)| (edge.from, number));
        let mut dependents = Lists::new(graph.len(), pairs);
        for counter in (0..graph.len()).filter(|&node| graph.is_counter[node]) {
            let range = dependents.starts[counter]..dependents.starts[counter + 1];
            dependents.items[range].sort_by_key(|&number| graph.edges[number].weight);
        }
        Self {
            graph,
            remaining: graph.remaining.clone(),
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
            } else if self.remaining[node] == 0 {
                self.mark(node);
            }
        }
        while let Some(node) = self.queue.pop() {
            let (start, end) = (self.dependents.starts[node], self.dependents.starts[node + 1]);
            for index in start..end {
                step();
                let Edge { to, weight, .. } = self.graph.edges[self.dependents.items[index]];
                if self.graph.is_counter[to] {
                    self.add_to_counter(to, weight);
                } else {
                    self.fulfill(to, weight);
                }
            }
        }
        self.can_progress
    }

    /// Raises the level of a meter, and gives to the outputs that it reaches.
    fn add_to_counter(&mut self, counter: NodeId, weight: u64) {
        self.remaining[counter] = self.remaining[counter].saturating_add(weight);
        while let Some(&number) = self.dependents.of(counter).get(self.reached[counter]) {
            let edge = self.graph.edges[number];
            if edge.weight > self.remaining[counter] {
                break;
            }
            step();
            self.reached[counter] += 1;
            self.fulfill(edge.to, 1);
        }
    }

    fn fulfill(&mut self, node: NodeId, weight: u64) {
        self.remaining[node] = self.remaining[node].saturating_sub(weight);
        if self.remaining[node] == 0 {
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
