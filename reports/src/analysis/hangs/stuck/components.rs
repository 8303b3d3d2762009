//! The stuck nodes, as strongly connected components of the graph.
//!
//! A component that depends on no other is a root cause: a cycle, or a single node that can never
//! progress. Tarjan's algorithm (1972, here without recursion) finds a component after all
//! components that it depends on.

use std::collections::VecDeque;

use crate::analysis::hangs::facts::{Facts, IdMap, NumberOf, step, with_capacity};
use crate::analysis::hangs::system::{Evidence, FixedPoint, Node, NodeId, System, task_node};
use crate::ordered::OrderedSet;

/// The stuck nodes that a task or a blocked thread depends on.
#[derive(Debug)]
pub(crate) struct StuckGraph {
    pub(crate) fixed_point: FixedPoint,
    /// The nodes of all components, one component after the other, dependencies first.
    nodes: Vec<NodeId>,
    /// The start of each component in `nodes`, and the end of the last one.
    starts: Vec<usize>,
    /// By stuck node: the number of its component.
    component_of: NumberOf,
}

impl StuckGraph {
    pub(crate) fn new(system: &System<'_>) -> Self {
        let fixed_point = system.graph.solve();
        let mut tarjan = Tarjan::new(&fixed_point, system.graph.len());
        tarjan.run(starts(system).filter(|&node| !fixed_point.can_progress(node)));
        let Tarjan { nodes, starts, component_of, .. } = tarjan;
        Self { fixed_point, nodes, starts, component_of }
    }

    /// The number of components.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The nodes of a component.
    pub(crate) fn component(&self, component: usize) -> &[NodeId] {
        match (self.starts.get(component), self.starts.get(component + 1)) {
            (Some(&start), Some(&end)) => self.nodes.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The nodes of all components.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns whether the nodes of a component depend on themselves.
    pub(crate) fn is_cycle(&self, component: usize) -> bool {
        match self.component(component) {
            [node] => self.fixed_point.dependencies.of(*node).contains(node),
            nodes => nodes.len() > 1,
        }
    }

    /// Returns whether the node is in the component.
    pub(crate) fn is_in(&self, node: NodeId, component: usize) -> bool {
        self.component_of.get(node) == Some(component)
    }

    /// The other components that this one depends on.
    pub(crate) fn dependencies_of(&self, component: usize) -> impl Iterator<Item = usize> + '_ {
        let dependencies = self
            .component(component)
            .iter()
            .flat_map(|&node| self.fixed_point.dependencies.of(node))
            .inspect(|_| step());
        dependencies.filter_map(|&node| self.component_of.get(node)).filter(move |&other| other != component)
    }

    /// The shortest cycle from `start` within a component, along the dependencies that `reasons`
    /// returns for each node. `start` is both the first and the last node of the result.
    pub(crate) fn shortest_cycle<I: IntoIterator<Item = NodeId>>(
        &self,
        start: NodeId,
        reasons: impl Fn(NodeId) -> I,
    ) -> Option<Vec<NodeId>> {
        let component = self.component_of.get(start)?;
        let mut came_from = with_capacity(self.component(component).len().min(64));
        came_from.insert(start, start);
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for dependency in reasons(node) {
                step();
                if dependency == start {
                    return Some(path_back(&came_from, node, start).chain([start]).collect());
                }
                if self.is_in(dependency, component) && !came_from.contains_key(&dependency) {
                    came_from.insert(dependency, node);
                    queue.push_back(dependency);
                }
            }
        }
        None
    }

    /// Follows the smallest reason of each node, from each start in turn, until a node repeats.
    /// Returns the nodes from the first occurrence of that node on.
    pub(crate) fn until_repeat(
        starts: impl IntoIterator<Item = NodeId>,
        reasons: impl Fn(NodeId) -> Vec<NodeId>,
    ) -> Option<Vec<NodeId>> {
        // Nodes on the path of a start without a cycle stay marked, because a later path that
        // reaches them has no cycle either.
        let mut positions = IdMap::default();
        starts.into_iter().find_map(|start| {
            let (mut path, first) = (Vec::new(), positions.len());
            let mut next = Some(start);
            while let Some(node) = next {
                step();
                if let Some(&position) = positions.get(&node) {
                    let repeats = usize::checked_sub(position, first)?;
                    return Some(path.split_off(repeats));
                }
                positions.insert(node, first + path.len());
                path.push(node);
                next = reasons(node).into_iter().min();
            }
            None
        })
    }

