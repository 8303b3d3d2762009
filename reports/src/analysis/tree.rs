//! The shape of the node list, and the self time of each node.
//!
//! ```text
//! busy      |████████████████████|      handle
//!              |██████|                 read, a child
//!                        |████|         a task that a nested executor polled: nested_ns
//! self busy |██|       |█|    |███|     busy − Σ children's busy − nested_ns
//! ```

use std::hash::Hash;

use rustc_hash::FxHashSet;

use crate::model::{Node, NodeIndex, SiteKind, Snapshot};

/// The nodes of a snapshot with their links and self times, all by node index.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    /// The nodes themselves, parents before children.
    pub(crate) nodes: &'a [Node],
    /// The nodes without a parent, ascending.
    pub(crate) roots: Vec<usize>,
    /// The children of each node, ascending.
    pub(crate) children: Vec<Vec<usize>>,
    /// The busy time of each node, in ns, that no other node accounts for.
    pub(crate) self_busy_ns: Vec<u64>,
}

impl<'a> Tree<'a> {
    /// Links the nodes. A poll during the capture can make the times inconsistent. Then self times
    /// saturate at zero.
    pub(crate) fn new(snapshot: &'a Snapshot) -> Self {
        let nodes = &snapshot.nodes[..];
        let mut roots = Vec::new();
        let mut children = vec![Vec::new(); nodes.len()];
        let mut elsewhere_ns: Vec<u64> = nodes.iter().map(|node| node.nested_ns).collect();
        for (index, node) in nodes.iter().enumerate() {
            match parent(nodes, index) {
                None => roots.push(index),
                Some(parent) => {
                    children[parent].push(index);
                    elsewhere_ns[parent] = elsewhere_ns[parent].saturating_add(node.busy_ns);
                }
            }
        }
        let self_busy_ns = nodes
            .iter()
            .zip(elsewhere_ns)
            .map(|(node, elsewhere_ns)| node.busy_ns.saturating_sub(elsewhere_ns))
            .collect();
        Self { nodes, roots, children, self_busy_ns }
    }

    /// The ancestors of a node, from its parent to the root.
    pub(crate) fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> + use<'a> {
        let nodes = self.nodes;
        std::iter::successors(parent(nodes, index), move |&index| parent(nodes, index))
    }

    /// The nodes from the root to this node, inclusive.
    pub(crate) fn path(&self, index: usize) -> Vec<usize> {
        let mut path: Vec<usize> = self.ancestors(index).collect();
        path.reverse();
        path.push(index);
        path
    }

    /// Returns, by node, whether no ancestor has the same key. Only such nodes count for a
    /// cumulative time, because an outer call includes the time of a recursive call.
    pub(crate) fn outermost<K: Eq + Hash>(&self, key: impl Fn(&'a Node) -> K) -> Vec<bool> {
        let mut is_outermost = vec![false; self.nodes.len()];
        // The keys on the path from the root to the current node of a depth-first walk.
        let mut above = FxHashSet::default();
        let mut steps: Vec<(usize, bool)> = self.roots.iter().map(|&root| (root, false)).collect();
        while let Some((node, is_left)) = steps.pop() {
            let key = key(&self.nodes[node]);
            if is_left {
                above.remove(&key);
                continue;
            }
            if above.insert(key) {
                is_outermost[node] = true;
                steps.push((node, true));
            }
            steps.extend(self.children[node].iter().map(|&child| (child, false)));
        }
        is_outermost
    }

    /// Computes a value for each node from its index and the value of its parent; `None` for a
    /// root.
    pub(crate) fn inherit<T: Copy>(&self, value: impl Fn(usize, Option<T>) -> T) -> Vec<T> {
        let mut values: Vec<T> = Vec::with_capacity(self.nodes.len());
        for index in 0..self.nodes.len() {
            let above = parent(self.nodes, index).map(|parent| values[parent]);
            values.push(value(index, above));
        }
        values
    }
}

/// Returns whether the node is the root of tasks. Synchronous functions, hand-written futures and
/// spans of `tracing` are no tasks; the futures that they poll are.
pub(crate) fn is_task(snapshot: &Snapshot, node: &Node) -> bool {
    let is_kind = |kind| !matches!(kind, SiteKind::Impl | SiteKind::Sync | SiteKind::Traced);
    node.parent.is_none() && snapshot.site(node.site).is_none_or(|site| is_kind(site.kind))
}

/// The parent, if it comes before the child. Snapshots guarantee this order. The check keeps every
/// path finite, whatever a saved snapshot contains.
fn parent(nodes: &[Node], index: usize) -> Option<usize> {
    nodes[index].parent.map(NodeIndex::get).filter(|&parent| parent < index)
}