    /// The shortest path into a component from a node for which `is_start` holds. Of several
    /// shortest paths, this is the one from the smallest node.
    pub(crate) fn path_to(&self, component: usize, is_start: impl Fn(NodeId) -> bool) -> Option<Vec<NodeId>> {
        self.path(self.component(component), is_start)
    }

    /// The shortest path to one node from a node for which `is_start` holds.
    pub(crate) fn path_to_node(&self, end: NodeId, is_start: impl Fn(NodeId) -> bool) -> Option<Vec<NodeId>> {
        self.path(&[end], is_start)
    }

    /// A hundred thousand waits may depend on each of a hundred thousand nodes. So the search first
    /// follows only a few nodes at each distance, which is nearly always enough.
    fn path(&self, ends: &[NodeId], is_start: impl Fn(NodeId) -> bool) -> Option<Vec<NodeId>> {
        const NARROW: usize = 16;
        self.path_within(NARROW, ends, &is_start).or_else(|| self.path_within(usize::MAX, ends, &is_start))
    }

    fn path_within(
        &self,
        width: usize,
        ends: &[NodeId],
        is_start: impl Fn(NodeId) -> bool,
    ) -> Option<Vec<NodeId>> {
        let (mut level, mut next) = (ends.to_vec(), Vec::new());
        let mut next_of = with_capacity(16);
        next_of.extend(level.iter().map(|&node| (node, node)));
        while !level.is_empty() {
            if let Some(&start) = level.iter().filter(|&&node| is_start(node)).min() {
                let mut path = vec![start];
                let mut node = start;
                while let Some(&next) = next_of.get(&node).filter(|&&next| next != node) {
                    path.push(next);
                    node = next;
                }
                return Some(path);
            }
            for &node in &level {
                for &dependent in self.fixed_point.dependents.of(node) {
                    if next.len() >= width {
                        break;
                    }
                    step();
                    if self.component_of.get(dependent).is_some() && !next_of.contains_key(&dependent) {
                        next_of.insert(dependent, node);
                        next.push(dependent);
                    }
                }
            }
            std::mem::swap(&mut level, &mut next);
            next.clear();
        }
        None
    }

    /// By root: the indices of the tasks behind it. A task is listed under the first root that it
    /// depends on. A root that might only notify the task or add units counts only if the task
    /// depends on no other root.
    pub(crate) fn victims(&self, system: &System<'_>, roots: &[usize]) -> Vec<Vec<usize>> {
        let roots: Vec<&[NodeId]> = roots.iter().map(|&root| self.component(root)).collect();
        self.victims_through(system, &roots, |_| true)
    }

    /// The victims of sets of nodes, found only through nodes that are `allowed`.
    pub(crate) fn victims_through(
        &self,
        system: &System<'_>,
        roots: &[impl AsRef<[NodeId]>],
        allowed: impl Fn(NodeId) -> bool,
    ) -> Vec<Vec<usize>> {
        let mut root_of = NumberOf::new(system.graph.len());
        let (mut queue, mut later) = (VecDeque::new(), VecDeque::new());
        for (number, root) in roots.iter().enumerate() {
            for &node in root.as_ref() {
                root_of.set(node, number);
                queue.push_back(node);
            }
        }
        let is_of_any = |node| {
            matches!(
                system.node(node),
                Node::AnyNotifier(_) | Node::AnyLaterTask(_) | Node::AnyTask | Node::BlockOn(_)
            )
        };
        let mut victims = vec![Vec::new(); roots.len()];
        while let Some(node) = queue.pop_front().or_else(|| later.pop_front()) {
            let Some(root) = root_of.get(node) else { continue };
            if let Node::Task(task) = system.node(node) {
                victims[root].push(task);
            }
            for &dependent in self.fixed_point.dependents.of(node) {
                step();
                if self.component_of.get(dependent).is_some()
                    && root_of.get(dependent).is_none()
                    && allowed(dependent)
                {
                    root_of.set(dependent, root);
                    if is_of_any(dependent) { &mut later } else { &mut queue }.push_back(dependent);
                }
            }
        }
        victims
    }
}

/// The nodes of tasks, of threads that wait outside of all tasks, and of `join!` arms.
fn starts<'a>(system: &'a System<'_>) -> impl Iterator<Item = NodeId> + 'a {
    let snapshot = system.facts.snapshot;
    let threads = (0..snapshot.waits.len()).filter(|&wait| {
        let wait = &snapshot.waits[wait];
        wait.thread_id.is_some() && system.facts.task_of(wait).is_none()
    });
    let tasks = (0..snapshot.tasks.len()).map(task_node);
    let arms: OrderedSet<NodeId> = system.shared.arms.values().copied().collect();
    tasks.chain(threads.map(|wait| system.wait_node(wait))).chain(arms)
}

/// Returns whether anything may be stuck under any evidence. Most programs are healthy. For a
/// healthy program, one graph is enough, and no components are computed.
pub(crate) fn may_be_stuck(facts: &Facts<'_>) -> bool {
    let system = System::new(facts, Evidence::Suspect);
    let can_progress = system.graph.can_progress();
    system.has_exceptions || starts(&system).any(|node| !can_progress[node])
}

/// The path from `start` to `last`.
fn path_back(came_from: &IdMap<NodeId, NodeId>, last: NodeId, start: NodeId) -> impl Iterator<Item = NodeId> {
    let mut path = vec![last];
    let mut node = last;
    while node != start {
        match came_from.get(&node) {
            Some(&before) => node = before,
            None => break,
        }
        path.push(node);
    }
    path.into_iter().rev()
}

#[cfg(all(test, feature = "read"))]
mod tests;

/// Tarjan's algorithm with a stack of its own.
struct Tarjan<'a> {
    fixed_point: &'a FixedPoint,
    /// The order in which each node was visited, from 1; 0 if it has not been visited.
    visit_order: Vec<u32>,
    low_link: Vec<u32>,
    is_on_stack: Vec<bool>,
    stack: Vec<NodeId>,
    /// See [`StuckGraph`].
    nodes: Vec<NodeId>,
    starts: Vec<usize>,
    component_of: NumberOf,
    visited: u32,
}

impl<'a> Tarjan<'a> {
    fn new(fixed_point: &'a FixedPoint, nodes: usize) -> Self {
        Self {
            fixed_point,
            visit_order: vec![0; nodes],
            low_link: vec![0; nodes],
            is_on_stack: vec![false; nodes],
            stack: Vec::new(),
            nodes: Vec::new(),
            starts: vec![0],
            component_of: NumberOf::new(nodes),
            visited: 0,
        }
    }

    fn run(&mut self, starts: impl Iterator<Item = NodeId>) {
        for start in starts {
            if self.visit_order[start] == 0 {
                self.visit(start);
            }
        }
    }

    fn visit(&mut self, start: NodeId) {
        let mut calls = vec![(start, 0)];
        self.push(start);
        while let Some((node, next)) = calls.pop() {
            step();
            match self.fixed_point.dependencies.of(node).get(next) {
                Some(&dependency) => {
                    calls.push((node, next + 1));
                    if self.visit_order[dependency] == 0 {
                        self.push(dependency);
                        calls.push((dependency, 0));
                    } else if self.is_on_stack[dependency] {
                        self.low_link[node] = self.low_link[node].min(self.visit_order[dependency]);
                    }
                }
                None => {
                    if self.low_link[node] == self.visit_order[node] {
                        self.pop_component(node);
                    }
                    if let Some(&(caller, _)) = calls.last() {
                        self.low_link[caller] = self.low_link[caller].min(self.low_link[node]);
                    }
                }
            }
        }
    }

    fn push(&mut self, node: NodeId) {
        self.visited += 1;
        self.visit_order[node] = self.visited;
        self.low_link[node] = self.visited;
        self.is_on_stack[node] = true;
        self.stack.push(node);
    }

    /// Pops a component off the stack: everything above the node, and the node itself.
    fn pop_component(&mut self, node: NodeId) {
        let number = self.starts.len() - 1;
        while let Some(member) = self.stack.pop() {
            self.is_on_stack[member] = false;
            self.component_of.set(member, number);
            self.nodes.push(member);
            if member == node {
                break;
            }
        }
        self.starts.push(self.nodes.len());
    }
}
